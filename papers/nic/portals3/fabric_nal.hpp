// The plain NAL: Portals over any fabric, without a model of what anything costs. Live between processes, and
// the simulated network interface that is nothing but a wire.
//
// What the port has no room for now waits (nic/send_lines.hpp); progress() tries again. A payload that came
// along with its header is copied at once.
//
// Any thread may call anything. The port must outlive it, and bring nothing more when it is destroyed.
#pragma once
#include "papers/nic/portals3/nal.hpp"
#include "papers/nic/send_lines.hpp"

namespace aqueduct::portals3 {

class FabricNal : public Nal, private fabric::PortClient {
 public:
  explicit FabricNal(fabric::Port& port);

  void set_library(Library& library) override;
  NodeId self() const override { return port_.self(); }
  NodeId nodes() const override { return port_.traits().nodes; }
  unsigned long distance(NodeId node) const override { return port_.distance(node); }
  void send(Transfer& transfer, Context context) override;
  unsigned progress() override;

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

}  // namespace aqueduct::portals3
