// The library as a plug-in sees it: forwards what a process may have only once (plugin.hpp has the list).
// Compiled into plug-ins, never into the library.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "base/context.hpp"
#include "base/fatal.hpp"
#include "base/fence.hpp"
#include "conduit/plugin/plugin.hpp"
#include "world/world.hpp"

namespace aqueduct {
namespace {

constexpr std::size_t kTextBytes = 3500;
conduit::plugin::LibraryFunctions library;

}  // namespace

constinit thread_local Context current_context;
bool kernel_fences_available = false;  // so light fences are full ones in plug-ins

void register_for_heavy_fences() { library.register_for_heavy_fences(); }
void heavy_fence() { library.heavy_fence(); }

void fatal(const char* where, const char* format, ...) {
  char text[kTextBytes];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  library.fatal(where, text);
  std::abort();
}

void fatal_about(unsigned peer, const char* where, const char* format, ...) {
  char text[kTextBytes];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  library.fatal_about(peer, where, text);
  std::abort();
}

void warn(const char* where, const char* format, ...) {
  char text[kTextBytes];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  library.warn(where, text);
}

int reporting_rank() { return library.reporting_rank(); }

namespace world {
World& live() { return library.world(); }
}  // namespace world

namespace conduit::plugin {
void accept(const LibraryFunctions& host) { library = host; }

std::string why_not_on_device(const char* conduit, const job::Membership& membership, device::Family family,
                              int ordinal) {
  char text[kTextBytes] = "";
  library.try_device(conduit, membership, family, ordinal, text, sizeof text);
  return text;
}
}  // namespace conduit::plugin

}  // namespace aqueduct
