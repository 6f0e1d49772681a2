#include "nic/ugni/aries/rank_machine.hpp"

#include "nic/ugni/aries/machine.hpp"

namespace aqueduct::ugni::aries {
namespace {

class RankMachine final : public sim::Machine {
 public:
  explicit RankMachine(sim::Simulation& simulation) : machine_(simulation) {}

  void enter(RankId rank) override { Process::exchange_current(&machine_.process(rank)); }

 private:
  aries::Machine machine_;
};

}  // namespace

const sim::MachineKind kMachine = {
    .nic = "ugni",
    .summary = "uGNI on Aries",
    .reports_wait = false,
    .accesses = {},
    .build = [](sim::Simulation& simulation, std::string_view) -> std::unique_ptr<sim::Machine> {
      return std::make_unique<RankMachine>(simulation);
    },
};

}  // namespace aqueduct::ugni::aries
