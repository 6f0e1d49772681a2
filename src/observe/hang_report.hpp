// The report of a job that does not go on: a line for each rank that says what it waits for, and what follows
// from all of them: who is stopped, has left or never returns from a handler, a cycle of ranks that wait for
// each other, and the rank for which the others wait.
//
// Edges. A rank waits for another if that is the peer of what it waits for, has not come to the barrier or
// collective that it waits at, or, where neither is known, owes it an answer and does not wait itself: who
// waits handles what comes.
#pragma once
#include <string>
#include <vector>

#include "observe/state.hpp"

namespace aqueduct::observe {

/// Members of the team that have not come to the barrier or collective that `wait` is for.
std::vector<RankId> missing_members(const std::vector<RankState>& states, const Wait& wait);

/// For whom each rank waits, indexed as the states; empty: for nobody that is known. Ascending.
std::vector<std::vector<RankId>> wait_edges(const std::vector<RankState>& states);

/// A cycle in them, in the order in which each waits for the next; empty if there is none. The shortest from
/// the first rank that is in one.
std::vector<RankId> find_cycle(const std::vector<RankState>& states,
                               const std::vector<std::vector<RankId>>& edges);

/// The sentences that name what is wrong, most telling first. None if nobody waits.
std::vector<std::string> findings(const std::vector<RankState>& states);

struct ReportOptions {
  bool with_stacks = true;
  bool shows_gone = true;      ///< a line also for ranks that have left
  std::size_t most_ranks = 0;  ///< lines for no more than these; 0: for all
};

/// One line without the indent: "rank 0 (node 0) waits for ..."
std::string describe_rank(const std::vector<RankState>& states, const RankState& state);

/// The whole of it, in lines.
std::string hang_report(const std::vector<RankState>& states, const ReportOptions& options);

}  // namespace aqueduct::observe
