// The plain device (nic/fabric_device.hpp) for uGNI.
#pragma once
#include "papers/nic/fabric_device.hpp"
#include "papers/nic/ugni/device.hpp"

namespace aqueduct::ugni {

class FabricDevice : public nic::FabricDevice<Device, Library, NicTransfer> {
 public:
  /// As many of each as a table holds: memory is what limits a process here.
  static constexpr Limits kLimits{.fma_descriptors = 128, .dedicated_mdds = 4096, .shared_mdds = 65535};

  explicit FabricDevice(fabric::Port& port) : nic::FabricDevice<Device, Library, NicTransfer>(port, "uGNI") {}

  Limits limits() const override { return kLimits; }
  void enter(Call, std::size_t) override {}
  void posted() override {}
};

}  // namespace aqueduct::ugni
