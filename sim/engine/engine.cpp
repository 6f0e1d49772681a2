#include "sim/engine/engine.hpp"

namespace aqueduct::sim {

void Engine::run() {
  stopped_ = false;
  while (!stopped_ && !queue_.empty()) {
    Event event = queue_.pop(&now_);
    if (now_ > limit_) return;
    ++events_;
    if (events_ % kEventsBetweenLooks == 0 && observer_ != nullptr) [[unlikely]]
      observer_(*this);
    trace_.add(now_, event.mark);
    event.action();
  }
}

}  // namespace aqueduct::sim
