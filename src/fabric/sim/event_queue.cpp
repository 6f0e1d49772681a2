#include "fabric/sim/event_queue.hpp"

namespace aqueduct::fabric::sim {

void EventQueue::push(Time when, Time now, Mark mark, const Action& action) {
  if (when == now) {
    ready_.push_back({mark, action});
    return;
  }
  std::uint32_t slot;
  if (free_slots_.empty()) {
    slot = static_cast<std::uint32_t>(pool_.size());
    pool_.push_back({mark, action});
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
    pool_[slot] = {mark, action};
  }
  heap_.emplace_back();
  sift_up(heap_.size() - 1, {when, turn_++, slot});
}

Event EventQueue::pop(Time* now) {
  if (first_ready_ != ready_.size() && (heap_.empty() || heap_.front().when != *now)) {
    const Event event = ready_[first_ready_++];
    if (first_ready_ == ready_.size()) {
      ready_.clear();
      first_ready_ = 0;
    }
    return event;
  }
  const Key key = heap_.front();
  const Key last = heap_.back();
  heap_.pop_back();
  if (!heap_.empty()) sift_down(last);
  free_slots_.push_back(key.slot);
  *now = key.when;
  return pool_[key.slot];
}

void EventQueue::sift_up(std::size_t position, Key key) {
  while (position != 0) {
    const std::size_t parent = (position - 1) / kChildren;
    if (!key.before(heap_[parent])) break;
    heap_[position] = heap_[parent];
    position = parent;
  }
  heap_[position] = key;
}

// Puts `key` in the place of the first, which has gone.
void EventQueue::sift_down(Key key) {
  const std::size_t size = heap_.size();
  std::size_t position = 0;
  for (;;) {
    const std::size_t first = position * kChildren + 1;
    if (first >= size) break;
    const std::size_t end = first + kChildren < size ? first + kChildren : size;
    std::size_t least = first;
    for (std::size_t child = first + 1; child < end; ++child) {
      if (heap_[child].before(heap_[least])) least = child;
    }
    if (!heap_[least].before(key)) break;
    heap_[position] = heap_[least];
    position = least;
  }
  heap_[position] = key;
}

}  // namespace aqueduct::fabric::sim
