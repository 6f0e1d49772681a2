// The interrupt by which an interface calls its host: one cause at a time, each with the full cost.
//
// raise() queues a cause, which is the interface's own type. The host is interrupted and spends the cost of
// the entry; then the handler gets the cause. It works in steps that each cost the host time (step()), and
// ends with leave(). The host spends the cost of the exit, and only then takes the next cause: interrupts are
// not merged.
//
// At the end of the exit, processes that rest on the host wake if there was news for them.
#pragma once
#include <deque>
#include <utility>

#include "sim/host.hpp"

namespace aqueduct::sim {

template <class Cause>
class InterruptHandler {
 public:
  /// Called at the end of the entry. It must end, at once or after steps, in InterruptLine::leave().
  virtual void interrupted(const Cause& cause) = 0;

 protected:
  ~InterruptHandler() = default;
};

/// What every interrupt costs the host before and after its work.
struct InterruptCosts {
  CostId entry;
  CostId exit;
};

template <class Cause>
class InterruptLine {
 public:
  InterruptLine(Host& host, InterruptCosts costs, InterruptHandler<Cause>& handler)
      : host_(host), costs_(costs), handler_(handler) {}

  void raise(const Cause& cause) {
    pending_.push_back(cause);
    if (!active_) begin();
  }

  /// By the handler: the host spends `cost`, then `action` runs.
  void step(CostId cost, std::size_t amount, const Action& action) { host_.interrupt(cost, amount, action); }

  void leave() {
    host_.interrupt(costs_.exit, 0, [this] {
      active_ = false;
      // The next interrupt comes before any process gets the processor.
      if (!pending_.empty()) begin();
      if (std::exchange(news_, false)) host_.notify();
    });
  }

  /// There is news for processes of the host, which wake once they can run.
  void wake_processes() {
    if (active_) {
      news_ = true;
    } else {
      host_.notify();
    }
  }

  std::uint64_t served() const { return served_; }

 private:
  void begin() {
    active_ = true;
    host_.interrupt(costs_.entry, 0, [this] {
      const Cause cause = pending_.front();
      pending_.pop_front();
      ++served_;
      handler_.interrupted(cause);
    });
  }

  Host& host_;
  InterruptCosts costs_;
  InterruptHandler<Cause>& handler_;
  std::deque<Cause> pending_;
  std::uint64_t served_ = 0;
  bool active_ = false;
  bool news_ = false;
};

}  // namespace aqueduct::sim
