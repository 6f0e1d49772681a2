// The interrupt by which the interface calls its host: one cause at a time, each with the whole price.
//
// raise() queues a cause. The host is interrupted, pays the entry, and then the handler sees the cause. It
// does its work in steps, each of them a cost that the host pays (step()), and ends with leave(). The exit is
// paid, and only then is the next cause taken: the interface does not merge interrupts, which is why a
// message with a payload costs two.
//
// Processes that rest on the host are woken at the end of the exit if there was news for them.
#pragma once
#include <deque>
#include <span>

#include "nic/portals3/seastar/costs.hpp"
#include "sim/host.hpp"

namespace aqueduct::portals3::seastar {

struct Cause {
  enum class Kind : std::uint8_t {
    kHeader,         ///< `subject` is the record of an arrival
    kSent,           ///< `subject` is a Transfer
    kLanded,         ///< likewise
    kUndeliverable,  ///< `subject` is a record that holds the header
  };
  Kind kind;
  bool failed = false;
  void* subject = nullptr;
};

class InterruptHandler {
 public:
  /// At the end of the entry. Ends, at once or after steps, in InterruptLine::leave().
  virtual void interrupted(const Cause& cause) = 0;

 protected:
  ~InterruptHandler() = default;
};

class InterruptLine {
 public:
  InterruptLine(sim::Host& host, const Costs& costs, InterruptHandler& handler)
      : host_(host), costs_(costs), handler_(handler) {}

  void raise(const Cause& cause);

  /// By the handler: the host works on, then `action` happens.
  void step(CostId cost, std::size_t amount, const sim::Action& action) {
    host_.interrupt(cost, amount, action);
  }
  void leave();

  /// Processes of the host have something to look at, once they can.
  void wake_processes();

  std::uint64_t served() const { return served_; }

 private:
  void begin();

  sim::Host& host_;
  const Costs& costs_;
  InterruptHandler& handler_;
  std::deque<Cause> pending_;
  std::uint64_t served_ = 0;
  bool active_ = false;
  bool news_ = false;
};

}  // namespace aqueduct::portals3::seastar
