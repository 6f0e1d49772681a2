#include "core/staging.hpp"

#include "base/env.hpp"
#include "core/rank.hpp"

namespace aqueduct::core {
namespace {

constexpr std::size_t kByDefault = std::size_t{24} << 20;

}  // namespace

std::size_t most_staging_bytes(const Rank& rank) {
  if (rank.is_simulated() || !device::may_be_here()) return 0;
  return env::bytes({"AQUEDUCT_DEVICE_STAGING"}).value_or(kByDefault) / kPage * kPage;
}

std::size_t staging_bytes(const Rank& rank, std::size_t segment_bytes) {
  const std::size_t bytes = most_staging_bytes(rank);
  return segment_bytes <= rank.options().segment_span && bytes <= rank.options().segment_span - segment_bytes
             ? bytes
             : 0;
}

}  // namespace aqueduct::core
