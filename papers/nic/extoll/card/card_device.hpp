// The EXTOLL card as a process sees it, in a simulation.
//
//   VELO        call · crossing · send_velo ─▶ network ─▶ take_velo · crossing: slots of the mailbox
//   put         call · crossing · send_requester, memory read (2 crossings) ─▶ network ─▶ take_completer · crossing
//   get, lock   call · crossing · send_requester ─▶ network ─▶ take_responder, memory read (2 crossings, gets) ·
//               send_responder ─▶ network ─▶ take_completer · crossing
//
// A process takes no part in accesses of others to its memory or mailboxes. The card sends one message at a
// time and takes one at a time, for all processes of its node (cards.hpp). Messages between two nodes keep
// their order, as on a mesh with fixed routes.
//
// The network handles damaged and lost packets, and the library does all the work of VELO and RMA. This class
// decides timing only.
//
// Belongs to the simulation's one thread.
#pragma once
#include "papers/nic/extoll/card/cards.hpp"
#include "papers/nic/simulated_device.hpp"

namespace aqueduct::extoll::card {

using SimulatedDevice = nic::SimulatedDevice<Device, NicTransfer, Limits, Call, Costs>;

class CardDevice final : public SimulatedDevice {
 public:
  /// `cards` and `simulation` outlive it.
  CardDevice(sim::Simulation& simulation, NodeId node, Cards& cards)
      : SimulatedDevice(simulation, node, cards.costs(), "EXTOLL", &cards.of(simulation, node)) {}

  void send(NicTransfer& transfer) override;
  void waits_for(const char* what) override { waits_for_ = what; }
  bool memory_fails() override { return faults_.registration_fails(node_); }

 private:
  bool try_send(NicTransfer& transfer) override;
  sim::CostId cost_of_taking(std::span<const std::byte> header) const override {
    return costs_.of(kind_of(header));
  }
  void header_read(Record& record) override;
  void take(Record& record);
  void landed(std::uint64_t cookie, fabric::Outcome outcome) override;
  void sent(std::uint64_t cookie) override;
};

}  // namespace aqueduct::extoll::card
