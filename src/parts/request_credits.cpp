#include "parts/request_credits.hpp"

#include <algorithm>

namespace aqueduct::parts {

unsigned RequestCredits::take_due(RankId* peer) {
  *peer = due_peers_[taken_++];
  if (2 * taken_ >= due_peers_.size()) {
    due_peers_.erase(due_peers_.begin(), due_peers_.begin() + static_cast<std::ptrdiff_t>(taken_));
    taken_ = 0;
  }
  PeerCredits& credits = at(*peer);
  credits.is_due = false;
  return credits.owed < due_ ? 0 : take_owed(*peer);
}

RequestCredits::Sums RequestCredits::sums() const {
  Sums sums;
  peers_.for_each([&](const PeerCredits& peer) {
    sums.outstanding += peer.outstanding;
    sums.owed += peer.owed;
  });
  return sums;
}

void RequestCredits::list_unanswered(ProbeList& peers) {
  std::vector<RankId> owing =
      peers_.peers_with([](const PeerCredits& credits) { return credits.outstanding != 0; });
  std::rotate(owing.begin(), std::ranges::lower_bound(owing, first_listed_), owing.end());
  for (const RankId peer : owing) {
    if (peers.is_full()) return;
    peers.add(peer);
    if (peers.is_full()) first_listed_ = (peer + 1) % ranks_;
  }
}

}  // namespace aqueduct::parts
