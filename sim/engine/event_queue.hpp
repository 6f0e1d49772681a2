// Future events in the order in which they will happen: by time, and at one time in the order in which they
// were posted.
//
// A radix heap, which suits a queue in which time never goes back. Bucket b holds the events whose time
// differs from the present in bit b-1 and in none above it; bucket 0 those of the present. When bucket 0 is
// empty, the first event of the lowest bucket in use becomes the present, and the events of that bucket move
// to lower ones. It keeps the order of posting because moving the present changes only bits below those that
// distinguish the higher buckets: all events of one time are always in one bucket, and buckets are filled and
// emptied from front to back. Each event moves at most once for each bit of its distance, together with
// others, so that caches help; its action stays in a pool.
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/engine/action.hpp"
#include "sim/engine/time.hpp"
#include "sim/engine/trace.hpp"

namespace aqueduct::sim {

struct Event {
  Mark mark;
  Action action;
};

class EventQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  /// `when` is not before the time of the last event taken.
  void push(Time when, Mark mark, const Action& action) {
    std::uint32_t slot;
    if (free_slots_.empty()) {
      slot = static_cast<std::uint32_t>(used_slots_++);
      if (slot % kBlock == 0) blocks_.push_back(std::make_unique_for_overwrite<Event[]>(kBlock));
    } else {
      slot = free_slots_.back();
      free_slots_.pop_back();
    }
    event_in(slot) = {mark, action};
    put({when, slot});
    ++size_;
  }

  /// Takes the next event and its time; the queue must not be empty.
  Event pop(Time* when) {
    if (taken_ == buckets_[0].size()) move_on();
    const Entry entry = buckets_[0][taken_++];
    --size_;
    *when = entry.when;
    free_slots_.push_back(entry.slot);
    return event_in(entry.slot);
  }

 private:
  struct Entry {
    Time when;
    std::uint32_t slot;
  };

  static constexpr std::size_t kBlock = 1024;

  Event& event_in(std::uint32_t slot) { return blocks_[slot / kBlock][slot % kBlock]; }
  void put(Entry entry) {
    const auto bucket = static_cast<unsigned>(std::bit_width(entry.when ^ present_));
    buckets_[bucket].push_back(entry);
    if (bucket != 0) in_use_ |= std::uint64_t{1} << (bucket - 1);
  }
  void move_on();

  Time present_ = 0;
  std::size_t size_ = 0;
  std::size_t taken_ = 0;     // of bucket 0
  std::uint64_t in_use_ = 0;  // the other buckets, as a set
  std::array<std::vector<Entry>, 65> buckets_;
  std::vector<std::unique_ptr<Event[]>> blocks_;  // the pool of actions, which does not move
  std::size_t used_slots_ = 0;                    // ever
  std::vector<std::uint32_t> free_slots_;
};

}  // namespace aqueduct::sim
