// What a rank says about itself in the job's shared memory, for whoever wants to know why a job does not go
// on: what each of its threads waits for, how far it has come in the barriers and collectives of its teams,
// and, when it is asked, where it is.
//
// Who owns it    Each rank has one RankRecord in the memory that its host shares (job/place/shared_memory.hpp
//                says where), all-zero before the rank has started, and left as it is when the rank has
//                gone.
// Who writes     The rank alone, but for `asked`. A thread writes its own ThreadRecord: the wait when
//                it has waited beyond spinning and yielding, so that what is quick pays nothing; the
//                position in a signal handler (core/position_signal.hpp), when `asked` has changed.
// Who reads      Supervisors and the commands of the same user, who copy it (job/inspection/inspection.hpp).
//                They write `asked`.
// Torn reads     `version` is odd while a wait is being written, and changes with every write: a copy
//                with an odd or a changed version is read again. A position is whole once `answered`
//                equals `asked`. All other words stand for themselves. Texts may be of any bytes;
//                readers cut them and replace what is not printable.
// Trust          A rank that has gone wrong may have written anything here. Readers check kinds and
//                counts, and believe no more than that.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/spin_lock.hpp"
#include "base/types.hpp"
#include "observe/counters.hpp"

namespace aqueduct::observe {

/// What a thread waits for. New ones at the end: other versions of the commands read them.
enum class WaitKind : std::uint8_t {
  kNothing = 0,
  kMessage = 1,     ///< any message
  kReply = 2,       ///< any reply
  kBlockUntil = 3,  ///< a condition of the client's
  kBarrier = 4,
  kNamedBarrier = 5,  ///< gasnet_barrier_*
  kCollective = 6,
  kEvent = 7,        ///< one operation
  kSomeEvents = 8,   ///< one of several
  kAllEvents = 9,    ///< several
  kImplicit = 10,    ///< the thread's implicit operations
  kCredits = 11,     ///< room for a message, or for an operation in the network
  kRelease = 12,     ///< a payload of its own that the network still reads
  kLock = 13,        ///< a handler-safe lock
  kNewTeam = 14,     ///< the other members of a team that is being made
  kOtherRanks = 15,  ///< a step of starting, attaching or the like, that all ranks take
};
inline constexpr WaitKind kLastWaitKind = WaitKind::kOtherRanks;

/// Of an operation that somebody waits for.
enum class TransferKind : std::uint8_t { kNone, kPut, kGet, kAtomic, kMessage };
inline constexpr TransferKind kLastTransfer = TransferKind::kMessage;

/// Somebody owes an answer.
struct MissingAnswer {
  RankId peer;
  char what[44];  ///< "2 replies"
};

inline constexpr unsigned kMostMissing = 6;
inline constexpr std::uint32_t kNoTeam = ~std::uint32_t{0};

struct alignas(kCacheLine) WaitRecord {
  std::atomic<std::uint32_t> version;
  WaitKind kind;
  TransferKind transfer;
  std::uint8_t missing;    ///< how many of `answers` count
  std::uint8_t more;       ///< not 0: others may owe answers as well
  std::uint64_t since_ns;  ///< of the machine's monotonic clock
  std::uint64_t number;    ///< of the barrier or collective in its team; the thread that holds the lock
  RankId peer;             ///< kNoRank: nobody in particular
  std::uint32_t team;      ///< kNoTeam: none, or not known
  char call[64];           ///< the client's, as it is named in the interface; may be empty
  MissingAnswer answers[kMostMissing];

  void set_call(std::string_view name) {
    const std::size_t length = std::min(name.size(), sizeof call - 1);
    std::memcpy(call, name.data(), length);
    call[length] = '\0';
  }
  /// Adds an answer that `peer` owes. One that does not fit is left out, and `more` is set.
  void add_missing(RankId from, std::string_view what) {
    if (missing == kMostMissing) {
      more = 1;
      return;
    }
    MissingAnswer& answer = answers[missing++];
    answer.peer = from;
    const std::size_t length = std::min(what.size(), sizeof answer.what - 1);
    std::memcpy(answer.what, what.data(), length);
    answer.what[length] = '\0';
  }
  /// Everything but the version.
  void clear() {
    kind = WaitKind::kNothing;
    transfer = TransferKind::kNone;
    missing = more = 0;
    since_ns = number = 0;
    peer = kNoRank;
    team = kNoTeam;
    call[0] = '\0';
  }

  /// Writes it by `write(record)`, so that readers notice. One at a time: threads from the sixteenth on share
  /// a record, whose version would stay odd if two wrote at once.
  template <class Write>
  void update(Write&& write) {
    std::uint32_t before = version.load(std::memory_order_relaxed) & ~1u;
    while (!version.compare_exchange_weak(before, before + 1, std::memory_order_acquire,
                                          std::memory_order_relaxed)) {
      before &= ~1u;
      cpu_pause();
    }
    std::atomic_thread_fence(std::memory_order_release);
    write(*this);
    version.store(before + 2, std::memory_order_release);
  }
};

/// Where a thread is: what it does for others, and its stack.
struct alignas(kCacheLine) Position {
  static constexpr unsigned kMostFrames = 40;

  std::atomic<std::uint32_t> answered;  ///< the value of RankRecord::asked that this answers
  std::uint8_t in_handler;              ///< 1: of a request, 2: of a reply
  std::uint8_t has_prepared;            ///< not 0: between a gex_AM_Prepare call and its Commit or Cancel
  std::uint8_t frames;                  ///< how many of `stack` count
  std::uint8_t handler;                 ///< its index, and whose message it is
  RankId source;
  char handler_name[36];
  std::uint64_t stack[kMostFrames];  ///< return addresses, the innermost first
};

struct alignas(kCacheLine) ThreadRecord {
  std::atomic<std::uint32_t> tid;  ///< 0: there is no such thread
  ThreadCounters counters;
  WaitRecord wait;
  Position position;
};

/// How far a rank has come in a team. Members know each other by the team's number.
struct TeamProgress {
  std::atomic<std::uint32_t> id_plus_one;  ///< 0: this place is free
  std::uint32_t size;
  std::atomic<std::uint64_t> barriers;  ///< that it has arrived at
  std::atomic<std::uint64_t> named_barriers;
  std::atomic<std::uint64_t> collectives;  ///< that it has started

  static void count(std::atomic<std::uint64_t>& what) {
    what.store(what.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
};

inline constexpr unsigned kMostTeams = 8;       ///< teams beyond these are not watched
inline constexpr unsigned kThreadRecords = 16;  ///< threads from the sixteenth on share the last

struct alignas(kPage) RankRecord {
  std::atomic<std::uint32_t> pid;    ///< 0: the rank has not started the library; written last
  std::atomic<std::uint32_t> asked;  ///< where its threads are, for the so-many-th time
  std::uint32_t signal;              ///< by which they are asked
  std::uint32_t lanes;               ///< sets of counters of peers that it has: 1, or kThreadRecords
  std::uint64_t started_ns;          ///< of the machine's monotonic clock
  char conduit[24];
  TeamProgress teams[kMostTeams];  ///< the first is that of all ranks
  ThreadRecord threads[kThreadRecords];
};
static_assert(sizeof(RankRecord) <= 5 * kPage);

}  // namespace aqueduct::observe
