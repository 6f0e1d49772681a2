// The neighbourhood: the ranks of this host, and the memory that they share.
//
// Neighbours are numbered by their local ranks; that is how all of this is indexed and what it is sized by.
// Callers name ranks of the job. It lies in memory that neighbours share (world/shared_memory.hpp), sparse,
// so that only what is used costs memory:
//
//   doorbells and lane counts | boards (for Extended) | mailboxes [reader][writer][lane] | segments
//
// Lanes. Each thread of a rank writes to its own lane of mailboxes and so needs no lock to send; threads
// beyond kLanes-1 share the last lane under a lock. On the reading side any thread may read any lane; in a
// threaded rank a message is taken under a try-lock of its mailbox that is given back before the handler
// runs. A thread polls the lane of its own number and, now and then, the lanes that no other thread attends
// to: counterpart threads of two ranks meet on their own cache lines, and no lane starves. With one thread
// (SEQ) there is one lane and no lock.
//
// A request goes to the express mailbox if nothing at all is outstanding in its lane to that neighbour, else
// to the queue.
#pragma once
#include <array>
#include <atomic>
#include <bit>
#include <memory>
#include <utility>
#include <vector>

#include "base/doorbell.hpp"
#include "base/spin_lock.hpp"
#include "base/zeroed_array.hpp"
#include "core/mailbox/bias.hpp"
#include "core/mailbox/mailbox.hpp"
#include "core/mailbox/poll_backoff.hpp"
#include "observe/record.hpp"
#include "world/world.hpp"

namespace aqueduct::core {

using am::Scope;

inline constexpr unsigned kLanes = 16;
/// A poll runs at most this many handlers of one stream before it returns to its caller: a client whose
/// handlers start work that goes on after them must have the chance to do some of it.
inline constexpr unsigned kTakenAtOnce = 16;
/// Short polls that find nothing, between two full polls.
inline constexpr std::uint32_t kLooksBetweenPolls = 64;
inline constexpr std::uint32_t kCensusInterval = 64;  // polls between two looks at who attends to which lane
inline constexpr std::size_t kBoardBytes = 128 * kCacheLine;
/// Beside the board of all ranks, each rank has a few of its own.
inline constexpr unsigned kRankBoardPlaces = 16;
inline constexpr std::size_t kRankBoardBytes = 68 * kPage;

using ExpressMemory = MailboxMemory<1>;
using QueueMemory = MailboxMemory<64>;

/// What a lane of one rank and a neighbour share.
struct Mailboxes {
  ExpressMemory express;
  QueueMemory queue;
};

/// Where a lane of this rank writes to one neighbour.
struct alignas(kCacheLine) Outbox {
  MailboxSender<ExpressMemory> express;
  MailboxSender<QueueMemory> queue;
  SpinLock settling;
  PollBackoff backoff;           // of looking for the express answer
  Doorbell* doorbell = nullptr;  // of that neighbour
  bool leads_home = false;       // it is this rank itself
  bool is_plain = false;         // open, and to somebody else: for the fast paths
  RankId target = 0;             // who reads there

  void open(Mailboxes* memory, RankId to, Doorbell* bell, bool home) {
    target = to;
    express.open(&memory->express, nullptr);
    queue.open(&memory->queue, &memory->express.spare);
    doorbell = bell;
    leads_home = home;
    is_plain = !home;
  }
  /// True if no request is outstanding.
  bool is_idle() const { return !queue.outstanding() && !express.outstanding(); }
  std::uint64_t under_way() const { return queue.under_way() + express.under_way(); }
  /// Requests that were ever written here.
  std::uint64_t sent() const { return queue.sent() + express.sent(); }
};

/// Where this rank reads what a lane of one neighbour writes.
struct alignas(kCacheLine) Inbox {
  MailboxReceiver<ExpressMemory> express;
  MailboxReceiver<QueueMemory> queue;
  SpinLock taking;
  PollBackoff backoff;  // of looking for an express request
  RankId source = 0;    // who writes there

  void open(Mailboxes* memory, RankId from) {
    source = from;
    express.open(&memory->express, nullptr);
    queue.open(&memory->queue, &memory->express.spare);
  }
};

/// Neighbourhoods of up to this many are opened and read as a whole. In larger ones a rank with one thread
/// maps the mailboxes of a neighbour when it first writes to it, and readers look at those only who have
/// written.
inline constexpr RankId kAllOpen = 16;

/// Where the next requests of a neighbour will be, and what makes them requests.
struct RequestWatch {
  const std::atomic<std::uint64_t>* express;
  const std::atomic<std::uint64_t>* queue;
  std::uint8_t express_lap, queue_lap;
};

/// What a thread remembers about sending and polling.
struct PollState {
  Outbox* outboxes = nullptr;                  // of this thread's lane, indexed by local rank
  const std::uint16_t* local_ranks = nullptr;  // plus one, by rank; null if neighbours are consecutive ...
  RankId first = 0;                            // ... from this one on
  RankId ranks = 0;                            // of the job
  std::unique_ptr<RequestWatch[]> watched;     // of the first thread: for is_quiet()
  RankId peers = 0;                            // how many those are
  const std::atomic<bool>* others_came =
      nullptr;           // this thread is not alone, or a neighbour uses several lanes
  bool watches = false;  // no answer is awaited, and the watched lines are where the next requests will be
  std::uint32_t looks = 0;
  std::uint32_t in_vain = 0;  // full polls in a row
  RankId reach = 0;           // local ranks below this are for the fast paths: none if other threads use
                              // them too, or if messages are traced
  unsigned index = 0;         // of the thread
  unsigned lane = 0;
  bool lane_is_shared = false;
  std::uint8_t network_every = 1;  // polls of neighbours for one of the network: more while they talk to us
  std::uint8_t network_next = 1;   // polls until then
  bool expects_soon = false;  // a pause is not wanted: a line is about to be written, or a network was polled
  bool requests_next = false;  // where a thread alone goes on: at next_peer's answers or at its requests
  RankId next_peer = 0;
  std::uint32_t polls_to_census = 1;
  std::uint32_t adopted = 0;  // lanes without a thread of their own, as a set
  std::uint32_t busy = 0;     // of these, the ones where something was found lately
  std::uint32_t busy_since_census = 0;
  std::uint32_t turn = 0;
  std::array<std::uint32_t, kLanes> attendance_seen{};
};

/// The local rank of a neighbour; of others, and of what is no rank, a number that is larger than any.
[[gnu::always_inline]] inline RankId local_rank(const PollState& state, RankId rank) {
  if (state.local_ranks) [[unlikely]]
    return rank < state.ranks ? RankId{state.local_ranks[rank]} - 1 : kNoRank;
  return rank - state.first;
}

/// The short way of polls in vain: true if a poll would find nothing, as far as a look at the two lines where
/// the next requests of each neighbour will be tells (watch_requests()). Looks only. False where there is
/// something or may be, and now and then for good measure: a full poll sees what this does not, that
/// neighbours have begun to use more lanes.
[[gnu::always_inline]] inline bool is_quiet(PollState& state) {
  if (!state.watches || ++state.looks % kLooksBetweenPolls == 0) return false;
  if (state.others_came->load(std::memory_order_relaxed)) return false;
  const RequestWatch* const end = state.watched.get() + state.peers;
  for (const RequestWatch* watch = state.watched.get(); watch != end; ++watch) {
    if (Header{watch->express->load(std::memory_order_relaxed)}.is_request_of(watch->express_lap) ||
        Header{watch->queue->load(std::memory_order_relaxed)}.is_request_of(watch->queue_lap)) {
      return false;
    }
  }
  return true;
}

class Neighbourhood {
 public:
  /// Maps the shared memory of `rank`'s part of `layout`, as far as this rank uses it. `segment_span` is the
  /// room reserved for each rank's segment and must be the same on all.
  Neighbourhood(world::World& world, const job::Layout& layout, RankId rank, std::size_t segment_span,
                bool threaded);
  ~Neighbourhood();
  Neighbourhood(const Neighbourhood&) = delete;
  Neighbourhood& operator=(const Neighbourhood&) = delete;

  RankId size() const { return size_; }
  bool contains(RankId rank) const { return local_rank_of(rank) < size_; }
  /// The rank of the neighbour with that local rank.
  RankId rank_at(RankId local) const { return ranks_.empty() ? first_ + local : ranks_[local]; }

  /// Where the threads of `rank`, a neighbour, sleep.
  Doorbell& doorbell(RankId rank) const { return *bells_[local_rank_of(rank)]; }
  /// From now on the threads of neighbours sleep where a network rings, too: at `bell_of(rank)`. Before
  /// anything is sent.
  template <class BellOf>
  void move_doorbells(const BellOf& bell_of) {
    for (RankId local = 0; local < size_; ++local) bells_[local] = bell_of(rank_at(local));
    for (auto& lane : outboxes_) {
      for (RankId local = 0; local < lane.size(); ++local) lane[local].doorbell = bells_[local];
    }
  }
  void wake_all_others() const;
  /// Zero-initialised shared memory for Extended, kBoardBytes of it.
  std::byte* board() const { return board_; }
  /// The same, kRankBoardBytes, for each neighbour and each of kRankBoardPlaces.
  std::byte* rank_board(RankId rank, unsigned place) const {
    return rank_boards_ + (std::size_t{local_rank_of(rank)} * kRankBoardPlaces + place) * kRankBoardBytes;
  }

  /// Maps `bytes` of the room that `rank` has for segments, from `offset` on, into this process. Null if the
  /// address space or memory does not allow it.
  void* map_segment(RankId rank, std::size_t bytes, std::size_t offset = 0) const;
  void unmap_segment(void* mapped, std::size_t bytes) const { memory_->unmap(mapped, bytes); }
  /// Gives the memory there back to the system.
  void drop_segment(RankId rank, std::size_t bytes, std::size_t offset) const;

  /// Ends the job with a line that names the neighbour if a mailbox that this rank waits at holds what can
  /// never be taken. What can be taken is checked by whoever takes it. Slow; for a rank that has waited for
  /// long.
  void audit() const;

  /// Adds the neighbours that have not answered requests of this rank. A hint from any thread.
  void list_unanswered(observe::WaitRecord& record) const;

  /// Where in the neighbourhood's place of the shared memory the mailboxes of a lane lie.
  static std::size_t mailboxes_offset(RankId size, RankId reader, RankId writer, unsigned lane,
                                      unsigned lanes = kLanes);
  /// How much memory neighbours share if they are `size`.
  static std::size_t bytes_for(RankId size, std::size_t segment_span, unsigned lanes) {
    return mailboxes_offset(size, size, 0, 0, lanes) + std::size_t{size} * segment_span;
  }

  /// A thread with number `index` has come: gives it a lane to write to, and ends the first one's privilege.
  void introduce(unsigned index, PollState* state);

  /// A request in two steps: the slot that this thread's next request to a neighbour will go to, and which of
  /// the two mailboxes it is in. It is this thread's until it sends something else there. Only within its
  /// reach.
  struct Reservation {
    Slot slot;
    bool express = false;
  };
  /// A full poll of this thread, which may be alone, has found nothing: sees to it that the next ones can be
  /// short, if this was not the first.
  void watch_requests(PollState& state);

  /// Sends a request from this thread's lane; false if there is no room now.
  bool send(PollState& state, RankId to, const Message& request, std::intptr_t shift);
  /// For a medium payload of up to `bytes`; false if there is no room now.
  bool reserve(const PollState& state, RankId to, std::size_t bytes, Reservation* reservation) {
    const RankId local = local_rank(state, to);
    if (!outboxes_[0][local].is_plain) [[unlikely]]
      open_outbox(local);
    const Outbox& outbox = state.outboxes[local];
    reservation->express = outbox.is_idle();
    if (!reservation->express && outbox.queue.full_for(bytes)) return false;
    reservation->slot = reservation->express ? outbox.express.next_slot() : outbox.queue.next_slot();
    return true;
  }
  /// Sends what was filled into the reserved slot.
  static void send_reserved(PollState& state, RankId to, const Reservation& reservation, Header header) {
    Outbox& outbox = state.outboxes[local_rank(state, to)];
    state.watches = false;
    if (reservation.express) {
      outbox.express.publish_next(header);
      if (outbox.backoff.handed_over()) [[unlikely]]
        outbox.backoff.turn();
    } else {
      outbox.queue.publish_next(header);
    }
    outbox.doorbell->ring_if_needed();
  }

  /// Runs the handlers of what has arrived, and returns how many messages that was:
  /// `run.request(source, slot, header, answers)` must also answer, if it is said to do so even where there
  /// is no reply, and says whether there was one; `run.reply(source, slot, header)`; `run.settled(source,
  /// many)`: requests of ours have been answered without a reply. In a threaded rank: as with one thread
  /// while there is only one, else its own lane.
  template <class Run>
  unsigned poll_as_one_of_many(PollState& state, Scope scope, const Run& run) {
    unsigned found = 0;
    if (state.index == 0 && bias_.run_alone([&] { found = poll_only_lane(state, scope, run); })) return found;
    if (state.index != 0) bias_.wait_until_lost();
    return poll_own_lane(state, scope, run);
  }

  /// In a threaded rank: this thread's lane, and now and then the others.
  template <class Run>
  unsigned poll_own_lane(PollState& state, Scope scope, const Run& run) {
    attend(state.lane);
    unsigned found = 0;
    unsigned most_lanes = lanes_used(local_);
    for (RankId peer = 0; peer < size_; ++peer) {
      if (peer == local_) continue;
      found += read_answers<true>(state, state.outboxes[peer], peer, run);
      const unsigned used = lanes_used(peer);
      if (used > most_lanes) most_lanes = used;
      if (scope == Scope::kAll && used != 0 && has_written(peer)) {
        found += read_requests<true>(
            state, inboxes_[state.lane < used ? state.lane : state.lane % used][peer], peer, run);
      }
    }
    if (most_lanes > 1) {
      if (--state.polls_to_census == 0) adopt_lanes(state);
      if (state.adopted != 0) found += read_adopted(state, scope, run);
    }
    return found;
  }

  /// In a rank with one thread: the neighbours in turn, each in one lane unless it has more threads than we.
  /// Returns as soon as something was found: the client may have waited for just that, and what else there
  /// may be is looked at while it waits for the next. The turn goes on where it stopped, so nobody starves.
  template <class Run>
  [[gnu::always_inline]] unsigned poll_only_lane(PollState& state, Scope scope, const Run& run) {
    if (scope == Scope::kReplies) {
      unsigned found = 0;
      for (RankId peer = 0; peer < size_; ++peer) {
        if (peer != local_) found += read_answers<false>(state, outboxes_[0][peer], peer, run);
      }
      return found;
    }
    RankId peer = state.next_peer;
    if (peer == local_) [[unlikely]] {
      if (size_ == 1) return 0;
      peer = state.next_peer = after(peer);
    }
    if (state.requests_next) {
      state.requests_next = false;
      if (const unsigned found = read_requests_of(state, peer, run)) {
        state.next_peer = after(peer);
        return found;
      }
      peer = after(peer);
    }
    for (RankId looked = 1; looked < size_; ++looked) {
      if (const unsigned found = read_answers<false>(state, outboxes_[0][peer], peer, run)) {
        state.next_peer = peer;
        state.requests_next = true;
        return found;
      }
      const RankId next = after(peer);
      if (const unsigned found = read_requests_of(state, peer, run)) {
        state.next_peer = next;
        return found;
      }
      peer = next;
    }
    return 0;
  }

  /// The same over every lane of every neighbour: the last look before a thread sleeps, and the first after.
  template <bool kThreaded, class Run>
  unsigned poll_all_lanes(PollState& state, Scope scope, const Run& run) {
    if constexpr (kThreaded) {
      if (state.index != 0) bias_.wait_until_lost();
    }
    unsigned found = 0;
    const unsigned mine = kThreaded ? lanes_used(local_) : 1;
    for (unsigned lane = 0; lane < mine; ++lane) {
      for (RankId peer = 0; peer < size_; ++peer) {
        if (peer != local_) found += read_answers<kThreaded>(state, outboxes_[lane][peer], peer, run);
      }
    }
    if (scope == Scope::kReplies) return found;
    for (RankId peer = 0; peer < size_; ++peer) {
      if (peer == local_ || !has_written(peer)) continue;
      const unsigned used = lanes_used(peer);
      if (used > open_lanes_) [[unlikely]]
        open_lanes(used);
      for (unsigned lane = 0; lane < used; ++lane)
        found += read_requests<kThreaded>(state, inboxes_[lane][peer], peer, run);
    }
    return found;
  }

 private:
  struct alignas(kCacheLine) Member {
    Doorbell doorbell;
    alignas(kCacheLine) std::atomic<std::uint32_t> lanes_used;  // how many lanes this rank writes to
  };
  struct alignas(kCacheLine) Attendance {
    std::atomic<std::uint32_t> polls{0};
  };

  /// False if a neighbour has never written to this rank: of a large neighbourhood most have not, and to look
  /// at their mailboxes would cost a page for each.
  bool has_written(RankId peer) const {
    return size_ <= kAllOpen || (writers_[peer / 64].load(std::memory_order_relaxed) >> peer % 64 & 1) != 0;
  }
  /// Maps what this rank writes to a neighbour, and lets that one know that it must read it.
  [[gnu::cold]] void open_outbox(RankId peer);
  /// Prepares to read lanes below `used`: of those beyond the first a rank with one thread may never see one.
  [[gnu::cold]] void open_lanes(unsigned used);

  /// Makes the tables of local ranks, where they are needed.
  void number_neighbours(const job::Layout& layout);
  /// Maps a part of what neighbours share, for as long as this object lives.
  std::byte* map(std::size_t offset, std::size_t bytes, const char* what);
  unsigned lanes_used(RankId local) const {
    const unsigned used = members_[local].lanes_used.load(std::memory_order_relaxed);
    if (used > kLanes) [[unlikely]]
      refuse(rank_at(local), "the number of lanes that it uses");
    return used;
  }
  /// Ends the job: `what` is written by `writer` alone and has a value that it cannot have written.
  [[noreturn]] static void refuse(RankId writer, const char* what);

  // Lets other threads know that somebody polls this lane. A lost count of two threads on the shared lane is
  // no matter.
  void attend(unsigned lane) {
    std::atomic<std::uint32_t>& polls = attendance_[lane].polls;
    polls.store(polls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  // The next in turn, not this rank: what it sends to itself does not come here (core/mailbox/own_slot.hpp).
  RankId after(RankId peer) const {
    RankId next = peer + 1 == size_ ? 0 : peer + 1;
    if (next == local_) next = next + 1 == size_ ? 0 : next + 1;
    return next;
  }

  template <class Run>
  [[gnu::always_inline]] unsigned read_requests_of(PollState& state, RankId peer, const Run& run) {
    if (!has_written(peer)) [[unlikely]]
      return 0;
    unsigned found = read_requests<false>(state, inboxes_[0][peer], peer, run);
    if (members_[peer].lanes_used.load(std::memory_order_relaxed) <= 1) [[likely]]
      return found;
    const unsigned used = lanes_used(peer);
    if (used > open_lanes_) [[unlikely]]
      open_lanes(used);
    for (unsigned lane = 1; lane < used; ++lane)
      found += read_requests<false>(state, inboxes_[lane][peer], peer, run);
    return found;
  }

  template <bool kThreaded, class Run>
  [[gnu::always_inline]] unsigned read_requests(PollState& state, Inbox& inbox, RankId peer, const Run& run) {
    unsigned found = 0;
    Header header;
    if (inbox.backoff.too_early()) {
      state.expects_soon = true;
    } else {
      const std::uint64_t position = inbox.express.next();
      if (inbox.express.peek_at(position, &header)) {
        if constexpr (kThreaded) {
          found += take<kThreaded>(inbox.express, inbox.taking, header, 1, peer, run);
        } else {
          run.request(inbox.source, inbox.express.take_at(position), header, true);
          run.received(inbox.source, 1);
          found = 1;
        }
        if (inbox.backoff.handed_over()) [[unlikely]]
          inbox.backoff.turn();
      } else {
        inbox.backoff.looked_in_vain();
      }
    }
    if (inbox.queue.peek(&header)) {
      found += take<kThreaded>(inbox.queue, inbox.taking, header, kTakenAtOnce, peer, run);
    }
    return found;
  }

  // Takes the request whose header was just seen, and those after it, up to `most`.
  template <bool kThreaded, class Receiver, class Run>
  [[gnu::noinline]] unsigned take(Receiver& receiver, SpinLock& lock, Header header, unsigned most,
                                  RankId peer, const Run& run) {
    const RankId source = rank_at(peer);
    unsigned found = 0;
    do {
      if constexpr (kThreaded) {
        // The hint may be stale: look again under the lock, and leave the mailbox to whoever holds it.
        if (!lock.try_lock()) break;
        const bool still_there = receiver.peek(&header);
        const Slot slot = still_there ? receiver.take() : Slot{};
        if (still_there) receiver.note_answered();
        lock.unlock();
        if (!still_there) break;
        run.request(source, slot, header, true);
      } else if (receiver.note_handled(run.request(source, receiver.take(), header, false))) {
        tell_handled(receiver, peer);
      }
      ++found;
    } while (found < most && receiver.peek(&header));
    run.received(source, found);
    if (!kThreaded && receiver.ack_is_due()) tell_handled(receiver, peer);
    return found;
  }

  template <class Receiver>
  void tell_handled(Receiver& receiver, RankId peer) {
    receiver.store_ack();
    bells_[peer]->ring_if_needed();
  }

  template <bool kThreaded, class Run>
  [[gnu::always_inline]] unsigned read_answers(PollState& state, Outbox& outbox, RankId peer,
                                               const Run& run) {
    unsigned found = 0;
    Header header;
    std::uint64_t position;
    if (outbox.express.awaits(&position)) {
      if (outbox.backoff.too_early()) {
        state.expects_soon = true;
      } else if (outbox.express.peek_answer_at(position, &header)) {
        if constexpr (kThreaded) {
          found = settle<kThreaded>(outbox.express, outbox.settling, header, peer, run);
        } else {
          outbox.express.claim_at(position);
          if (header.state() != SlotState::kDone) {
            run.reply(outbox.target, outbox.express.slot(position), header);
          } else {
            run.settled(outbox.target, 1);
          }
          outbox.express.finish(position);
          return 1;
        }
      } else {
        outbox.backoff.looked_in_vain();
      }
    }
    if (outbox.queue.peek_answer(&header))
      found += settle<kThreaded>(outbox.queue, outbox.settling, header, peer, run);
    return found;
  }

  unsigned settled(unsigned count, RankId peer) const {
    if (count == 0) [[unlikely]]
      refuse(rank_at(peer), "the number of requests that it has handled");
    return count;
  }

  // Takes the answer whose header was just seen, and those after it, at most as many as are outstanding.
  template <bool kThreaded, class Sender, class Run>
  [[gnu::noinline]] unsigned settle(Sender& sender, SpinLock& lock, Header header, RankId peer,
                                    const Run& run) {
    unsigned found = 0;
    do {
      if constexpr (kThreaded) {
        if (!lock.try_lock()) break;
        if (!sender.peek_answer(&header)) {
          lock.unlock();
          break;
        }
        if (header.state() == SlotState::kDone) {
          const unsigned many = settled(sender.settle_done(), peer);
          lock.unlock();
          run.settled(rank_at(peer), many);
          found += many;
          continue;
        }
        const std::uint64_t position = sender.claim();
        lock.unlock();
        run.reply(rank_at(peer), sender.slot(position), header);
        lock.lock();
        sender.finish(position);
        lock.unlock();
      } else {
        if (header.state() == SlotState::kDone) {
          const unsigned many = settled(sender.settle_done(), peer);
          run.settled(rank_at(peer), many);
          found += many;
          continue;
        }
        const std::uint64_t position = sender.claim();
        run.reply(rank_at(peer), sender.slot(position), header);
        sender.finish(position);
      }
      ++found;
    } while (sender.peek_answer(&header));
    return found;
  }

  // Finds the lanes that no thread has polled since we last looked; they are ours, too, until we look again.
  // Looking takes the attendance lines away from their owners, so it is done seldom.
  void adopt_lanes(PollState& state) {
    state.polls_to_census = kCensusInterval;
    state.adopted = 0;
    state.busy = state.busy_since_census;
    state.busy_since_census = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const std::uint32_t polls = attendance_[lane].polls.load(std::memory_order_relaxed);
      if (lane != state.lane && polls == state.attendance_seen[lane]) state.adopted |= 1u << lane;
      state.attendance_seen[lane] = polls;
    }
  }

  // Of the adopted lanes, reads those that have lately carried something, and a few of the others in turn.
  template <class Run>
  unsigned read_adopted(PollState& state, Scope scope, const Run& run) {
    unsigned found = 0;
    constexpr unsigned kAtOnce = 4;
    state.turn = (state.turn + kAtOnce) % kLanes;
    const unsigned in_turn = ((1u << kAtOnce) - 1) << state.turn;
    for (unsigned rest = state.adopted & (state.busy | in_turn); rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(rest));
      if (const unsigned here = read_lane(state, lane, scope, run)) {
        found += here;
        state.busy |= 1u << lane;
        state.busy_since_census |= 1u << lane;
      }
    }
    return found;
  }

  template <class Run>
  unsigned read_lane(PollState& state, unsigned lane, Scope scope, const Run& run) {
    unsigned found = 0;
    const bool is_written = lane < lanes_used(local_);
    for (RankId peer = 0; peer < size_; ++peer) {
      if (peer == local_) continue;
      if (is_written) found += read_answers<true>(state, outboxes_[lane][peer], peer, run);
      if (scope == Scope::kAll && lane < lanes_used(peer) && has_written(peer)) {
        found += read_requests<true>(state, inboxes_[lane][peer], peer, run);
      }
    }
    return found;
  }

  /// See local_rank().
  RankId local_rank_of(RankId rank) const {
    return local_ranks_.size() != 0 ? RankId{local_ranks_[rank]} - 1 : rank - first_;
  }

  RankId rank_;   // in the job
  RankId local_;  // among neighbours, as all indices below
  RankId size_;
  RankId first_;
  unsigned lanes_;             // for which there is room: simulated ranks have one, for all of their threads
  std::vector<RankId> ranks_;  // by local rank; empty if they are consecutive
  ZeroedArray<std::uint16_t> local_ranks_;  // the other way round, plus one
  std::vector<Doorbell*> bells_;
  std::unique_ptr<world::SharedMemory> memory_;
  std::size_t segment_span_;
  std::size_t segments_offset_ = 0;
  std::vector<std::pair<void*, std::size_t>> mapped_;
  Member* members_ = nullptr;
  std::atomic<std::uint64_t>* writers_of_ = nullptr;     // for each reader, a set of those who write to it
  const std::atomic<std::uint64_t>* writers_ = nullptr;  // of this rank
  Mailboxes* read_ = nullptr;                            // what this rank reads: [writer][lane]
  unsigned open_lanes_ = 0;
  unsigned written_lanes_ = 1;
  bool threads_share_lane_ = false;  // of simulated ranks
  std::byte* board_ = nullptr;
  std::byte* rank_boards_ = nullptr;
  std::array<std::vector<Outbox>, kLanes> outboxes_;  // indexed by lane, then local rank
  std::array<std::vector<Inbox>, kLanes> inboxes_;
  std::array<Attendance, kLanes> attendance_;
  SpinLock shared_lane_lock_;
  Bias bias_;
  std::atomic<bool> others_came_{false};  // see is_quiet()
};

}  // namespace aqueduct::core
