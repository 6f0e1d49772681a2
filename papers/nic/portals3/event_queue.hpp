// An event queue: a ring that overwrites its oldest event when it is full, and says so at the next one read.
// The caller holds the interface's lock.
#pragma once
#include <cstdint>
#include <memory>

#include "papers/nic/portals3/handle.hpp"

namespace aqueduct::portals3 {

struct EventQueue : TableSlot {
  std::unique_ptr<ptl_event_t[]> ring;
  std::uint64_t capacity = 0;  ///< a power of two
  std::uint64_t written = 1;   ///< the number of the next event; readers see it as `sequence`
  std::uint64_t read = 1;      ///< the next one to be read
  std::uint64_t handled = 1;   ///< the next one for the handler
  std::uint64_t lost = 0;      ///< events overwritten unread, or never written
  bool lost_since_read = false;
  bool loses_next = false;
  ptl_eq_handler_t handler = nullptr;
  std::uint32_t descriptors = 0;  ///< descriptors that use this queue

  /// False: no memory for so many events.
  bool prepare(std::uint64_t events, ptl_eq_handler_t with_handler);
  void clear();

  bool empty() const { return read == written; }
  /// Returns the sequence given to the event.
  ptl_seq_t post(const ptl_event_t& event);
  /// When the next event comes, behaves as if the queue were full: it loses the oldest unread event. If there
  /// is none, this happens later, because a queue that has lost events is never empty.
  void lose_oldest() { loses_next = true; }
  /// PTL_OK, PTL_EQ_EMPTY or PTL_EQ_DROPPED.
  int get(ptl_event_t& event);
  /// The next event for the handler; false: none.
  bool next_for_handler(ptl_event_t& event);

 private:
  void lose();
};

}  // namespace aqueduct::portals3
