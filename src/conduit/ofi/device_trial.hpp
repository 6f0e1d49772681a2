// Tries whether a provider moves the memory of a device: two endpoints of one process write and read a
// pattern, in all combinations of host and device, and the driver says what is there afterwards. Runs in a
// process of its own (conduit/plugin/probe.hpp), since providers that were built for other devices, or for
// none, may crash, hang, or move something else.
#pragma once
#include <string>

#include "conduit/conduit.hpp"

namespace aqueduct::conduit::ofi {

/// Description::try_device.
std::string try_device(const job::Membership& membership, device::Family family, int ordinal);

}  // namespace aqueduct::conduit::ofi
