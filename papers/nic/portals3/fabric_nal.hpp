// The plain NAL (nic/fabric_device.hpp): live between processes, and the simulated network interface that is
// nothing but a wire.
#pragma once
#include "papers/nic/fabric_device.hpp"
#include "papers/nic/portals3/nal.hpp"

namespace aqueduct::portals3 {

class FabricNal final : public nic::FabricDevice<Nal, Library, NicTransfer> {
 public:
  explicit FabricNal(fabric::Port& port) : nic::FabricDevice<Nal, Library, NicTransfer>(port, "Portals") {}

  unsigned long distance(NodeId node) const override { return port().distance(node); }
};

}  // namespace aqueduct::portals3
