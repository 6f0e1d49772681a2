// A simulated machine of Aries nodes (nic/simulated_machine.hpp): at each port an interface and the uGNI
// library of its process.
#pragma once
#include "papers/nic/simulated_machine.hpp"
#include "papers/nic/ugni/aries/aries_device.hpp"
#include "papers/nic/ugni/process.hpp"

namespace aqueduct::ugni::aries {

using Machine = nic::SimulatedMachine<AriesDevice, Process, Costs>;

}  // namespace aqueduct::ugni::aries
