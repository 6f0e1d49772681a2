#include "papers/nic/extoll/card/machine.hpp"

namespace aqueduct::extoll::card {

const sim::MachineKind kMachine = {
    .nic = "extoll",
    .summary = "VELO and RMA on EXTOLL cards",
    .reports_wait = false,
    .accesses = {},
    .build = [](sim::Simulation& simulation, std::string_view) -> std::unique_ptr<sim::Machine> {
      return std::make_unique<nic::SimulatedRankMachine<Machine, Process>>(simulation);
    },
};

}  // namespace aqueduct::extoll::card
