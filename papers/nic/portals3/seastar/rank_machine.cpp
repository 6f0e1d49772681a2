#include "papers/nic/portals3/seastar/rank_machine.hpp"

#include "papers/nic/portals3/seastar/machine.hpp"

namespace aqueduct::portals3::seastar {
namespace {

constexpr sim::Access kAccesses[] = {{"qk", "as on Catamount"},
                                     {"uk", "as on Linux, where memory is pinned"}};

class RankMachine final : public sim::Machine {
 public:
  RankMachine(sim::Simulation& simulation, BridgeKind bridge) : machine_(simulation), bridge_(bridge) {}

  void enter(RankId rank) override { Process::exchange_current(&machine_.add(rank, {.bridge = bridge_})); }

 private:
  seastar::Machine machine_;
  BridgeKind bridge_;
};

}  // namespace

const sim::MachineKind kMachine = {
    .nic = "portals3",
    .summary = "Portals 3.3 on SeaStars",
    .reports_wait = false,
    .accesses = kAccesses,
    .build = [](sim::Simulation& simulation, std::string_view access) -> std::unique_ptr<sim::Machine> {
      return std::make_unique<RankMachine>(simulation, access == "uk" ? BridgeKind::kUk : BridgeKind::kQk);
    },
};

}  // namespace aqueduct::portals3::seastar
