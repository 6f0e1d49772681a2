#include "machines.hpp"

#include <array>
#include <cstring>

#include "conduit/registry/registry.hpp"
#include "papers/nic/extoll/card/machine.hpp"
#include "papers/nic/portals3/seastar/rank_machine.hpp"
#include "papers/nic/ugni/aries/rank_machine.hpp"

namespace aqueduct::machines {
namespace {

const std::array<const sim::MachineKind*, 4> kMachines = {&sim::kFabricMachine, &portals3::seastar::kMachine,
                                                          &ugni::aries::kMachine, &extoll::card::kMachine};

const sim::MachineKind* with_nic(const char* nic) {
  for (const sim::MachineKind* kind : kMachines) {
    if (nic && std::strcmp(nic, kind->nic) == 0) return kind;
  }
  return nullptr;
}

}  // namespace

std::span<const sim::MachineKind* const> all() { return kMachines; }

const sim::MachineKind* of_conduit(const std::string& conduit) {
  const conduit::Description* const found = conduit::find(conduit.c_str());
  return found ? with_nic(found->nic) : nullptr;
}

std::vector<std::string> conduits() {
  std::vector<std::string> names;
  for (const conduit::Description* conduit : conduit::built_in()) {
    if (with_nic(conduit->nic)) names.emplace_back(conduit->name);
  }
  return names;
}

std::vector<std::string> accesses() {
  std::vector<std::string> names;
  for (const sim::MachineKind* kind : kMachines) {
    for (const sim::Access& access : kind->accesses) names.emplace_back(access.name);
  }
  return names;
}

}  // namespace aqueduct::machines
