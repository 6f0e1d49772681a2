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
  for (const std::unique_ptr<Block>& block : blocks_) {
    if (!block) continue;
    for (const PeerCredits& peer : *block) {
      sums.outstanding += peer.outstanding;
      sums.owed += peer.owed;
    }
  }
  return sums;
}

void RequestCredits::list_unanswered(ProbeList& peers) {
  RankId peer = first_listed_;
  for (RankId left = ranks_; left != 0 && !peers.is_full();) {
    if (outstanding(peer) != 0) peers.add(peer);
    const RankId rest_of_block = std::min(kBlock - peer % kBlock, ranks_ - peer);
    const RankId step = blocks_[peer / kBlock] ? 1 : std::min(left, rest_of_block);
    left -= step;
    peer = (peer + step) % ranks_;
  }
  first_listed_ = peer;
}

}  // namespace aqueduct::parts
