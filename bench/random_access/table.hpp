// A rank's part of the table.
//
// A word of a large table is rarely in a cache, so an update first prefetches its word and is applied some
// updates later, when the word has come.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

#include "look_ahead.hpp"
#include "partition.hpp"
#include "world/work.hpp"

namespace aqueduct::bench::random_access {

/// The costs of an update on a simulated machine: its random number, and its word from memory.
extern const world::Work kUpdateMade;
extern const world::Work kUpcUpdate;  ///< instead of it, for a UPC program and its runtime
extern const world::Work kTableUpdate;

class Table {
 public:
  void attach(std::uint64_t* words, const Partition& partition, std::uint32_t rank, unsigned look_ahead) {
    words_ = words;
    mask_ = partition.words() - 1;
    first_ = partition.first(rank);
    count_ = partition.count(rank);
    held_back_count_ = LookAhead::held_at_table(look_ahead);
    for (Held& held : held_back_) held = {words, 0};
  }

  /// Sets the words as at the start.
  void reset() {
    for (std::uint64_t i = 0; i < count_; ++i) words_[i] = first_ + i;
  }

  std::uint64_t wrong_words() const {
    std::uint64_t wrong = 0;
    for (std::uint64_t i = 0; i < count_; ++i) wrong += words_[i] != first_ + i ? 1 : 0;
    return wrong;
  }

  std::uint64_t* words() const { return words_; }
  std::uint64_t count() const { return count_; }
  bool has(std::uint64_t value) const { return (value & mask_) - first_ < count_; }
  std::uint64_t* word(std::uint64_t value) const { return &words_[(value & mask_) - first_]; }

  /// Applies an update of this part.
  void update(std::uint64_t value) {
    if (world::is_simulated()) [[unlikely]]
      take_time();
    std::uint64_t* const target = word(value);
    if (held_back_count_ == 0) {
      *target ^= value;
      return;
    }
    __builtin_prefetch(target, 1);
    const Held due = std::exchange(held_back_[next_++ % kMostHeldBack], {target, value});
    *due.word ^= due.value;
  }

  /// Applies many updates of this part; holds none back.
  void update_all(const std::uint64_t* values, std::size_t count) {
    constexpr std::size_t kAhead = 32;
    if (world::is_simulated()) [[unlikely]] {
      for (std::size_t i = 0; i < count; ++i) take_time();
    }
    const std::uint64_t mask = mask_;
    std::uint64_t* const start = words_ - first_;
    for (std::size_t i = 0; i < count && i < kAhead; ++i) __builtin_prefetch(&start[values[i] & mask], 1);
    for (std::size_t i = 0; i < count; ++i) {
      if (i + kAhead < count) __builtin_prefetch(&start[values[i + kAhead] & mask], 1);
      start[values[i] & mask] ^= values[i];
    }
  }

  /// The virtual time of the last update; 0 in a live job.
  std::uint64_t last_update_ns() const { return last_update_ns_; }

  void apply_held_back() {
    for (Held& held : held_back_) *held.word ^= std::exchange(held.value, 0);
  }

 private:
  void take_time() {
    world::spend(kTableUpdate);
    last_update_ns_ = world::current().clock().now_ns();
  }

  static constexpr unsigned kMostHeldBack = LookAhead::held_at_table(1024);
  struct Held {
    std::uint64_t* word;
    std::uint64_t value;  // 0 changes nothing
  };

  std::uint64_t* words_ = nullptr;
  std::uint64_t mask_ = 0;
  std::uint64_t first_ = 0;
  std::uint64_t count_ = 0;
  unsigned held_back_count_ = 0;
  Held held_back_[kMostHeldBack] = {};
  unsigned next_ = 0;
  std::uint64_t last_update_ns_ = 0;
};

}  // namespace aqueduct::bench::random_access
