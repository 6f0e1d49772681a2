#include "papers/nic/ugni/aries/rank_machine.hpp"

#include "papers/nic/ugni/aries/machine.hpp"

namespace aqueduct::ugni::aries {

const sim::MachineKind kMachine = {
    .nic = "ugni",
    .summary = "uGNI on Aries",
    .reports_wait = false,
    .accesses = {},
    .build = [](sim::Simulation& simulation, std::string_view) -> std::unique_ptr<sim::Machine> {
      return std::make_unique<nic::SimulatedRankMachine<Machine, Process>>(simulation);
    },
};

}  // namespace aqueduct::ugni::aries
