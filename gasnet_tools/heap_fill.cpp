#include "gasnet_tools/heap_fill.hpp"

#include <strings.h>

#include <algorithm>
#include <cstring>

#include "aqueduct/tools/environment.h"
#include "base/fatal.hpp"
#include "gasnet_tools/number.hpp"

namespace aqueduct::gasnet_tools {
namespace {

// As pointers both are outside of what a processor can address, so that an access faults.
constexpr std::uint64_t kSignallingNan = 0x7ff7ffffffffffffu;
constexpr std::uint64_t kQuietNan = 0x7fffffffffffffffu;

}  // namespace

HeapFill HeapFill::from_environment(const char* variable) {
  const char* value = gasnett_getenv_withdefault(variable, "NAN");
  if (strcasecmp(value, "NAN") == 0 || strcasecmp(value, "sNAN") == 0) return HeapFill(kSignallingNan);
  if (strcasecmp(value, "qNAN") == 0) return HeapFill(kQuietNan);
  const ParsedInteger number = parse_integer(value, 0);
  if (!number.whole_text || number.too_large) {
    fatal("environment", "%s='%s' is not a whole number, NAN, sNAN or qNAN", variable, value);
  }
  const auto pattern = static_cast<std::uint64_t>(number.value);
  return HeapFill(pattern <= 0xff ? pattern * 0x0101010101010101u : pattern);
}

void HeapFill::write(void* memory, std::size_t bytes) const {
  auto* at = static_cast<unsigned char*>(memory);
  for (std::size_t done = 0; done < bytes; done += sizeof pattern_) {
    std::memcpy(at + done, &pattern_, std::min(bytes - done, sizeof pattern_));
  }
}

std::size_t HeapFill::find_change(const void* memory, std::size_t bytes) const {
  const auto* at = static_cast<const unsigned char*>(memory);
  const auto* expected = reinterpret_cast<const unsigned char*>(&pattern_);
  for (std::size_t index = 0; index < bytes; ++index) {
    if (at[index] != expected[index % sizeof pattern_]) return index;
  }
  return bytes;
}

}  // namespace aqueduct::gasnet_tools
