#include "watch/in_flight.hpp"

#include <algorithm>

namespace aqueduct::watch {
namespace {

using observe::difference;
using observe::PeerCounts;
using observe::PeerState;
using observe::ProcessState;
using observe::RankState;
using observe::requests_of;
using observe::short_received_of;

const RankState* find_rank(const std::vector<RankState>& states, RankId rank) {
  // Mostly they are all there, in their order.
  if (rank < states.size() && states[rank].rank == rank) return &states[rank];
  const auto found =
      std::find_if(states.begin(), states.end(), [&](const auto& s) { return s.rank == rank; });
  return found == states.end() ? nullptr : &*found;
}

/// What `rank` has counted of `peer`; null if nobody knows.
const PeerCounts* counts_of(const std::vector<RankState>& states, RankId rank, RankId peer) {
  static constexpr PeerCounts kNothing{};
  const RankState* const state = find_rank(states, rank);
  if (!state || state->process == ProcessState::kSilent || state->process == ProcessState::kNotStarted)
    return nullptr;
  const auto found = std::lower_bound(state->peers.begin(), state->peers.end(), peer,
                                      [](const PeerState& p, RankId r) { return p.peer < r; });
  return found == state->peers.end() || found->peer != peer ? &kNothing : &found->counts;
}

/// A count that goes up and down, and may be seen below zero.
std::uint64_t at_least_zero(std::uint64_t count) { return count >> 63 != 0 ? 0 : count; }

/// Makes the three add up to `sum`: what is too much is cut, and what is missing is of the kind that is sent
/// most.
void adjust(InFlight& flight, const PeerCounts& sent, std::uint64_t sum) {
  flight.longs = std::min(flight.longs, sum);
  flight.mediums = std::min(flight.mediums, sum - flight.longs);
  flight.shorts = std::min(flight.shorts, sum - flight.longs - flight.mediums);
  const std::uint64_t rest = sum - flight.longs - flight.mediums - flight.shorts;
  const std::uint64_t most = std::max({sent.short_requests, sent.medium_requests, sent.long_requests});
  (most == sent.short_requests    ? flight.shorts
   : most == sent.medium_requests ? flight.mediums
                                  : flight.longs) += rest;
}

}  // namespace

InFlight in_flight(const std::vector<RankState>& states, const RankState& rank, const PeerState& peer) {
  const PeerCounts& sent = peer.counts;
  const PeerCounts* const received = counts_of(states, peer.peer, rank.rank);
  InFlight flight;
  if (sent.has_died != 0 || (received && received->has_died != 0)) return flight;
  flight.puts = at_least_zero(sent.puts_in_flight);
  flight.gets = at_least_zero(sent.gets_in_flight);
  flight.atomics = at_least_zero(sent.atomics_in_flight);
  flight.knows_messages = received != nullptr;
  if (!received) return flight;
  flight.shorts = difference(sent.short_requests, short_received_of(*received));
  flight.mediums = difference(sent.medium_requests, received->medium_received);
  flight.longs = difference(sent.long_requests, received->long_received);
  flight.replies = difference(sent.replies, received->replies_received);
  if (sent.is_neighbour != 0)
    adjust(flight, sent, difference(requests_of(sent), sent.settled + sent.replies_received));
  return flight;
}

std::uint64_t short_requests(const std::vector<RankState>& states, const RankState& rank,
                             const PeerState& peer) {
  const PeerCounts* const received = counts_of(states, peer.peer, rank.rank);
  return std::max(peer.counts.short_requests, received ? short_received_of(*received) : 0);
}

}  // namespace aqueduct::watch
