// The plain device (nic/fabric_device.hpp) for EXTOLL.
#pragma once
#include "papers/nic/extoll/device.hpp"
#include "papers/nic/fabric_device.hpp"

namespace aqueduct::extoll {

class FabricDevice : public nic::FabricDevice<Device, Library, NicTransfer> {
 public:
  /// A mailbox is one segment of 64 KiB. A sender spends its credits in about the time that they take to come
  /// back from a peer that polls now and then.
  static constexpr Limits kLimits{.message_bytes = 120,
                                  .mailbox_slots = 1024,
                                  .send_credits = 64,
                                  .notifications = 4096,
                                  .requests = 1024};

  explicit FabricDevice(fabric::Port& port)
      : nic::FabricDevice<Device, Library, NicTransfer>(port, "EXTOLL") {}

  Limits limits() const override { return kLimits; }
  void enter(Call, std::size_t) override {}
  void posted() override {}
};

}  // namespace aqueduct::extoll
