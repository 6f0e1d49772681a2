// The SeaStar as a NAL, in a simulation: a host, an interface with a processor of its own, and a port to the
// network, shared by all processes of a node.
//
// The host serves generic processes. The interface copies a new header to the host and interrupts it; in the
// interrupt the library matches and sends a command to the interface, which deposits the payload and
// interrupts again when it is in place. A payload in the header's packet is delivered in the first interrupt,
// which is the step after 12 bytes in the paper's figures. A message that has been sent interrupts as well,
// if its process gets an event for it:
//
//   sender      trap · call · push  ─▶ firmware ─▶ engine ─▶ firmware ─▶ interrupt: SEND_END
//   target, up to inline_bytes      ─▶ firmware ─▶ interrupt: match, PUT_START, PUT_END
//   target, above                   ─▶ firmware ─▶ interrupt: match, PUT_START, push
//                                   ─▶ firmware ─▶ engine ─▶ firmware ─▶ interrupt: PUT_END
//
// Nobody waits for the departure of gets and acknowledgements, so they cause no interrupt.
//
// The interface serves accelerated processes: its processor runs the library and writes events into their
// memory, without traps and interrupts.
//
// The network handles damaged and lost packets (end-to-end CRC-32, retries), and the library does all the
// work of Portals. This class decides timing only.
//
// Belongs to the simulation's one thread.
#pragma once
#include "papers/nic/arrival_records.hpp"
#include "papers/nic/portals3/seastar/bridges.hpp"
#include "papers/nic/portals3/seastar/transmitter.hpp"
#include "sim/firmware.hpp"
#include "sim/simulation.hpp"

namespace aqueduct::portals3::seastar {

class SeaStarNal final : public Nal, private fabric::PortClient, private sim::InterruptHandler<Cause> {
 public:
  /// Takes the port of the node. `costs` and `simulation` outlive it.
  SeaStarNal(sim::Simulation& simulation, NodeId node, const Costs& costs);

  void set_library(Library& library) override { library_ = &library; }
  NodeId self() const override { return port_.self(); }
  NodeId nodes() const override { return port_.traits().nodes; }
  unsigned long distance(NodeId node) const override { return port_.distance(node); }
  ptl_ni_limits_t limits() const override;
  void send(NicTransfer& transfer) override;
  unsigned progress() override { return 0; }

  /// The parts that bridges of this node use.
  NodeParts parts() { return {host_, costs_, faults_, interrupts_}; }

  std::uint64_t interrupts() const { return interrupts_.served(); }
  std::uint64_t overflows() const { return transmitter_.overflows(); }

 private:
  using Records = nic::ArrivalRecords<NicTransfer>;
  using Record = Records::Record;

  // What the port reports.
  void arrived(const fabric::Arrival& arrival) override;
  void landed(std::uint64_t cookie, fabric::Outcome outcome) override;
  void sent(std::uint64_t cookie) override;
  void undeliverable(std::uint64_t cookie, NodeId target, std::span<const std::byte> header) override;
  void lost(NodeId node) override { library_->lost(node); }

  // In interrupts of the host.
  void interrupted(const Cause& cause) override;
  void match_on_host(Record& record);
  void answer_on_host(Record& record);
  void complete_on_host(NicTransfer& transfer, ptl_ni_fail_t fail);
  void push_on_host(NicTransfer& transfer);
  void push_collected();

  // On the interface's processor.
  void header_read(Record& record);
  void match_on_interface(Record& record);
  void answer_on_interface(Record& record);
  void complete_on_interface(NicTransfer& transfer, ptl_ni_fail_t fail);
  void transmit_collected();
  void deposit(Record& record);
  void over(NicTransfer& transfer, Cause::Kind kind, bool failed);

  void raise(const Cause& cause);
  void take_inline(Record& record);
  SeaStarBridge& bridge_of(const NicTransfer& transfer) const {
    return static_cast<SeaStarBridge&>(*transfer.bridge);
  }

  sim::Engine& engine_;
  sim::Host& host_;
  sim::Faults& faults_;
  fabric::Port& port_;
  const Costs& costs_;
  NodeId node_;
  Library* library_ = nullptr;

  sim::Firmware firmware_;
  InterruptLine interrupts_;
  Transmitter transmitter_;
  Records records_;
  TransferList collected_;  // transfers that the library sends while this class calls it
};

}  // namespace aqueduct::portals3::seastar
