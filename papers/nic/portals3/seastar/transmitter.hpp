// The transmit side of the interface: turns commands into messages, in order.
//
//   command ──crossing──▶ firmware: transmit ──▶ a free slot? ──▶ the port carries it
//                                                             ──▶ firmware: transmitted
//
// The number of slots is limited. A message that finds none free waits for one and is then sent by a slower
// protocol (firmware_overflow).
#pragma once
#include "fabric/fabric.hpp"
#include "papers/nic/portals3/seastar/bridges.hpp"
#include "papers/nic/portals3/seastar/transfer_list.hpp"
#include "sim/firmware.hpp"

namespace aqueduct::portals3::seastar {

class Transmitter {
 public:
  Transmitter(fabric::Port& port, sim::Firmware& firmware, const Costs& costs)
      : port_(port), firmware_(firmware), costs_(costs) {}

  /// A command has reached the interface. The port reports the end with the transfer's address as its cookie.
  void command(NicTransfer& transfer);
  /// A message has left and its slot is free.
  void left();

  std::uint64_t overflows() const { return overflows_; }

 private:
  void programmed(NicTransfer& transfer);
  void hand_over(NicTransfer& transfer);
  void drain();

  fabric::Port& port_;
  sim::Firmware& firmware_;
  const Costs& costs_;
  TransferList without_slot_;
  TransferList refused_;  // by the port, for the moment
  std::uint64_t slots_in_use_ = 0;
  std::uint64_t overflows_ = 0;
};

}  // namespace aqueduct::portals3::seastar
