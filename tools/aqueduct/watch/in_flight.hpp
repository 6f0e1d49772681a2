// What is under way from one rank to another, by kind, as far as the counters of both tell.
//
// Messages are in flight from being sent until their handlers have returned: the one side counts the first,
// the other the second, and the difference is exact where nothing moves. Where much does, the two counts are
// of different moments. Of a neighbour the sender knows how many requests are not answered yet, so that their
// number is always right and only its parts are estimated. Nothing is in flight to or from a rank that the
// other one knows to have died.
#pragma once
#include <cstdint>
#include <vector>

#include "observe/state.hpp"

namespace aqueduct::watch {

struct InFlight {
  bool knows_messages = true;  ///< false: the other side's counters are not here; the first four do not count
  std::uint64_t shorts = 0, mediums = 0, longs = 0;  ///< requests
  std::uint64_t replies = 0;
  std::uint64_t puts = 0, gets = 0, atomics = 0;  ///< over a network

  std::uint64_t all() const { return shorts + mediums + longs + replies + puts + gets + atomics; }
};

/// From `rank`, one of the states, to one of its peers.
InFlight in_flight(const std::vector<observe::RankState>& states, const observe::RankState& rank,
                   const observe::PeerState& peer);

/// Short requests to that peer: what was received has been sent, also where it is not counted yet.
std::uint64_t short_requests(const std::vector<observe::RankState>& states, const observe::RankState& rank,
                             const observe::PeerState& peer);

}  // namespace aqueduct::watch
