// barrier: the time of one barrier over all ranks, and the worst that any rank saw.
#include <fmt/format.h>

#include <algorithm>

#include "limits.hpp"
#include "raw/raw_interface.hpp"
#include "registry.hpp"
#include "stopwatch.hpp"

namespace aqueduct::bench {
namespace {

void one_barrier() {
  gasnet_barrier_notify(0, GASNET_BARRIERFLAG_ANONYMOUS);
  gasnet_barrier_wait(0, GASNET_BARRIERFLAG_ANONYMOUS);
}

double time_barriers(std::uint64_t count) {
  for (std::uint64_t i = 0; i < kWarmUp; ++i) one_barrier();
  const Stopwatch watch;
  for (std::uint64_t i = 0; i < count; ++i) one_barrier();
  return watch.ns();
}

/// The longest of `count` barriers on this rank, each timed by itself.
double longest_barrier_ns(std::uint64_t count) {
  double longest_ns = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const Stopwatch watch;
    one_barrier();
    longest_ns = std::max(longest_ns, watch.ns());
  }
  return longest_ns;
}

}  // namespace

Result run_barrier(Session& session, const Parameters& parameters) {
  const std::unique_ptr<RawInterface> raw = open_raw_interface(session, parameters);
  if (raw && raw->barrier_name().empty())
    throw Unsuitable("--against raw: below this conduit there is no barrier to compare with (mpi has one)");
  const bool has_line = !raw && session.size() == 2 && session.pair_can_bounce_a_line();
  const bool has_limit = raw || has_line;
  Result result{.title = "barrier over all ranks",
                .unit = "ns",
                .limit_name = raw        ? raw->barrier_name()
                              : has_line ? "round trip of one cache line"
                                         : ""};

  std::vector<Batch> batches{time_barriers};
  if (raw) batches.push_back(raw->barrier());
  if (has_line) batches.push_back(one_line_round_trip(session));
  const auto times = interleave(session, parameters.repetitions, batches);

  constexpr double kObservationNs = 100'000'000;
  const auto observed = session.agree(static_cast<std::uint64_t>(
      std::clamp(kObservationNs / std::max(1.0, times[0].median), 100.0, 20'000.0)));
  const auto longest = session.gather(static_cast<std::uint64_t>(longest_barrier_ns(observed)));
  const auto worst = std::ranges::max_element(longest);

  Row row{.size = 0, .value = times[0], .limit = has_limit ? std::optional(times[1]) : std::nullopt};
  row.more["worst"] = *worst;
  result.rows.push_back(std::move(row));
  result.notes.push_back(fmt::format(
      "All {} ranks completed {} further barriers, timed one by one; the longest took {:.1f} us, on rank {}.",
      session.size(), observed, static_cast<double>(*worst) / 1000, worst - longest.begin()));
  return result;
}

}  // namespace aqueduct::bench
