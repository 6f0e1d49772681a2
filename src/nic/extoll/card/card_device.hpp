// The EXTOLL card of a process, in a simulation.
//
//   VELO        call · crossing · send_velo ─▶ network ─▶ take_velo · crossing: slots of the mailbox
//   put         call · crossing · send_requester, memory read (2 crossings) ─▶ network ─▶ take_completer · crossing
//   get, lock   call · crossing · send_requester ─▶ network ─▶ take_responder, memory read (2 crossings, gets) ·
//               send_responder ─▶ network ─▶ take_completer · crossing
//
// No process has a part in what others do to its memory or mailboxes. The card sends one thing at a time and
// takes one at a time. Messages between two nodes keep their order: a mesh with fixed routes.
//
// Below, the network sees to damaged and lost packets. Above, the library decides everything that VELO and
// RMA decide. What happens here is when.
//
// Belongs to the simulation's one thread. A node that crashes takes this with it.
#pragma once
#include "nic/arrival_records.hpp"
#include "nic/extoll/card/costs.hpp"
#include "nic/send_lines.hpp"
#include "sim/firmware.hpp"
#include "sim/sim_port.hpp"
#include "sim/simulation.hpp"

namespace aqueduct::extoll::card {

class CardDevice final : public Device, private fabric::PortClient {
 public:
  /// Takes the port. `costs` and `simulation` outlive it.
  CardDevice(sim::Simulation& simulation, NodeId node, const Costs& costs);

  void set_library(Library& library) override;
  NodeId self() const override { return node_; }
  NodeId nodes() const override { return port_.traits().nodes; }
  Limits limits() const override { return costs_.limits; }
  void enter(Call call, std::size_t amount) override;
  void send(Transfer& transfer) override;
  std::uint64_t now_ns() override;
  void wait(const Activity& activity, std::uint64_t seen, std::uint64_t deadline_ns) override;
  void waits_for(const char* what) override { waits_for_ = what; }
  void posted() override { host_.notify(); }
  Doorbell* doorbell(NodeId) override { return nullptr; }
  unsigned progress() override { return 0; }
  bool memory_fails() override { return faults_.registration_fails(node_); }

 private:
  using Records = nic::ArrivalRecords<Transfer>;
  using Record = Records::Record;

  void leave(Transfer& transfer);
  bool try_send(Transfer& transfer);

  // What the port reports.
  void arrived(const fabric::Arrival& arrival) override;
  void landed(std::uint64_t cookie, fabric::Outcome outcome) override;
  void sent(std::uint64_t cookie) override;
  void undeliverable(std::uint64_t cookie, NodeId target, std::span<const std::byte> header) override;
  void lost(NodeId node) override { library_->lost(node); }
  void header_read(Record& record);
  void take(Record& record);
  void cross(const sim::Action& action) {
    engine_.after(costs_.crossing, {sim::kEventWritten, node_}, action);
  }

  sim::Engine& engine_;
  sim::Host& host_;
  sim::Faults& faults_;
  sim::SimPort& port_;
  const Costs& costs_;
  NodeId node_;
  Library* library_ = nullptr;
  const char* waits_for_ = "EXTOLL";
  sim::Firmware sender_, receiver_;
  nic::SendLines<Transfer> lines_;
  Records records_;
};

}  // namespace aqueduct::extoll::card
