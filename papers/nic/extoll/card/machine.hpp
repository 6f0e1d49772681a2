// A simulated machine of EXTOLL cards (nic/simulated_machine.hpp), and the same for simulated ranks.
#pragma once
#include "papers/nic/extoll/card/card_device.hpp"
#include "papers/nic/extoll/process.hpp"
#include "papers/nic/simulated_machine.hpp"

namespace aqueduct::extoll::card {

using Machine = nic::SimulatedMachine<CardDevice, Process, Cards>;
extern const sim::MachineKind kMachine;

}  // namespace aqueduct::extoll::card
