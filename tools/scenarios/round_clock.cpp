#include "round_clock.hpp"

#include <aqueduct/sim.h>

#include <algorithm>
#include <numeric>

namespace aqueduct::scenarios {

void RoundClock::start() {
  if (records_) started_ns_ = aqueduct_sim_time_ns();
}

void RoundClock::stop() {
  if (records_) times_.push_back(static_cast<double>(aqueduct_sim_time_ns() - started_ns_));
}

RoundClock::~RoundClock() {
  if (!records_) return;
  const auto warm_up = static_cast<std::ptrdiff_t>(rounds_ / 5);
  if (static_cast<std::ptrdiff_t>(times_.size()) <= warm_up) return;
  times_.erase(times_.begin(), times_.begin() + warm_up);
  const std::size_t batches = std::min<std::size_t>(kBatches, times_.size());
  for (std::size_t batch = 0; batch < batches; ++batch) {
    const auto first = times_.begin() + static_cast<std::ptrdiff_t>(times_.size() * batch / batches);
    const auto last = times_.begin() + static_cast<std::ptrdiff_t>(times_.size() * (batch + 1) / batches);
    record("round", batch, std::accumulate(first, last, 0.0) / static_cast<double>(last - first));
  }
}

void leave_live_job(int code) {
  if (code == 0) gasnet_barrier(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_exit(code);
}

}  // namespace aqueduct::scenarios
