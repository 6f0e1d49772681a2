// The Aries network interface of a process, in a simulation: the FMA window, the block transfer engine with
// its channels, and what serves requests of others.
//
//   FMA post   call · crossing · send_fma ─▶ network ─▶ take_request · crossing: data, flag, REMOTE event
//   BTE post   call · crossing · send_bte ─▶ network ─▶ the same; has left: crossing, LOCAL event
//   answer     send_response ─▶ network ─▶ take_response · crossing: GLOBAL event
//   get        ... take_request · two crossings to read memory · send_response ─▶ network ─▶ take_response · crossing
//   AMO        ... take_amo · crossing · send_response ─▶ ...
//
// No process has a part in what others do to its memory. The interface sends one thing at a time, and takes
// one thing at a time. A transfer occupies a channel of the BTE until its last byte has left memory; others
// wait for one. Messages in order leave in the order in which they were posted, whatever makes them.
//
// Below, the network sees to damaged and lost packets and to the routes: adaptive for each packet, or fixed
// for a pair of nodes if the message is in order. Above, the library decides everything that uGNI decides.
// What happens here is when.
//
// Belongs to the simulation's one thread. A node that crashes takes this with it.
#pragma once
#include <deque>
#include <unordered_map>
#include <vector>

#include "nic/arrival_records.hpp"
#include "nic/send_lines.hpp"
#include "nic/ugni/aries/costs.hpp"
#include "sim/firmware.hpp"
#include "sim/sim_port.hpp"
#include "sim/simulation.hpp"

namespace aqueduct::ugni::aries {

class AriesDevice final : public Device, private fabric::PortClient {
 public:
  /// Takes the port. `costs` and `simulation` outlive it.
  AriesDevice(sim::Simulation& simulation, NodeId node, const Costs& costs);

  void set_library(Library& library) override;
  NodeId self() const override { return node_; }
  NodeId nodes() const override { return port_.traits().nodes; }
  Limits limits() const override { return costs_.limits; }
  void enter(Call call, std::size_t amount) override;
  void send(Transfer& transfer) override;
  std::uint64_t now_ns() override;
  void wait(const Activity& activity, std::uint64_t seen, std::uint64_t deadline_ns) override;
  void posted() override { host_.notify(); }
  Doorbell* doorbell(NodeId) override { return nullptr; }
  unsigned progress() override { return 0; }
  EventFault event_fault() override;
  bool registration_fails() override { return faults_.registration_fails(node_); }

 private:
  using Records = nic::ArrivalRecords<Transfer>;
  using Record = Records::Record;

  // On the way out.
  void start_channels();
  /// The interface makes packets of it.
  void make_packets(Transfer& transfer, CostId cost);
  /// It may leave, as soon as those before it have if it is in order.
  void may_leave(Transfer& transfer);
  void leave(Transfer& transfer);
  bool try_send(Transfer& transfer);

  // What the port reports.
  void arrived(const fabric::Arrival& arrival) override;
  void landed(std::uint64_t cookie, fabric::Outcome outcome) override;
  void sent(std::uint64_t cookie) override;
  void undeliverable(std::uint64_t cookie, NodeId target, std::span<const std::byte> header) override;
  void lost(NodeId node) override { library_->lost(node); }

  void header_read(Record& record);
  void take_inline(Record& record);
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

  sim::Firmware sender_, receiver_;
  std::vector<Transfer*> channels_;  ///< what each moves; null: it is free
  std::deque<Transfer*> without_channel_;
  struct Turn {
    Transfer* transfer;
    bool may_leave;
  };
  std::unordered_map<NodeId, std::deque<Turn>> turns_;  ///< by target: in order; looked up, never walked
  nic::SendLines<Transfer> lines_;
  Records records_;
};

}  // namespace aqueduct::ugni::aries
