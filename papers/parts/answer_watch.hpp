// Notices peers that may never answer (papers/parts/peer_watch.hpp), on any network whose interfaces answer
// something by themselves, whatever their programs do: that is a probe. If answers of a peer are missing and
// its interface is silent for as long as the timeout, the job ends with one line that says who it is and what
// is missing (base/silence.hpp).
//
// AQUEDUCT_PEER_TIMEOUT sets the timeout in seconds: 600 unless it is set, because a debugger may have
// stopped a peer; 1 in a simulation, where none does; 0 waits for ever.
//
// Threads: any, after construction. PendingReplies and the functions of a network are called without a lock.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>

#include "base/clock.hpp"
#include "papers/parts/peer_watch.hpp"
#include "parts/pending_replies.hpp"
#include "world/world.hpp"

namespace aqueduct::parts {

class AnswerWatch : private PeerWatch::Client {
 public:
  /// `name` begins its lines.
  AnswerWatch(const char* name, PendingReplies& pending, world::World& world);
  AnswerWatch(const AnswerWatch&) = delete;

  /// A poll has come to nothing, or has brought so many messages or events.
  void found(unsigned events) { events == 0 ? found_nothing() : found_some(events); }
  /// A probe has been answered.
  void answered(std::uint32_t name) { watch_.answered(name); }

 protected:
  virtual ~AnswerWatch() = default;

  /// Sends a probe; again, if it was not answered for a while.
  void probe(RankId peer, std::uint32_t name) override = 0;
  /// Calls answered() for what has come, where nobody else does.
  virtual void take_answers() {}

  std::string missing_in_words(RankId peer);

 private:
  void list_unanswered(ProbeList& peers) override {
    pending_.settle();
    pending_.list_unanswered(peers);
  }
  void gave_up(RankId peer, std::uint64_t waited_ns) override;
  void found_nothing();
  void found_some(unsigned events) {
    taken_.store(taken_.load(std::memory_order_relaxed) + events, std::memory_order_relaxed);
  }

  PendingReplies& pending_;
  const char* name_;
  Clock& clock_;
  world::World& world_;
  PeerWatch watch_;
  std::atomic<std::uint32_t> fruitless_{0};  // polls, roughly
  std::atomic<std::uint32_t> taken_{0};      // messages or events, roughly
  std::uint32_t taken_at_look_ = ~0u;        // in a simulation, as what follows
  bool alarm_is_set_ = false;
};

}  // namespace aqueduct::parts
