// A machine of SeaStars for simulated ranks (sim/machine.hpp): each rank is a process of its port's node.
#pragma once
#include "sim/machine.hpp"

namespace aqueduct::portals3::seastar {

/// Ranks use Portals as on Catamount (qk) or as on Linux (uk).
extern const sim::MachineKind kMachine;

}  // namespace aqueduct::portals3::seastar
