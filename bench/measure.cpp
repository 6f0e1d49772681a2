#include "measure.hpp"

#include <algorithm>

namespace aqueduct::bench {
namespace {

double run_once(Session& session, const Batch& batch, std::uint64_t count) {
  session.barrier();
  return batch(count);
}

/// Rank 0 decides the next step for all ranks. Of two times the shorter one counts.
std::uint64_t calibrate(Session& session, const Batch& batch, double batch_ns, std::uint64_t least) {
  constexpr std::uint64_t kMostOperations = std::uint64_t{1} << 22;
  std::uint64_t count = least;
  while (true) {
    const double first_ns = run_once(session, batch, count);
    const double second_ns = run_once(session, batch, count);
    const double ns = std::max(1.0, std::min(first_ns, second_ns));
    const bool long_enough = ns >= batch_ns / 8 || count >= kMostOperations;
    const double wanted = static_cast<double>(count) * batch_ns / ns;
    const auto next = static_cast<std::uint64_t>(std::clamp(
        wanted, static_cast<double>(least), static_cast<double>(std::min(count * 8, kMostOperations))));
    const bool done = session.agree(long_enough) != 0;
    count = session.agree(next);
    if (done) return count;
  }
}

}  // namespace

std::vector<Spread> interleave(Session& session, unsigned repetitions, const std::vector<Batch>& batches,
                               double batch_ns, std::uint64_t least) {
  std::vector<std::uint64_t> counts;
  for (const Batch& batch : batches) counts.push_back(calibrate(session, batch, batch_ns, least));

  std::vector<std::vector<double>> times(batches.size());
  for (unsigned repetition = 0; repetition < repetitions; ++repetition) {
    for (std::size_t i = 0; i < batches.size(); ++i) {
      times[i].push_back(run_once(session, batches[i], counts[i]) / static_cast<double>(counts[i]));
    }
  }
  session.barrier();

  std::vector<Spread> spreads;
  for (const auto& series : times) spreads.push_back(spread_of(series));
  return spreads;
}

}  // namespace aqueduct::bench
