#include "sim/engine/engine.hpp"

namespace aqueduct::sim {

void Engine::run() {
  stopped_ = false;
  while (!stopped_ && !queue_.empty()) {
    Event event = queue_.pop(&now_);
    if (now_ > limit_) return;
    ++events_;
    if (events_ % kEventsBetweenLooks == 0) [[unlikely]] {
      count_for_process();
      if (observer_ != nullptr) observer_(*this);
    }
    trace_.add(now_, event.mark);
    event.action();
  }
}

void Engine::count_for_process() {
  of_process_ += events_ - counted_;
  counted_ = events_;
}

void Engine::begin_aside() {
  results_ = Results{now_, limit_, events_, trace_};
  limit_ = kNever;
}

void Engine::end_aside() {
  now_ = results_->now;
  limit_ = results_->limit;
  count_for_process();
  events_ = counted_ = results_->events;
  trace_ = results_->trace;
  results_.reset();
}

}  // namespace aqueduct::sim
