// The processor of a network interface. It does one thing at a time in the order in which work comes: new
// headers, finished engines, commands of the host. The network's file has the costs.
#pragma once
#include "sim/engine/engine.hpp"
#include "sim/engine/resource.hpp"
#include "sim/host.hpp"

namespace aqueduct::sim {

/// Events of interfaces in a simulation's trace. Add, never renumber.
enum InterfaceEventKind : std::uint16_t {
  kCommandArrives = kFirstInterfaceKind,
  kFirmwareDone,
  kInterruptRaised,
  kEventWritten,
};

class Firmware {
 public:
  Firmware(Engine& engine, Accounts& accounts, fabric::NodeId node)
      : engine_(engine), accounts_(accounts), node_(node) {}

  /// Spends `cost`, with `amount` times its variable part, as soon as the processor is free, then runs
  /// `action`.
  void run(CostId cost, std::size_t amount, const Action& action) {
    const Time duration = accounts_.model()[cost].of(amount);
    accounts_.add(cost, duration);
    const Time start = processor_.reserve(engine_.now(), duration);
    engine_.at(start + duration, {kFirmwareDone, node_}, action);
  }

  /// The same, but first reads `pages` of a page list.
  void run(CostId cost, CostId page, std::size_t pages, const Action& action) {
    if (pages != 0) run(page, pages, [] {});
    run(cost, 0, action);
  }

 private:
  Engine& engine_;
  Accounts& accounts_;
  fabric::NodeId node_;
  Resource processor_;
};

}  // namespace aqueduct::sim
