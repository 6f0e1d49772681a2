#include "papers/nic/portals3/event_queue.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace aqueduct::portals3 {
namespace {
constexpr std::uint64_t kMaxEvents = std::uint64_t{1} << 24;
}

bool EventQueue::prepare(std::uint64_t events, ptl_eq_handler_t with_handler) {
  if (events > kMaxEvents) return false;
  capacity = std::bit_ceil(std::max<std::uint64_t>(events, 2));
  // Does not touch the memory, so that a large queue that stays short costs only address space.
  ring.reset(new (std::nothrow) ptl_event_t[capacity]);
  if (ring == nullptr) return false;
  written = read = handled = 1;
  lost = 0;
  lost_since_read = loses_next = false;
  handler = with_handler;
  descriptors = 0;
  return true;
}

void EventQueue::clear() {
  ring.reset();
  handler = nullptr;
}

ptl_seq_t EventQueue::post(const ptl_event_t& event) {
  if (written - read == capacity) lose();
  const auto sequence = static_cast<ptl_seq_t>(written);
  ptl_event_t& place = ring[written & (capacity - 1)];
  place = event;
  place.sequence = sequence;
  ++written;
  if (loses_next && written - read > 1) {
    loses_next = false;
    lose();
  }
  return sequence;
}

void EventQueue::lose() {
  ++read;
  ++lost;
  lost_since_read = true;
}

int EventQueue::get(ptl_event_t& event) {
  if (empty()) return PTL_EQ_EMPTY;
  event = ring[read & (capacity - 1)];
  ++read;
  return std::exchange(lost_since_read, false) ? PTL_EQ_DROPPED : PTL_OK;
}

bool EventQueue::next_for_handler(ptl_event_t& event) {
  if (handler == nullptr || handled == written) return false;
  if (written - handled > capacity) handled = written - capacity;
  event = ring[handled & (capacity - 1)];
  ++handled;
  return true;
}

}  // namespace aqueduct::portals3
