// The counters of a job as text: a line for each rank, or for each peer of one rank. 80 columns.
#pragma once
#include <string>
#include <vector>

#include "observe/state.hpp"

namespace aqueduct::watch {

/// What a rank has done with all its peers.
observe::PeerCounts sum_of(const std::vector<observe::RankState>& states, const observe::RankState& state);

/// Since the ranks have started, or, with `before` and the seconds between the two, in each second. At most
/// so many lines of ranks; 0: all.
std::string rank_table(const std::vector<observe::RankState>& now,
                       const std::vector<observe::RankState>* before, double seconds, std::size_t most_ranks);

/// The peers of one of these ranks, since it has started.
std::string peer_table(const std::vector<observe::RankState>& states, const observe::RankState& state);

}  // namespace aqueduct::watch
