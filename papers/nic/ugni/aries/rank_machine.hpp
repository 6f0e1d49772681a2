// A machine of Aries interfaces for simulated ranks (sim/machine.hpp): each rank is the process of its port.
#pragma once
#include "sim/machine.hpp"

namespace aqueduct::ugni::aries {

extern const sim::MachineKind kMachine;

}  // namespace aqueduct::ugni::aries
