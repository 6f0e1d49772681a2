// The kinds of machines for simulated ranks. A new kind (sim/machine.hpp) is one line in machines.cpp.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "sim/machine.hpp"

namespace aqueduct::machines {

std::span<const sim::MachineKind* const> all();

/// The machine on which a conduit runs (conduit::Description::nic); null if no simulated one has its
/// interface.
const sim::MachineKind* of_conduit(const std::string& conduit);

/// The conduits that can be simulated, and the ways in which ranks may reach some interface.
std::vector<std::string> conduits();
std::vector<std::string> accesses();

}  // namespace aqueduct::machines
