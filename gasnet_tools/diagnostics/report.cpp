#include "gasnet_tools/diagnostics/report.hpp"

#include <cstdarg>
#include <cstdio>

#include "gasnet_tools/failure.hpp"

namespace aqueduct::gasnet_tools::diagnostics {

void Report::expect(bool good, const char* what, ...) {
  if (good) return;
  errors_.fetch_add(1);
  char text[512];
  va_list arguments;
  va_start(arguments, what);
  std::vsnprintf(text, sizeof text, what, arguments);
  va_end(arguments);
  std::fprintf(stderr, "ERROR: diagnostics%s: %s\n", process_tag().text, text);
}

}  // namespace aqueduct::gasnet_tools::diagnostics
