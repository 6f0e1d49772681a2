#include "sim/core.hpp"

#include <algorithm>

#include "sim/host.hpp"

namespace aqueduct::sim {

void Core::take() {
  if (owner_ == Fiber::current()) return;
  if (!owner_) {
    owner_ = Fiber::current();
    return;
  }
  wait_for_turn();
}

void Core::yield() {
  if (owner_ != Fiber::current() || queue_.empty()) return;
  hand_on();
  wait_for_turn();
}

void Core::give_up() {
  if (owner_ == Fiber::current()) hand_on();
}

void Core::remove(const Host& host) {
  std::erase_if(queue_, [&](const Fiber* fiber) { return &fiber->host() == &host; });
  if (owner_ && &owner_->host() == &host) hand_on();
}

void Core::wait_for_turn() {
  queue_.push_back(Fiber::current());
  while (owner_ != Fiber::current()) Fiber::current()->park("a core");
}

void Core::hand_on() {
  owner_ = nullptr;
  if (queue_.empty()) return;
  owner_ = queue_.front();
  queue_.pop_front();
  owner_->wake();
}

}  // namespace aqueduct::sim
