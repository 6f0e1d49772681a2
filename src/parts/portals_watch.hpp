// Notices peers over Portals that may never answer (parts/peer_watch.hpp).
//
// A probe is a put of no bytes, with an acknowledgement, to a match entry that is there for nothing else: the
// peer's interface answers, whatever its program does. If answers of a peer are missing and its interface is
// silent for as long as the timeout, or out of reach, the job ends with one line that says who it is and what
// is missing.
//
// AQUEDUCT_PEER_TIMEOUT sets the timeout in seconds: 600 unless it is set, because a debugger may have
// stopped a peer; 1 in a simulation, where none does; 0 waits for ever.
//
// Threads: any, after construction. PendingReplies is called without a lock. Answers come by an event
// queue of our own, which is looked at only while a probe is under way.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>

#include "base/clock.hpp"
#include "nic/portals3/client.hpp"
#include "parts/pending_replies.hpp"
#include "world/world.hpp"

namespace aqueduct::parts {

class PortalsWatch final : private parts::PeerWatch::Client {
 public:
  /// Where probes go, on every rank: a match entry of their own behind those of the portal table's entry.
  struct Place {
    ptl_pt_index_t entry;
    ptl_match_bits_t bits;     ///< that no other message there has
    ptl_match_bits_t ignored;  ///< by the match entry
  };

  /// `name` begins its lines.
  PortalsWatch(const char* name, PendingReplies& pending, const Place& place);

  /// A poll has come to nothing, or has brought so many messages or events.
  void found(unsigned events) { events == 0 ? found_nothing() : found_some(events); }

 private:
  void list_unanswered(parts::PeerWatch::ProbeList& peers) override {
    pending_.settle();
    pending_.list_unanswered(peers);
  }
  void probe(RankId peer, std::uint32_t name) override;
  void gave_up(RankId peer, std::uint64_t waited_ns) override;
  std::string missing_in_words(RankId peer);
  void found_nothing();
  void found_some(unsigned events) {
    taken_.store(taken_.load(std::memory_order_relaxed) + events, std::memory_order_relaxed);
  }
  void take_answers();

  PendingReplies& pending_;
  Place place_;
  portals3::Client client_;
  const char* name_;
  Clock& clock_;
  world::World& world_;
  parts::PeerWatch watch_;
  ptl_handle_eq_t answers_ = PTL_EQ_NONE;
  ptl_handle_md_t source_ = PTL_INVALID_HANDLE;
  std::atomic<std::uint32_t> fruitless_{0};  // polls, roughly
  std::atomic<std::uint32_t> taken_{0};      // messages or events, roughly
  std::uint32_t taken_at_look_ = ~0u;        // in a simulation, as what follows
  bool alarm_is_set_ = false;
};

}  // namespace aqueduct::parts
