// Times the rounds of a scenario, as samples of the series "round" (samples.hpp).
//
//   RoundClock clock(me, rounds);
//   for (unsigned round = 0; round < rounds; ++round) {
//     clock.start();
//     ...                          // what is measured
//     clock.stop();
//   }
#pragma once
#include <cstdint>
#include <vector>

#include "member.hpp"
#include "samples.hpp"

namespace aqueduct::scenarios {

/// Times rounds that all ranks begin together. The first fifth warms up caches and sockets and is not
/// recorded; the rest is recorded in batches, each as the mean of its rounds, because a median of rounds
/// would hide what only some of them meet.
class RoundClock {
 public:
  static constexpr unsigned kBatches = 10;

  RoundClock(const Member& me, std::uint64_t rounds) : records_(me.rank() == 0), rounds_(rounds) {}
  ~RoundClock();
  RoundClock(const RoundClock&) = delete;
  RoundClock& operator=(const RoundClock&) = delete;

  void start();
  void stop();

 private:
  bool records_;
  std::uint64_t rounds_;
  std::uint64_t started_ns_ = 0;
  std::vector<double> times_;
};

}  // namespace aqueduct::scenarios
