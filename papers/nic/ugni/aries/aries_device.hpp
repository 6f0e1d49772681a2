// The Aries network interface of a process, in a simulation: the FMA window, the block transfer engine (BTE)
// with its channels, and the part that serves requests of others.
//
//   FMA post   call · crossing · send_fma ─▶ network ─▶ take_request · crossing: data, flag, REMOTE event
//   BTE post   call · crossing · send_bte ─▶ network ─▶ the same; has left: crossing, LOCAL event
//   answer     send_response ─▶ network ─▶ take_response · crossing: GLOBAL event
//   get        ... take_request · two crossings to read memory · send_response ─▶ network ─▶ take_response · crossing
//   AMO        ... take_amo · crossing · send_response ─▶ ...
//
// A process takes no part in accesses of others to its memory. The interface sends one message at a time, and
// takes one at a time. A transfer occupies a channel of the BTE until its last byte has left memory; others
// wait for a free channel. Ordered messages leave in the order of their posts, whichever part makes them.
//
// The network handles damaged and lost packets and the routes: adaptive for each packet, or fixed for a pair
// of nodes if the message is ordered. The library does all the work of uGNI. This class decides timing only.
//
// Belongs to the simulation's one thread.
#pragma once
#include <deque>
#include <unordered_map>
#include <vector>

#include "papers/nic/simulated_device.hpp"
#include "papers/nic/ugni/aries/costs.hpp"
#include "papers/nic/ugni/wire_header.hpp"

namespace aqueduct::ugni::aries {

using SimulatedDevice = nic::SimulatedDevice<Device, NicTransfer, Limits, Call, Costs>;

class AriesDevice final : public SimulatedDevice {
 public:
  AriesDevice(sim::Simulation& simulation, NodeId node, const Costs& costs)
      : SimulatedDevice(simulation, node, costs, "a uGNI event"), channels_(costs.bte_channels) {}

  void send(NicTransfer& transfer) override;
  EventFault event_fault() override;
  bool registration_fails() override { return faults_.registration_fails(node_); }

 private:
  // On the way out.
  void start_channels();
  /// The interface makes packets of it.
  void make_packets(NicTransfer& transfer, CostId cost);
  /// The transfer may leave now, or, if it is ordered, as soon as those before it have left.
  void may_leave(NicTransfer& transfer);
  bool try_send(NicTransfer& transfer) override;

  // What the port reports.
  sim::CostId cost_of_taking(std::span<const std::byte> header) const override {
    return costs_.of(kind_of(header));
  }
  void header_read(Record& record) override;
  void take_inline(Record& record);
  void landed(std::uint64_t cookie, fabric::Outcome outcome) override;
  void sent(std::uint64_t cookie) override;

  std::vector<NicTransfer*> channels_;  ///< what each moves; null: it is free
  std::deque<NicTransfer*> without_channel_;
  struct Turn {
    NicTransfer* transfer;
    bool may_leave;
  };
  std::unordered_map<NodeId, std::deque<Turn>> turns_;  ///< by target: in order; looked up, never walked
};

}  // namespace aqueduct::ugni::aries
