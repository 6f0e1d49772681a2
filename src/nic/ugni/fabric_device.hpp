// The plain device: uGNI over any fabric, without a model of what anything costs. Live between processes, and
// in tests.
//
// What the port has no room for now waits (nic/send_lines.hpp); progress() tries again. Headers of an ordered
// fabric arrive in order, which is what messages in order ask for; one that is not ordered is refused.
//
// Any thread may call anything. The port must outlive it, and bring nothing more when it is destroyed.
#pragma once
#include "nic/send_lines.hpp"
#include "nic/ugni/device.hpp"

namespace aqueduct::ugni {

class FabricDevice : public Device, private fabric::PortClient {
 public:
  /// As many of each as a table holds: memory is what limits a process here.
  static constexpr Limits kLimits{.fma_descriptors = 128, .dedicated_mdds = 4096, .shared_mdds = 65535};

  explicit FabricDevice(fabric::Port& port) : port_(port) {}

  void set_library(Library& library) override;
  NodeId self() const override { return port_.self(); }
  NodeId nodes() const override { return port_.traits().nodes; }
  Limits limits() const override { return kLimits; }
  void enter(Call, std::size_t) override {}
  void send(Transfer& transfer) override;
  void posted() override {}
  Doorbell* doorbell(NodeId node) override { return port_.doorbell(node); }
  unsigned progress() override;

 protected:
  fabric::Port& port() { return port_; }

 private:
  void arrived(const fabric::Arrival& arrival) override;
  void landed(std::uint64_t cookie, fabric::Outcome outcome) override;
  void sent(std::uint64_t cookie) override;
  void undeliverable(std::uint64_t cookie, NodeId target, std::span<const std::byte> header) override;
  void lost(NodeId node) override;

  bool try_send(Transfer& transfer);
  void send_waiting();

  fabric::Port& port_;
  Library* library_ = nullptr;
  nic::SendLines<Transfer> lines_;
};

}  // namespace aqueduct::ugni
