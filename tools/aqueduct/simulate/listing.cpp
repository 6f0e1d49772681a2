#include "simulate/listing.hpp"

#include <fmt/format.h>

#include "sim/machine.hpp"
#include "tools/common/machines.hpp"
#include "tools/common/networks.hpp"
#include "tools/scenarios/random_access.hpp"
#include "tools/scenarios/scenarios.hpp"

namespace aqueduct::simulate {

using namespace aqueduct::sim;

void print_list() {
  fmt::print("Scenarios:\n");
  for (const scenarios::Scenario& scenario : scenarios::all()) {
    fmt::print(
        "  {:<13} {}{}\n", scenario.name, scenario.summary,
        *scenario.faults ? fmt::format("\n{:16}faults unless told otherwise: {}", "", scenario.faults) : "");
  }
  fmt::print("Versions of random-access:\n");
  for (const std::string& version : scenarios::random_access_versions()) fmt::print("  {}\n", version);
  fmt::print("Conduits, and what they run on:\n");
  for (const std::string& name : machines::conduits()) {
    const MachineKind& kind = *machines::of_conduit(name);
    std::string bridges;
    for (const Access& access : kind.accesses) {
      bridges += fmt::format("{} --bridge {} ({})", bridges.empty() ? ";" : ",", access.name, access.summary);
    }
    fmt::print("  {:<13} {}{}\n", name, kind.summary, bridges);
  }
  fmt::print("Networks:\n");
  for (const std::string& name : networks::names()) {
    std::string error;
    const auto model = networks::load(name, {}, &error);
    fmt::print("  {:<18} {}\n", name, model ? model->summary : error);
  }
}

}  // namespace aqueduct::simulate
