// What PortalsConduit waits for (parts/pending_replies.hpp).
#include "papers/conduit/portals/portals_conduit.hpp"

namespace aqueduct::conduit::portals {

// There may be more such peers than can be probed at once. Each look begins at another peer, so that all get
// their turn.
void PortalsConduit::Pending::list_unanswered(parts::ProbeList& peers) {
  const std::uint32_t look = looks_.fetch_add(1, std::memory_order_relaxed);
  const auto add_requests = [&] {
    if (conduit_.messages_) conduit_.messages_->list_unanswered(peers, look);
  };
  const auto add_operations = [&] {
    Operations& operations = conduit_.operations_;
    const std::size_t in_use = operations.in_use();
    std::size_t skip = in_use == 0 ? 0 : std::size_t{look} * 31 % in_use;
    const auto visit = [&](RankId peer_plus_one) {
      if (skip != 0) {
        --skip;
      } else if (peer_plus_one != 0) {
        peers.add(peer_plus_one - 1);
      }
    };
    operations.for_each_awaited_peer(visit);
    skip = 0;
    operations.for_each_awaited_peer(visit);
  };
  const auto add_others = [&] {
    if (conduit_.passed_) conduit_.passed_->am.list_unanswered(peers);
    if (conduit_.remote_) conduit_.remote_->list_unanswered(peers);
  };
  if (look % 3 == 0) add_requests();
  if (look % 3 == 1) add_others();
  add_operations();
  add_requests();
  add_others();
}

std::string PortalsConduit::Pending::missing_from(RankId peer) {
  unsigned transfers = 0;
  conduit_.operations_.for_each_awaited_peer([&](RankId awaited) { transfers += awaited == peer + 1; });
  std::string missing =
      conduit_.passed_ ? conduit_.passed_->am.missing_from(peer)
                       : parts::counted(conduit_.messages_->replies_missing_from(peer), "reply", "replies");
  missing = parts::and_also(missing,
                            parts::counted(transfers, "answer to a put or get", "answers to puts and gets"));
  return parts::and_also(missing,
                         conduit_.remote_ && conduit_.remote_->is_asked(peer) ? "a loan of memory" : "");
}

}  // namespace aqueduct::conduit::portals
