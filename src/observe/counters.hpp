// Counters that are always on: what a rank has sent, received, waited for and done since it started, for
// whoever looks at the job from outside while it runs (`aqueduct top`).
//
// Who writes   Each thread of a rank has counters of its own, in cache lines of its own, with a set of
//              them for each peer. It alone writes them, with plain stores: no lock, no atomic
//              read-modify-write. Threads beyond the fifteenth share the last set, and may then lose a
//              count now and then.
// Who reads    Anybody who may open the job's shared memory: its supervisor, and the commands of the
//              same user. They copy and do not map it.
// Torn reads   A word is read whole. Two words may be of different moments: a difference of them may be
//              off by what happened in between, also below zero, which readers take for zero
//              (difference()).
// Late         Short requests to neighbours are counted when the thread takes an answer of that
//              neighbour, or waits: the mailboxes have their numbers, and to write one more word for
//              each would be felt. What the peer has received was sent, so that readers who know both
//              know better (in_flight()).
// In flight    Messages: what one side has sent and the other has not handled
// (tools/aqueduct/watch/in_flight.hpp).
//              Puts, gets and atomics that take a network are counted up when they start and down when
//              they are complete; a thread may do the one and another the other, so that the sum over
//              threads counts, modulo 2^64. Where a rank has died and the others go on, what they
//              exchanged with it is over (has_died).
// Not counted  Puts, gets and atomics that the client's inline code does as plain loads and stores in a
//              neighbour's segment.
#pragma once
#include <atomic>
#include <cstdint>

#include "base/types.hpp"
#include "observe/retries.hpp"

namespace aqueduct::observe {

/// A number that one thread counts up and others read.
class Counter {
 public:
  void add(std::uint64_t many = 1) {
    value_.store(value_.load(std::memory_order_relaxed) + many, std::memory_order_relaxed);
  }
  void set(std::uint64_t value) { value_.store(value, std::memory_order_relaxed); }
  std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_;
};

/// What a thread has exchanged with one peer. The first line is written by those who send, the second by
/// those who receive; the others where something takes long anyway.
template <class Word>
struct alignas(kCacheLine) PeerCountersOf {
  Word short_requests, medium_requests, long_requests;  ///< sent
  Word replies;                                         ///< sent
  Word puts, gets, atomics;                             ///< started by a call into the library
  Word bytes;                                           ///< of payloads in all of these

  Word requests_received, replies_received;  ///< and handled
  Word medium_received, long_received;       ///< of the requests; the others are Short
  Word bytes_received;                       ///< of payloads in these
  Word settled;       ///< requests of ours that a neighbour has answered, with a reply or without
  Word stalls;        ///< waits for credits: for room for a message, or for the network to take an operation
  Word is_neighbour;  ///< not 0: `settled` counts

  Word puts_served, gets_served, atomics_served;           ///< of the peer, by software of this rank
  Word puts_in_flight, gets_in_flight, atomics_in_flight;  ///< of ours, over a network; see above
  Word refused;   ///< sends that were not to wait (GEX_FLAG_IMMEDIATE) and found no room
  Word has_died;  ///< not 0: this rank knows that the peer has; nothing is in flight between them

  Word retries[kRetries];  ///< by reason

  bool operator==(const PeerCountersOf&) const = default;
};
using PeerCounters = PeerCountersOf<Counter>;
static_assert(sizeof(PeerCounters) == 4 * kCacheLine);

/// What a thread has done with nobody in particular.
template <class Word>
struct alignas(kCacheLine) ThreadCountersOf {
  Word polls;          ///< looks for messages
  Word sleeps;         ///< of a thread that has waited for long
  Word slow_waits;     ///< waits that have lasted beyond spinning and yielding
  Word barriers;       ///< arrivals
  Word collectives;    ///< started
  Word lock_waits;     ///< for a lock that another thread has held for a while
  Word device_copies;  ///< started on devices of this rank, also those of staging
  Word device_bytes;   ///< in these
  Word device_direct;  ///< transfers with devices elsewhere, or of one here, that the network itself does
  Word device_staged;  ///< the others that no single copy does
};
using ThreadCounters = ThreadCountersOf<Counter>;
static_assert(sizeof(ThreadCounters) == 2 * kCacheLine);

/// The same as plain numbers, as readers have them.
using PeerCounts = PeerCountersOf<std::uint64_t>;
using ThreadCounts = ThreadCountersOf<std::uint64_t>;
static_assert(sizeof(PeerCounts) == sizeof(PeerCounters) && sizeof(ThreadCounts) == sizeof(ThreadCounters));

/// By how much the first number is larger; 0 if it is not.
inline std::uint64_t difference(std::uint64_t more, std::uint64_t less) {
  return more > less ? more - less : 0;
}

template <class Counts>
void add_words(Counts& to, const Counts& more) {
  auto* const words = reinterpret_cast<std::uint64_t*>(&to);
  const auto* const added = reinterpret_cast<const std::uint64_t*>(&more);
  for (std::size_t i = 0; i < sizeof to / sizeof *words; ++i) words[i] += added[i];
}

inline std::uint64_t requests_of(const PeerCounts& counts) {
  return counts.short_requests + counts.medium_requests + counts.long_requests;
}
inline std::uint64_t sent_of(const PeerCounts& counts) { return requests_of(counts) + counts.replies; }
inline std::uint64_t short_received_of(const PeerCounts& counts) {
  return difference(counts.requests_received, counts.medium_received + counts.long_received);
}
inline std::uint64_t received_of(const PeerCounts& counts) {
  return counts.requests_received + counts.replies_received;
}

}  // namespace aqueduct::observe
