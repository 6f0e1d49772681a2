// Whose answers are missing (parts/pending_replies.hpp): a reply to a request, an acknowledgement or reply of
// Portals, memory that we have asked for; and in stage hybrid what message passing waits for.
#include "papers/conduit/portals/portals_conduit.hpp"

namespace aqueduct::conduit::portals {

// There may be more such peers than can be probed at once. Each look begins elsewhere, so that all have their
// turn.
void PortalsConduit::list_unanswered(parts::PeerWatch::ProbeList& peers) {
  const std::uint32_t look = looks_.fetch_add(1, std::memory_order_relaxed);
  const auto add = [&](RankId peer_plus_one) {
    if (peer_plus_one != 0) peers.add(peer_plus_one - 1);
  };
  const auto add_chunks = [&] {
    const std::size_t chunks = chunk_peer_.size();
    const std::size_t first = std::size_t{look} * 31 % chunks;
    for (std::size_t i = 0; i < chunks; ++i) {
      add(chunk_peer_[(first + i) % chunks].load(std::memory_order_relaxed));
    }
  };
  const auto add_parts = [&] {
    const std::size_t parts = parts_.in_use();
    std::size_t skip = parts == 0 ? 0 : std::size_t{look} * 31 % parts;
    const auto visit = [&](Part& part) {
      if (skip != 0) {
        --skip;
      } else {
        add(std::atomic_ref(part.awaited_peer).load(std::memory_order_relaxed));
      }
    };
    parts_.for_each(visit);
    skip = 0;
    parts_.for_each(visit);
  };
  const auto add_others = [&] {
    if (passed_am_) passed_am_->list_unanswered(peers);
    if (remote_) remote_->list_unanswered(peers);
  };
  if (look % 3 == 0) add_chunks();
  if (look % 3 == 1) add_others();
  add_parts();
  add_chunks();
  add_others();
}

std::string PortalsConduit::missing_from(RankId peer) {
  unsigned replies = 0, transfers = 0;
  for (const std::atomic<RankId>& chunk_peer : chunk_peer_) {
    if (chunk_peer.load(std::memory_order_relaxed) == peer + 1) ++replies;
  }
  parts_.for_each([&](Part& part) {
    if (std::atomic_ref(part.awaited_peer).load(std::memory_order_relaxed) == peer + 1) ++transfers;
  });
  std::string missing =
      passed_am_ ? passed_am_->missing_from(peer) : parts::counted(replies, "reply", "replies");
  missing = parts::and_also(missing,
                            parts::counted(transfers, "answer to a put or get", "answers to puts and gets"));
  return parts::and_also(missing, remote_ && remote_->is_asked(peer) ? "a loan of memory" : "");
}

}  // namespace aqueduct::conduit::portals
