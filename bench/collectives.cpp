// reduce, broadcast: the time of one collective over all ranks, waited for before the next is started.
#include "limits.hpp"
#include "registry.hpp"
#include "stopwatch.hpp"

// Last: the thread mode is chosen in client.hpp.
#include <gasnet_coll.h>

namespace aqueduct::bench {
namespace {

using Words = std::vector<std::uint64_t>;

/// Starts collective number `turn` on vectors of `bytes`.
using Start = gex_Event_t (*)(const Session& session, std::uint64_t turn, Words& to, const Words& from,
                              std::size_t bytes);

gex_Event_t start_reduction(const Session& session, std::uint64_t, Words& to, const Words& from,
                            std::size_t bytes) {
  return gex_Coll_ReduceToAllNB(session.team(), to.data(), from.data(), GEX_DT_U64, 8, bytes / 8, GEX_OP_ADD,
                                nullptr, nullptr, 0);
}

// The root changes each time, so that no rank can run ahead for long and the result is the time of whole
// broadcasts.
gex_Event_t start_broadcast(const Session& session, std::uint64_t turn, Words& to, const Words& from,
                            std::size_t bytes) {
  return gex_Coll_BroadcastNB(session.team(), static_cast<gex_Rank_t>(turn % session.size()), to.data(),
                              from.data(), bytes, 0);
}

double time_collectives(const Session& session, Start start, Words& to, const Words& from, std::size_t bytes,
                        std::uint64_t count) {
  for (std::uint64_t i = 0; i < kWarmUp; ++i) gex_Event_Wait(start(session, i, to, from, bytes));
  const Stopwatch watch;
  for (std::uint64_t i = 0; i < count; ++i) gex_Event_Wait(start(session, i, to, from, bytes));
  return watch.ns();
}

Result run(Session& session, const Parameters& parameters, const char* title, Start start) {
  const bool has_limit = session.size() == 2 && session.pair_can_bounce_a_line();
  Result result{.title = title, .unit = "ns", .limit_name = has_limit ? "round trip of one cache line" : ""};
  for (const std::size_t size : parameters.sizes) {
    if (size % 8 != 0) throw Unsuitable("reduce, broadcast: sizes must be multiples of 8");
    Words to(size / 8), from(size / 8);
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = session.rank() + i;
    std::vector<Batch> batches{
        [&](std::uint64_t count) { return time_collectives(session, start, to, from, size, count); }};
    if (has_limit) batches.push_back(one_line_round_trip(session));
    const auto times = interleave(session, parameters.repetitions, batches);
    result.rows.push_back(
        {.size = size, .value = times[0], .limit = has_limit ? std::optional(times[1]) : std::nullopt});
  }
  return result;
}

}  // namespace

Result run_reduce(Session& session, const Parameters& parameters) {
  return run(session, parameters, "reduction to all ranks", start_reduction);
}

Result run_broadcast(Session& session, const Parameters& parameters) {
  return run(session, parameters, "broadcast to all ranks", start_broadcast);
}

}  // namespace aqueduct::bench
