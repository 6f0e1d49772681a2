#include "sim/machine.hpp"

#include <algorithm>

namespace aqueduct::sim {
namespace {

class BareFabric final : public Machine {
 public:
  void enter(RankId) override {}
};

}  // namespace

bool MachineKind::has(std::string_view access) const {
  return std::ranges::any_of(accesses, [&](const Access& one) { return access == one.name; });
}

const MachineKind kFabricMachine = {
    .nic = "fabric",
    .summary = "ports of the network itself",
    .reports_wait = true,
    .accesses = {},
    .build = [](Simulation&, std::string_view) -> std::unique_ptr<Machine> {
      return std::make_unique<BareFabric>();
    },
};

}  // namespace aqueduct::sim
