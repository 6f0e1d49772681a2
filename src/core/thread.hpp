// What one client thread knows. A thread gets its record the first time it enters the library and gives it
// back when it ends; the record (with its pools) is then reused by the next thread that comes. The calling
// thread's is current_thread(), null if it has none yet.
#pragma once
#include <memory>

#include "base/context.hpp"
#include "base/wait_policy.hpp"
#include "core/encapsulation.hpp"
#include "core/held_locks.hpp"
#include "core/mailbox/own_slot.hpp"
#include "core/neighbourhood.hpp"
#include "core/prepared.hpp"
#include "core/token.hpp"
#include "core/wait_subject.hpp"
#include "observe/record.hpp"

namespace aqueduct::core {

class ProgressThread;
class Wait;

/// What the layers above keep per thread; made by the factory given to Rank.
class ThreadExtension {
 public:
  virtual ~ThreadExtension() = default;
};

struct alignas(2 * kCacheLine) Thread {
  Thread(Rank& owner, unsigned number)
      : rank(owner),
        index(number),
        prepared_request(owner, false),
        prepared_reply(owner, true),
        held_locks(owner) {}

  Rank& rank;
  unsigned index;  ///< 0 for the thread that started the library
  bool in_use = true;
  observe::PeerCounters* peers = nullptr;  ///< with(): what it counts of each peer ...
  RankId peer_mask = 0;                    ///< ... or, in a simulation, of nobody in particular
  observe::ThreadRecord* record =
      nullptr;  ///< where it says what it waits for, and counts; never null in use
  PollState polling;
  OwnSlot own;
  SpinBudget spin_budget;
  std::uint64_t audited_ns = 0;     ///< when it last looked for damage in the mailboxes
  std::uint32_t until_look = 1;     ///< how many operations may still be done at once: look_now_and_then()
  std::uint32_t idle_calls = 0;     ///< how often the client has looked for something and found nothing
  const Wait* published = nullptr;  ///< the wait that others can see
  std::uint64_t owing_seen_ns = 0;  ///< when it last looked for ranks that owe it answers
  ClientWait client_wait;           ///< what GASNET_BLOCKUNTIL is for
  RankId last_transfer = kNoRank;   ///< the target of its last put, get or atomic
  bool has_told_of_hang = false;    ///< of that wait
  observe::Retry lacks = observe::Retry::kNetwork;  ///< what the last post lacked that answered kRetry
  Token* handling = nullptr;                        ///< the message whose handler now runs on this thread
  Prepared prepared_request;
  Prepared prepared_reply;
  HeldLocks held_locks;
  PackingRoom packing_room;
  std::unique_ptr<ThreadExtension> extension;
  const ProgressThread* stand_in = nullptr;  ///< what may use this record while its thread is away

  /// Counts the Short requests to a neighbour, which the mailboxes have counted already: sending one takes so
  /// little time that to count it once more would be felt. By this thread, when it takes answers, and when it
  /// waits.
  void count_short_requests(RankId peer) const {
    const RankId local = local_rank(polling, peer);
    if (peer_mask == 0 || local >= polling.reach) return;
    observe::PeerCounters& counters = with(peer);
    counters.short_requests.set(polling.outboxes[local].sent() - counters.medium_requests.get() -
                                counters.long_requests.get());
  }

  /// A send to `peer` must wait, or is refused, because of what it lacks.
  [[gnu::cold]] void count_retry(RankId peer) const { count_retry(peer, lacks); }
  [[gnu::cold]] void count_retry(RankId peer, observe::Retry why) const;
  /// So many more parts of operations with `peer` are on their way over a network; ~0: one less.
  void count_in_flight(RankId peer, observe::TransferKind what, std::uint64_t more) const {
    observe::PeerCounters& counters = with(peer);
    observe::Counter& count = what == observe::TransferKind::kPut   ? counters.puts_in_flight
                              : what == observe::TransferKind::kGet ? counters.gets_in_flight
                                                                    : counters.atomics_in_flight;
    count.add(more);
  }

  /// The counters of what this thread exchanges with `peer`.
  [[gnu::always_inline]] observe::PeerCounters& with(RankId peer) const { return peers[peer & peer_mask]; }
};

inline Thread* current_thread() { return static_cast<Thread*>(current_context.thread); }

}  // namespace aqueduct::core
