#include "gasnet_tools/failure.hpp"

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "aqueduct/tools/debugging.h"
#include "aqueduct/tools/failure.h"
#include "base/fatal.hpp"
#include "base/stdio_flush.hpp"

namespace aqueduct::gasnet_tools {
namespace {

constexpr std::size_t kLineBytes = 4000;
constexpr int kAbortCode = 128 + SIGABRT;

std::atomic<pid_t> thread_that_fails{0};

/// The first thread to fail reports for the process; a second failure in that thread ends it at once.
void become_the_one_that_fails() {
  pid_t nobody = 0;
  if (thread_that_fails.compare_exchange_strong(nobody, gettid())) return;
  if (nobody == gettid()) _exit(kAbortCode);
  for (;;) pause();
}

[[noreturn]] void end() {
  gasnett_freezeForDebuggerErr();
  if (gasnett_print_backtrace_ifenabled != nullptr) gasnett_print_backtrace_ifenabled(STDERR_FILENO);
  flush_stdio_or_exit(kAbortCode);
  std::signal(SIGABRT, SIG_DFL);
  std::abort();
}

[[noreturn]] void fail_with(const char* function, const char* place, const char* format, va_list arguments) {
  become_the_one_that_fails();
  char line[kLineBytes];
  std::size_t used = 0;
  // Leaves room for the newline if text is cut.
  const auto advance = [&](int length) {
    if (length > 0) used = std::min(used + static_cast<std::size_t>(length), kLineBytes - 2);
  };
  advance(std::snprintf(line, kLineBytes - 1, "*** FATAL ERROR%s: ", process_tag().text));
  if (function != nullptr) advance(std::snprintf(line + used, kLineBytes - 1 - used, "in %s()", function));
  if (place != nullptr) advance(std::snprintf(line + used, kLineBytes - 1 - used, " at %s", place));
  if (function != nullptr) advance(std::snprintf(line + used, kLineBytes - 1 - used, "%s", ": "));
  advance(std::vsnprintf(line + used, kLineBytes - 1 - used, format, arguments));
  line[used++] = '\n';
  write_text(STDERR_FILENO, line, used);
  end();
}

}  // namespace

void fail(const char* function, const char* place, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fail_with(function, place, format, arguments);
}

void write_text(int fd, const char* text, std::size_t length) {
  while (length > 0) {
    const ssize_t written = write(fd, text, length);
    if (written <= 0) return;
    text += written;
    length -= static_cast<std::size_t>(written);
  }
}

void write_text(int fd, const char* text) { write_text(fd, text, std::strlen(text)); }

ProcessTag process_tag() {
  ProcessTag tag = {};
  if (const int rank = reporting_rank(); rank >= 0)
    std::snprintf(tag.text, sizeof tag.text, " (proc %d)", rank);
  return tag;
}

}  // namespace aqueduct::gasnet_tools

using namespace aqueduct;

extern "C" {

void aq_fatal_error_(const char* function, const char* file, int line, const char* format, ...) {
  char place[1024];
  std::snprintf(place, sizeof place, "%s:%d", file, line);
  va_list arguments;
  va_start(arguments, format);
  gasnet_tools::fail_with(function, place, format, arguments);
}

void gasnett_fatalerror_nopos(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  gasnet_tools::fail_with(nullptr, nullptr, format, arguments);
}

char* aq_location_(const char* function, const char* file, int line) {
  char* text = nullptr;
  if (asprintf(&text, "%s() at %s:%d", function, file, line) < 0) return nullptr;
  return text;
}

void gasnett_killmyprocess(int code) {
  // Skips even what libraries add to _exit.
  for (;;) syscall(SYS_exit_group, code);
}

}  // extern "C"
