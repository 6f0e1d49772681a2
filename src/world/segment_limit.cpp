#include "world/segment_limit.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "base/env.hpp"
#include "base/fatal.hpp"

// A client may define these to have another default: as text, or in the older form in bytes.
extern "C" {
extern const char* gasnet_max_segsize_str __attribute__((weak));
extern std::uint64_t gasnet_max_segsize __attribute__((weak));
}

namespace aqueduct::world {
namespace {

constexpr env::Names kMaxSegmentNames = {"AQUEDUCT_MAX_SEGSIZE", "GASNET_MAX_SEGSIZE"};

const char* default_max_segment() {
  static char text[32];
  if (&gasnet_max_segsize_str && gasnet_max_segsize_str) return gasnet_max_segsize_str;
  if (!&gasnet_max_segsize || gasnet_max_segsize == 0) return "0.85/H";
  std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(gasnet_max_segsize));
  return text;
}

std::size_t memory_of_host() {
  return static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

/// A limit that the host cannot give, or that holds no page, is said by one rank if it was set by the user. A
/// client's own default stands for "as much as there is".
void warn_of_limit(std::size_t asked, std::size_t given) {
  const char* const name = env::name_in_use(kMaxSegmentNames);
  if (name == nullptr || (asked <= segment_span() && asked >= kPage)) return;
  if (reporting_rank() > 0) return;
  warn("environment", "%s='%s' is %zu bytes for a rank; the largest segment is %zu bytes here", name,
       std::getenv(name), asked, given);
}

}  // namespace

std::size_t max_segment_bytes(RankId ranks) {
  const env::Amount amount = *env::amount(kMaxSegmentNames, default_max_segment());
  const std::size_t asked = amount.bytes_per_rank(memory_of_host(), ranks);
  const std::size_t given = std::max(std::min(asked, segment_span()) / kPage * kPage, kPage);
  warn_of_limit(asked, given);
  return given;
}

const char* max_segment_setting() {
  const char* const name = env::name_in_use(kMaxSegmentNames);
  return name == nullptr ? default_max_segment() : std::getenv(name);
}

std::size_t segment_span() { return round_up(memory_of_host(), std::size_t{1} << 30); }

}  // namespace aqueduct::world
