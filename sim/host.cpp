#include "sim/host.hpp"

#include <algorithm>

namespace aqueduct::sim {

void Host::charge(CostId cost, std::size_t bytes, unsigned times) {
  const Time duration = stretched(model()[cost].of(bytes) * times);
  accounts_.add(cost, duration);
  work(duration);
}

void Host::compute(Time duration) { work(stretched(duration)); }

void Host::work(Time duration) {
  if (core_) core_->take();
  const Time stolen_before = stolen_;
  const Time start = engine_.now();
  Time end = start + duration;
  while (engine_.now() < end) {
    Fiber::current()->sleep_until(end);
    end = start + duration + (stolen_ - stolen_before);
  }
}

void Host::interrupt(CostId cost, std::size_t bytes, const Action& handler) {
  if (crashed_) return;
  const Time duration = stretched(model()[cost].of(bytes));
  accounts_.add(cost, duration);
  const Time start = can_run_at(engine_.now());
  interrupts_until_ = start + duration;
  stolen_ += duration;
  engine_.at(interrupts_until_, {kInterruptEnds, node_}, handler);
}

void Host::notify() {
  ++activity_;
  if (resting_.empty()) return;
  woken_.swap(resting_);
  for (Fiber* fiber : woken_) fiber->wake();
  woken_.clear();
}

void Host::freeze_until(Time when) {
  const Time start = std::max(engine_.now(), frozen_until_);
  if (when <= start) return;
  stolen_ += when - start;
  frozen_until_ = when;
}

void Host::crash() {
  crashed_ = true;
  if (core_) core_->remove(*this);
}

void Host::rest_in_turns(std::uint64_t seen, Time deadline, const char* why) {
  const Time sleeps_at = engine_.now() + sharing_.patience;
  while (activity_ == seen && engine_.now() < deadline) {
    if (engine_.now() >= sleeps_at) {
      core_->give_up();
      resting_.push_back(Fiber::current());
      if (deadline == kNever) {
        Fiber::current()->park(why);
      } else {
        Fiber::current()->park_until(deadline, why);
        std::erase(resting_, Fiber::current());
      }
    }
    work(stretched(sharing_.turn));
    if (activity_ == seen) core_->yield();
  }
}

void Host::rest(std::uint64_t seen, const char* why) {
  if (core_) return rest_in_turns(seen, kNever, why);
  while (activity_ == seen) {
    resting_.push_back(Fiber::current());
    Fiber::current()->park(why);
  }
}

bool Host::rest_until(std::uint64_t seen, Time deadline, const char* why) {
  if (core_) {
    rest_in_turns(seen, deadline, why);
    return activity_ != seen;
  }
  while (activity_ == seen && engine_.now() < deadline) {
    resting_.push_back(Fiber::current());
    Fiber::current()->park_until(deadline, why);
    std::erase(resting_, Fiber::current());
  }
  return activity_ != seen;
}

}  // namespace aqueduct::sim
