// The neighbourhood: the ranks of this host, and the memory that they share.
//
// One memfd holds all of it, sparse, so that only what is used costs memory:
//
//   exchange | doorbells and lane counts | board (for Extended) | mailboxes [reader][writer][lane][kind] | segments
//
// Lanes. Each thread of a rank writes to its own lane of mailboxes and so needs no lock to send; threads beyond kLanes-1
// share the last lane under a lock. On the reading side any thread may read any lane; in a threaded rank a mailbox is
// read under its own try-lock, and the message is taken out of the mailbox before its handler runs, so that no lock is
// held then. A thread polls the lane of its own number and, now and then, the lanes that no other thread attends to:
// counterpart threads of two ranks meet on their own cache lines, and no lane starves.
// With one thread (SEQ) there is one lane and no lock, and handlers run on the message in place.
#pragma once
#include <array>
#include <atomic>
#include <memory>
#include <vector>

#include "base/doorbell.hpp"
#include "base/spin_lock.hpp"
#include "core/mailbox.hpp"
#include "job/exchange.hpp"

namespace aqueduct::core {

using conduit::Scope;

inline constexpr unsigned kLanes = 16;
inline constexpr std::size_t kBoardBytesPerRank = 4 * kCacheLine;
inline constexpr std::size_t kBoardBytesCommon = 128 * kCacheLine;

/// Where a lane of this rank writes to one neighbour.
struct alignas(kCacheLine) Outbox {
  MailboxWriter requests;
  MailboxWriter replies;

  MailboxWriter& of(bool is_reply) { return is_reply ? replies : requests; }
};

/// What a thread remembers about sending and polling.

struct PollState {
  Outbox* outboxes = nullptr;  // of this thread's lane, indexed by rank
  unsigned lane = 0;
  bool lane_is_shared = false;
  std::uint32_t polls_to_scan = 1;
  std::uint32_t scan_interval = 32;
  std::array<std::uint32_t, kLanes> attendance_seen{};
};

class Neighbourhood {
 public:
  /// Maps the shared memory. `segment_span` is the room reserved for each rank's segment and must be the same on all.
  Neighbourhood(const job::Membership& membership, std::size_t segment_span, bool threaded);
  ~Neighbourhood();
  Neighbourhood(const Neighbourhood&) = delete;
  Neighbourhood& operator=(const Neighbourhood&) = delete;

  RankId size() const { return size_; }
  bool contains(RankId rank) const { return rank < size_; }

  job::Exchange::Area* exchange_area() const { return exchange_area_; }
  Doorbell& doorbell(RankId rank) const { return members_[rank].doorbell; }
  void wake_all_others() const;
  /// Zero-initialised shared memory for Extended: a part for each rank and a common one.
  std::byte* board(RankId rank) const { return board_ + rank * kBoardBytesPerRank; }
  std::byte* common_board() const { return board_ + size_ * kBoardBytesPerRank; }

  /// Maps `rank`'s segment of `bytes` into this process. Null if the address space or memory does not allow it.
  void* map_segment(RankId rank, std::size_t bytes) const;

  /// A thread with number `index` has come: gives it a lane to write to.
  void assign_lane(unsigned index, PollState* state);

  /// Sends from this thread's lane; false if the mailbox has no room now.
  bool send(const PollState& state, RankId to, const Message& message, std::intptr_t shift);
  /// The same for a short message of at most kArgsInShort arguments.
  bool send_short(const PollState& state, RankId to, bool is_reply, std::uint8_t handler, unsigned nargs,
                  const std::int32_t* args) {
    if (state.lane_is_shared) [[unlikely]] {
      return send(state, to, {Category::kShort, is_reply, handler, static_cast<std::uint8_t>(nargs), args}, 0);
    }
    if (!state.outboxes[to].of(is_reply).write_short(handler, nargs, args)) [[unlikely]] return false;
    members_[to].doorbell.ring_if_needed();
    return true;
  }

  /// Delivers what has arrived, and returns how many that was. `deliver(message, source)` takes any message,
  /// `deliver.plain_short(source, is_reply, handler, nargs, args)` those short ones that fit in an envelope.
  template <bool kThreaded, class Deliver>
  unsigned poll(PollState& state, Scope scope, const Deliver& deliver) {
    unsigned delivered = 0;
    if constexpr (!kThreaded) {
      delivered = poll_all_lanes<false>(scope, deliver);
    } else {
      attendance_[state.lane].polls.store(attendance_[state.lane].polls.load(std::memory_order_relaxed) + 1,
                                          std::memory_order_relaxed);
      unsigned most_lanes = 1;
      for (RankId peer = 0; peer < size_; ++peer) {
        const unsigned used = members_[peer].lanes_used.load(std::memory_order_relaxed);
        if (used > most_lanes) most_lanes = used;
        if (used == 0) continue;
        const unsigned lane = state.lane < used ? state.lane : state.lane % used;
        delivered += drain<true>(lane, peer, scope, deliver);
      }
      if (most_lanes > 1 && --state.polls_to_scan == 0) delivered += scan(state, most_lanes, scope, deliver);
    }
    return delivered;
  }

  /// The same over every lane of every neighbour: the last look before a thread sleeps, and the first after.
  template <bool kThreaded, class Deliver>
  unsigned poll_all_lanes(Scope scope, const Deliver& deliver) {
    unsigned delivered = 0;
    for (RankId peer = 0; peer < size_; ++peer) {
      const unsigned used = members_[peer].lanes_used.load(std::memory_order_acquire);
      for (unsigned lane = 0; lane < used; ++lane) delivered += drain<kThreaded>(lane, peer, scope, deliver);
    }
    return delivered;
  }

 private:
  struct alignas(kCacheLine) Member {
    Doorbell doorbell;
    alignas(kCacheLine) std::atomic<std::uint32_t> lanes_used;  // how many lanes this rank writes to
  };
  struct Mailboxes {
    MailboxMemory requests;
    MailboxMemory replies;
  };
  struct alignas(kCacheLine) Inbox {
    MailboxReader requests;
    MailboxReader replies;
    SpinLock requests_lock;
    SpinLock replies_lock;
  };
  struct alignas(kCacheLine) Attendance {
    std::atomic<std::uint32_t> polls{0};
  };
  Mailboxes* mailboxes(RankId reader, RankId writer, unsigned lane) const {
    return mailboxes_ + (std::size_t{reader} * size_ + writer) * kLanes + lane;
  }

  template <bool kThreaded, class Deliver>
  unsigned drain(unsigned lane, RankId peer, Scope scope, const Deliver& deliver) {
    Inbox& inbox = inboxes_[lane][peer];
    Header header;
    unsigned delivered = 0;
    if (inbox.replies.peek(&header)) {
      delivered += read_some<kThreaded>(inbox.replies, inbox.replies_lock, peer, true, header, deliver);
    }
    if (scope == Scope::kAll && inbox.requests.peek(&header)) {
      delivered += read_some<kThreaded>(inbox.requests, inbox.requests_lock, peer, false, header, deliver);
    }
    return delivered;
  }

  // Reads the message whose header was just seen and those after it, one round of the mailbox at most.
  template <bool kThreaded, class Deliver>
  [[gnu::noinline]] unsigned read_some(MailboxReader& reader, SpinLock& lock, RankId peer, bool is_reply, Header header,
                                       const Deliver& deliver) {
    unsigned delivered = 0;
    bool more = true;
    while (more && delivered < kSlots) {
      if constexpr (kThreaded) {
        if (!take_one(reader, lock, peer, is_reply, deliver)) break;
        more = reader.peek(&header);
      } else if (header.is_plain_short()) [[likely]] {
        deliver.plain_short(peer, is_reply, header.handler(), header.nargs(), reader.short_args());
        more = reader.retire(&header);
      } else {
        deliver_in_place(reader, peer, is_reply, header, deliver);
        more = reader.retire(&header);
      }
      ++delivered;
    }
    return delivered;
  }

  template <class Deliver>
  [[gnu::noinline]] static void deliver_in_place(MailboxReader& reader, RankId peer, bool is_reply, Header header,
                                                 const Deliver& deliver) {
    std::int32_t spill[conduit::kMaxArgs];
    Message message = reader.view(header, spill);
    message.is_reply = is_reply;
    deliver(message, peer);
    if (header.in_parcel()) reader.free_parcel(reader.parcel());
  }

  // Takes the message out of the mailbox under the lock, then delivers the copy. False if another thread was faster.
  template <class Deliver>
  bool take_one(MailboxReader& reader, SpinLock& lock, RankId peer, bool is_reply, const Deliver& deliver) {
    if (!lock.try_lock()) return false;
    Header header, next;
    if (!reader.peek(&header)) {
      lock.unlock();
      return false;
    }
    std::int32_t args[conduit::kMaxArgs];
    if (header.is_plain_short()) [[likely]] {
      std::memcpy(args, reader.short_args(), kArgsInShort * sizeof *args);
      reader.retire(&next);
      lock.unlock();
      deliver.plain_short(peer, is_reply, header.handler(), header.nargs(), args);
      return true;
    }
    alignas(kCacheLine) std::byte payload[kCompanionBytes];
    Message message = reader.view(header, args);
    message.is_reply = is_reply;
    if (message.args != args) std::memcpy(args, message.args, message.nargs * sizeof *args);
    message.args = args;
    unsigned parcel = kParcels;
    if (header.in_parcel()) {
      parcel = reader.parcel();
    } else if (message.category == Category::kMedium) {
      std::memcpy(payload, message.payload, message.payload_bytes);
      message.payload = payload;
    }
    reader.retire(&next);
    lock.unlock();
    deliver(message, peer);
    if (parcel != kParcels) reader.free_parcel(parcel);
    return true;
  }

  // Reads the lanes that no thread has polled since we last looked.
  template <class Deliver>
  unsigned scan(PollState& state, unsigned lanes, Scope scope, const Deliver& deliver) {
    unsigned delivered = 0;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      if (lane == state.lane) continue;
      const std::uint32_t polls = attendance_[lane].polls.load(std::memory_order_relaxed);
      const bool attended = polls != state.attendance_seen[lane];
      state.attendance_seen[lane] = polls;
      if (attended) continue;
      for (RankId peer = 0; peer < size_; ++peer) {
        if (lane < members_[peer].lanes_used.load(std::memory_order_relaxed)) {
          delivered += drain<true>(lane, peer, scope, deliver);
        }
      }
    }
    // Where unattended lanes carry traffic look at every poll, elsewhere seldom.
    state.scan_interval = delivered != 0 ? 1 : state.scan_interval < 32 ? state.scan_interval * 2 : 32;
    state.polls_to_scan = state.scan_interval;
    return delivered;
  }

  RankId rank_;
  RankId size_;
  int memory_fd_;
  std::size_t segment_span_;
  std::size_t segments_offset_ = 0;
  std::byte* shared_ = nullptr;
  std::size_t shared_bytes_ = 0;
  job::Exchange::Area* exchange_area_ = nullptr;
  Member* members_ = nullptr;
  std::byte* board_ = nullptr;
  Mailboxes* mailboxes_ = nullptr;
  std::array<std::vector<Outbox>, kLanes> outboxes_;  // indexed by lane, then rank
  std::array<std::vector<Inbox>, kLanes> inboxes_;
  std::array<Attendance, kLanes> attendance_;
  SpinLock shared_lane_lock_;
};

}  // namespace aqueduct::core
