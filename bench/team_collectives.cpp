// team-barrier, team-broadcast: barrier and broadcast by the number of ranks. The first 2, 4, 8, ... ranks
// and all of them make a team each; while one team is measured the other ranks wait.
#include <fmt/format.h>

#include <algorithm>

#include "limits.hpp"
#include "registry.hpp"
#include "stopwatch.hpp"
#include "transfer.hpp"

// Last: the thread mode is chosen in client.hpp.
#include <gasnet_coll.h>

namespace aqueduct::bench {
namespace {

/// The first ranks of the job.
class FirstRanks {
 public:
  /// Collective over all ranks.
  FirstRanks(const Session& session, gex_Rank_t count) : count_(count), joins_(session.rank() < count) {
    gex_TM_Split(joins_ ? &team_ : nullptr, session.team(), 0, static_cast<int>(session.rank()), nullptr, 0,
                 GEX_FLAG_TM_NO_SCRATCH);
  }
  ~FirstRanks() {
    if (joins_) gex_TM_Destroy(team_, nullptr, 0);
  }
  FirstRanks(const FirstRanks&) = delete;
  FirstRanks& operator=(const FirstRanks&) = delete;

  gex_TM_t team() const { return team_; }
  gex_Rank_t count() const { return count_; }
  bool includes_me() const { return joins_; }
  std::string text() const { return fmt::format("{} ranks", count_); }

 private:
  gex_Rank_t count_;
  bool joins_;
  gex_TM_t team_{};
};

/// Calls `measure(ranks)` for teams of 2, 4, 8, ... and all ranks.
template <class Measure>
void for_each_count(const Session& session, const Measure& measure) {
  for (gex_Rank_t count = 2; count < session.size(); count *= 2) measure(FirstRanks(session, count));
  measure(FirstRanks(session, session.size()));
}

/// `call(turn)` is one collective, complete when it returns.
template <class Call>
Batch batch_of(const FirstRanks& ranks, const Call& call) {
  return [&ranks, call](std::uint64_t count) {
    if (!ranks.includes_me()) return 0.0;
    for (std::uint64_t i = 0; i < kWarmUp; ++i) call(i);
    const Stopwatch watch;
    for (std::uint64_t i = 0; i < count; ++i) call(i);
    return watch.ns();
  };
}

Row row_of(const FirstRanks& ranks, std::size_t size, const std::vector<Spread>& times) {
  Row row{.size = size,
          .value = times[0],
          .limit = times.size() > 1 ? std::optional(times[1]) : std::nullopt,
          .what = ranks.text()};
  row.more["ranks"] = std::uint64_t{ranks.count()};
  return row;
}

}  // namespace

Result run_team_barrier(Session& session, const Parameters& parameters) {
  const bool has_limit = session.pair_can_bounce_a_line();
  Result result{.title = "barrier of the first ranks",
                .unit = "ns",
                .limit_name = has_limit ? "round trip of one cache line" : ""};
  for_each_count(session, [&](const FirstRanks& ranks) {
    std::vector<Batch> batches{
        batch_of(ranks, [&ranks](std::uint64_t) { gex_Coll_BarrierBlocking(ranks.team(), 0); })};
    if (has_limit) batches.push_back(one_line_round_trip(session));
    result.rows.push_back(row_of(ranks, 0, interleave(session, parameters.repetitions, batches)));
  });
  return result;
}

std::size_t team_broadcast_data_bytes(const Parameters& parameters) {
  return 2 * std::ranges::max(parameters.sizes);
}

// The root changes each time, so that no rank can run ahead for long and the result is the time of whole
// broadcasts.
Result run_team_broadcast(Session& session, const Parameters& parameters) {
  const bool has_limit = session.pair_shares_memory();
  const std::size_t most = std::ranges::max(parameters.sizes);
  const bool in_segment = parameters.kind == "segment";
  Result result{.title = fmt::format("broadcast to the first ranks, {}",
                                     in_segment ? "from one segment to the others" : "of private memory"),
                .unit = "ns",
                .limit_name = has_limit ? "one copy from the partner's memory" : ""};
  const PrivateMemory from(most), to(most);
  std::byte* const source = in_segment ? session.data() : from.data();
  std::byte* const destination = in_segment ? session.data() + most : to.data();
  for_each_count(session, [&](const FirstRanks& ranks) {
    for (const std::size_t size : parameters.sizes) {
      std::vector<Batch> batches{batch_of(ranks, [&, size](std::uint64_t turn) {
        const auto root = static_cast<gex_Rank_t>(turn % ranks.count());
        gex_Event_Wait(gex_Coll_BroadcastNB(ranks.team(), root, destination, source, size, 0));
      })};
      if (has_limit) {
        batches.push_back(plain_copy(
            session, {.to = to.data(), .from = session.mapped_data_of(session.partner()), .bytes = size}));
      }
      result.rows.push_back(row_of(ranks, size, interleave(session, parameters.repetitions, batches)));
    }
  });
  return result;
}

}  // namespace aqueduct::bench
