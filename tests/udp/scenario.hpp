// One run of several ports over a simulated network: every node sends messages of all sizes to every other,
// answers what comes now or later, wholly, in part or not at all, and checks that each message arrives once,
// in order and intact. Everything follows from the seed.
#pragma once
#include <cstdint>
#include <string>

#include "fabric/udp/counters.hpp"

namespace aqueduct::fabric::udp::test {

struct ScenarioResult {
  std::string failure;  ///< empty: all went as it should
  std::uint64_t messages = 0;
  std::uint64_t datagrams = 0;
  std::uint64_t virtual_ns = 0;
  Counters counters;  ///< of all ports together
};

/// `loses_half`: every second datagram of each way, or any with a probability of one half.
ScenarioResult run_scenario(std::uint64_t seed, bool loses_half = false);

}  // namespace aqueduct::fabric::udp::test
