// Events that are still to come, in the order in which they will happen: by time, and at one time in the
// order in which they were posted.
//
// A heap of four children per node holds 16-byte keys; what the events do lies still in a pool, found by its
// number. Events for the present moment, which are many (a fiber wakes another), skip the heap: they are
// later than all that the heap holds for this moment, because they were posted later.
#pragma once
#include <cstdint>
#include <vector>

#include "fabric/sim/action.hpp"
#include "fabric/sim/time.hpp"
#include "fabric/sim/trace.hpp"

namespace aqueduct::fabric::sim {

struct Event {
  Mark mark;
  Action action;
};

class EventQueue {
 public:
  bool empty() const { return heap_.empty() && first_ready_ == ready_.size(); }
  std::size_t size() const { return heap_.size() + ready_.size() - first_ready_; }

  /// `when` is not before `now`, the time of the last event taken.
  void push(Time when, Time now, Mark mark, const Action& action);

  /// Takes the next event; the queue is not empty. `*now` becomes its time.
  Event pop(Time* now);

 private:
  struct Key {
    Time when;
    std::uint32_t turn;  // compared modulo 2^32: far more than ever wait at one time
    std::uint32_t slot;

    bool before(const Key& other) const {
      return when < other.when || (when == other.when && static_cast<std::int32_t>(turn - other.turn) < 0);
    }
  };
  static constexpr std::size_t kChildren = 4;

  void sift_up(std::size_t position, Key key);
  void sift_down(Key key);

  std::vector<Key> heap_;
  std::vector<Event> pool_;
  std::vector<std::uint32_t> free_slots_;
  std::vector<Event> ready_;  // for this moment, from first_ready_ on
  std::size_t first_ready_ = 0;
  std::uint32_t turn_ = 0;
};

}  // namespace aqueduct::fabric::sim
