#include "nic/portals3/seastar/interrupt_line.hpp"

#include <utility>

namespace aqueduct::portals3::seastar {

void InterruptLine::raise(const Cause& cause) {
  pending_.push_back(cause);
  if (!active_) begin();
}

void InterruptLine::begin() {
  active_ = true;
  host_.interrupt(costs_.interrupt_entry, 0, [this] {
    const Cause cause = pending_.front();
    pending_.pop_front();
    ++served_;
    handler_.interrupted(cause);
  });
}

void InterruptLine::leave() {
  host_.interrupt(costs_.interrupt_exit, 0, [this] {
    active_ = false;
    // The next interrupt comes before any process gets the processor.
    if (!pending_.empty()) begin();
    if (std::exchange(news_, false)) host_.notify();
  });
}

void InterruptLine::wake_processes() {
  if (active_) {
    news_ = true;
  } else {
    host_.notify();
  }
}

}  // namespace aqueduct::portals3::seastar
