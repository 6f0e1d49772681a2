// The counters of a job as text: a line for each rank, or for each peer of one rank. 80 columns.
#pragma once
#include <string>
#include <vector>

#include "observe/state.hpp"

namespace aqueduct::watch {

/// The sum of a rank's counters over its peers.
observe::PeerCounts sum_of(const std::vector<observe::RankState>& states, const observe::RankState& state);

/// Counts since the ranks have started, or, with `before` and the seconds between the two, per second. At
/// most `most_ranks` lines; 0: all.
std::string rank_table(const std::vector<observe::RankState>& now,
                       const std::vector<observe::RankState>* before, double seconds, std::size_t most_ranks);

/// A line for each peer of one of these ranks, with counts since it has started.
std::string peer_table(const std::vector<observe::RankState>& states, const observe::RankState& state);

}  // namespace aqueduct::watch
