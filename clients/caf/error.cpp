#include "clients/caf/error.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "clients/caf/job.hpp"

namespace aqueduct::caf {
namespace {

constexpr std::size_t kLongestLine = 256;

[[noreturn]] void end_with(const char* statement, const char* text) {
  // Units are not flushed: an error may come in the middle of a print, which holds its unit.
  std::fprintf(stderr, "*** FATAL ERROR (image %d): in %s: %s\n", job.is_up ? job.initial.me : 0, statement,
               text);
  gasnet_exit(1);
}

}  // namespace

void Outcome::fail(StatValue value, const char* statement, const char* format, ...) const {
  char text[kLongestLine];
  std::va_list arguments;
  va_start(arguments, format);
  const int wanted = std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (!stat) end_with(statement, text);
  *stat = value;
  if (!message) return;
  const std::size_t length =
      std::min({static_cast<std::size_t>(std::max(wanted, 0)), sizeof text - 1, message_bytes});
  std::memcpy(message, text, length);
  std::memset(message + length, ' ', message_bytes - length);
}

void fatal(const char* statement, const char* format, ...) {
  char text[kLongestLine];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  end_with(statement, text);
}

}  // namespace aqueduct::caf
