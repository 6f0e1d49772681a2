// Packets that were sent to one peer and of which it is not known what became, by their numbers. Not
// thread-safe.
//
// Packets with successive numbers that differ in nothing but the part of one payload that they carry are a
// run: what is known of them is written down once. Only what became of each is kept by number.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/udp/range_set.hpp"

namespace aqueduct::fabric::udp {

/// One packet, or several that carry parts of one size, one behind the other, of one payload and nothing
/// else.
struct SentRun {
  std::uint64_t first = 0;  ///< number
  std::uint32_t count = 0;
  std::uint32_t bytes = 0;  ///< of each
  std::uint64_t sent_ns = 0;

  Range messages;  ///< of one packet
  Range control;   ///< likewise
  Range bulk;      ///< of the first one
  std::uint32_t transfer = 0;

  std::uint64_t end() const { return first + count; }
  std::uint64_t bulk_end() const { return bulk.begin + count * bulk.size(); }
  bool carries_something() const { return messages.size() + control.size() + bulk.size() != 0; }
  /// What those with the numbers `begin` to `end` carry of a payload.
  Range bulk_of(std::uint64_t begin, std::uint64_t end) const {
    return {bulk.begin + (begin - first) * bulk.size(), bulk.begin + (end - first) * bulk.size()};
  }
};

class SentPackets {
 public:
  /// The first and the last may not be farther apart than this, because the receiver forgets
  /// (received_numbers.hpp).
  static constexpr std::uint64_t kMostSpan = 2048;

  enum class State : std::uint8_t {
    kSettled,   ///< acknowledged, or nothing that needs an acknowledgement
    kLost,      ///< taken for lost; kept for a while, in case that was wrong
    kInFlight,  ///< nothing is known of it
    kWideProbe  ///< likewise; an attempt at a larger datagram, which carries nothing
  };
  /// Packets of one run and one state, with successive numbers.
  struct Stretch {
    const SentRun& run;
    State state;
    std::uint64_t begin, end;

    std::uint64_t count() const { return end - begin; }
    bool is_in_flight() const { return state == State::kInFlight || state == State::kWideProbe; }
    Stretch part(std::uint64_t from, std::uint64_t to) const { return {run, state, from, to}; }
  };

  std::uint64_t next_number() const { return next_; }
  /// All before this are settled or lost.
  std::uint64_t base() const { return base_; }
  bool is_full() const { return room() == 0; }
  /// So many more may be added.
  std::uint64_t room() const { return kMostSpan - (next_ - base_); }

  /// A packet with the next number, which is `run.first`.
  void add(const SentRun& run, State state) {
    if (runs_in_use_ == runs_.size()) grow(runs_, first_run_, runs_in_use_);
    run_at(runs_in_use_++) = run;
    set_next(1, state);
  }
  /// The run that was added last; there is one.
  const SentRun& last() { return run_at(runs_in_use_ - 1); }
  /// So many more packets of that run, which is in flight.
  void add_alike(std::uint32_t count) {
    run_at(runs_in_use_ - 1).count += count;
    set_next(count, State::kInFlight);
  }

  /// The stretch that begins at `number`, as far as `end`: a packet that is known, and one behind the last
  /// of interest.
  Stretch stretch(std::uint64_t number, std::uint64_t end) {
    const SentRun& run = run_of(number);
    const State state = state_of(number);
    const std::uint64_t most = std::min(run.end(), end);
    std::uint64_t at = number + 1;
    while (at < most && state_of(at) == state) ++at;
    return {run, state, number, at};
  }
  void set(const Stretch& stretch, State state) {
    for (std::uint64_t number = stretch.begin; number != stretch.end; ++number) state_of(number) = state;
  }

  /// Gives its memory back if no packet is remembered.
  void release_memory() {
    if (base_ != next_) return;
    states_ = std::vector<State>();
    runs_ = std::vector<SentRun>();
  }
  std::size_t memory_bytes() const {
    return states_.capacity() * sizeof(State) + runs_.capacity() * sizeof(SentRun);
  }
  static constexpr std::size_t most_bytes() { return kMostSpan * (sizeof(State) + sizeof(SentRun)); }

  /// Forgets from the first on what is settled, and what was lost before `lost_before`.
  void drop_settled(std::uint64_t lost_before) {
    for (; base_ != next_; ++base_) {
      const State state = state_of(base_);
      if (state != State::kSettled && (state != State::kLost || base_ >= lost_before)) break;
    }
    for (; runs_in_use_ != 0 && run_at(0).end() <= base_; --runs_in_use_) ++first_run_;
  }

 private:
  State& state_of(std::uint64_t number) { return states_[number & (states_.size() - 1)]; }
  SentRun& run_at(std::size_t index) { return runs_[(first_run_ + index) & (runs_.size() - 1)]; }
  const SentRun& run_of(std::uint64_t number) {
    std::size_t first = 0, last = runs_in_use_ - 1;
    while (first != last) {
      const std::size_t middle = (first + last) / 2;
      if (run_at(middle).end() > number) {
        last = middle;
      } else {
        first = middle + 1;
      }
    }
    return run_at(first);
  }
  void set_next(std::uint32_t count, State state) {
    while (next_ - base_ + count > states_.size())
      grow(states_, base_, static_cast<std::size_t>(next_ - base_));
    for (; count != 0; --count) state_of(next_++) = state;
  }

  /// A ring of twice the size, in which `count` entries are where their numbers say.
  template <class Entry>
  static void grow(std::vector<Entry>& ring, std::uint64_t first, std::size_t count) {
    constexpr std::size_t kFirst = 16;
    std::vector<Entry> larger(ring.empty() ? kFirst : 2 * ring.size());
    for (std::uint64_t number = first; number != first + count; ++number)
      larger[number & (larger.size() - 1)] = ring[number & (ring.size() - 1)];
    ring = std::move(larger);
  }

  std::uint64_t base_ = 0;
  std::uint64_t next_ = 0;
  std::vector<State> states_;    // by number; as many as a power of two
  std::vector<SentRun> runs_;    // likewise, by how many there were before
  std::uint64_t first_run_ = 0;  // that is remembered
  std::size_t runs_in_use_ = 0;
};

}  // namespace aqueduct::fabric::udp
