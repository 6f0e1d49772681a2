// The processor of the network interface, a PowerPC that does one thing at a time in the order in which work
// comes: new headers, finished engines, commands of the host.
#pragma once
#include "nic/portals3/seastar/costs.hpp"
#include "sim/engine.hpp"
#include "sim/host.hpp"
#include "sim/resource.hpp"

namespace aqueduct::portals3::seastar {

/// Events of this interface in a simulation's trace. Add, never renumber.
enum EventKind : std::uint16_t {
  kCommandArrives = sim::kFirstInterfaceKind,
  kFirmwareDone,
  kInterruptRaised,
  kEventWritten,
};

class Firmware {
 public:
  Firmware(sim::Engine& engine, sim::Accounts& accounts, fabric::NodeId node)
      : engine_(engine), accounts_(accounts), node_(node) {}

  /// Does `cost`, `amount` times its variable part, as soon as it is free, and then `action`.
  void run(CostId cost, std::size_t amount, const sim::Action& action) {
    const Time duration = accounts_.model()[cost].of(amount);
    accounts_.add(cost, duration);
    const Time start = processor_.reserve(engine_.now(), duration);
    engine_.at(start + duration, {kFirmwareDone, node_}, action);
  }

  /// The same with `pages` of a page list to read first.
  void run(CostId cost, CostId page, std::size_t pages, const sim::Action& action) {
    if (pages != 0) run(page, pages, [] {});
    run(cost, 0, action);
  }

 private:
  sim::Engine& engine_;
  sim::Accounts& accounts_;
  fabric::NodeId node_;
  sim::Resource processor_;
};

}  // namespace aqueduct::portals3::seastar
