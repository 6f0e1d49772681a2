// Injected faults of a live interface, for tests of its clients; sim/faults.hpp has those of simulations.
//
// AQUEDUCT_PORTALS_FAULTS is a list of words; rates are in millionths:
//   event-queue-full=N  an event finds its queue full, which then loses its oldest
//   event-failure=N     an event reports that its operation has failed
//   registration=N      a registration of memory fails
//   queue-events=N      queues have room for at most N events, whatever the client asks for
//   seed=N              other random numbers
//
// Threads: any. Without faults it draws no random numbers.
#pragma once
#include <atomic>
#include <cstdint>
#include <string>

#include "papers/nic/portals3/bridge.hpp"

namespace aqueduct::portals3 {

class LiveFaults {
 public:
  /// Reads the environment; an unknown word ends the job with one line. Each `node` draws other random
  /// numbers.
  static LiveFaults from_environment(NodeId node);

  LiveFaults() = default;
  LiveFaults(const LiveFaults& other) : plan_(other.plan_), any_(other.any_) {}

  EventFault event_fault() { return any_ ? draw_event_fault() : EventFault::kNone; }
  bool registration_fails() { return any_ && draw(plan_.registration); }
  std::uint64_t queue_events(std::uint64_t asked) const {
    return asked < plan_.queue_events ? asked : plan_.queue_events;
  }

 private:
  struct Plan {
    std::uint64_t event_queue_full = 0, event_failure = 0, registration = 0;
    std::uint64_t queue_events = ~std::uint64_t{0};
    std::uint64_t seed = 1;
  };

  /// Adds one word to the plan. False: the word is unknown.
  static bool add(Plan& plan, const std::string& word);
  EventFault draw_event_fault();
  bool draw(std::uint64_t millionths);

  Plan plan_;
  bool any_ = false;
  std::atomic<std::uint64_t> draws_{0};
};

}  // namespace aqueduct::portals3
