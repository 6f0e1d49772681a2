// Fatal errors of the tools: the line, then a debugger or a backtrace if asked for, then abort().
//
// Unlike aqueduct::fatal, which ends a job in order, these end like assertions, as the interface of the tools
// demands: clients rely on the core file. Errors that only a wrong setting can cause use aqueduct::fatal.
#pragma once
#include <cstddef>
#include <cstring>

namespace aqueduct::gasnet_tools {

/// Misuse of a tool, found at `place` ("file:line", or null) in a call of `function`.
[[noreturn]] void fail(const char* function, const char* place, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

/// Fails with the system's words for `error`, unless it is 0.
inline void must(int error, const char* function, const char* place) {
  if (error != 0) [[unlikely]]
    fail(function, place, "%s", std::strerror(error));
}

/// Writes the whole text, with one call if possible. Safe in signal handlers.
void write_text(int fd, const char* text, std::size_t length);
void write_text(int fd, const char* text);

/// "(proc 3)" with a space before it, or nothing outside a job.
struct ProcessTag {
  char text[24];
};
ProcessTag process_tag();

}  // namespace aqueduct::gasnet_tools
