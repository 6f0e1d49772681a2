// The numbers of its network file that the SeaStar model uses, looked up once for all nodes.
//
// A name says which part does the work. The names are those of the file's [costs] and [nic] tables, where
// every number says which paper gives it or how it was calibrated; docs/portals.md says how they add up for a
// message.
#pragma once
#include "sim/network_model.hpp"

namespace aqueduct::portals3::seastar {

using sim::CostId;
using sim::NetworkModel;
using sim::Time;

struct Costs {
  /// Ends the program with one line if the network lacks a number.
  explicit Costs(const NetworkModel& model);

  const NetworkModel& model;

  // Costs of the processor, for the process that calls.
  CostId trap;         ///< into the light-weight kernel and back
  CostId system_call;  ///< into Linux and back
  CostId call_put;     ///< the library's work for a put or getput until its command is ready
  CostId call_get;
  CostId call_event;  ///< a look at an event queue
  CostId call_other;
  CostId pin;        ///< to register memory under Linux, and for each page
  CostId unpin;      ///< likewise
  CostId page_list;  ///< to make a list of pages, where memory has more than one

  // Costs of the processor, for a process or in an interrupt.
  CostId push_command;  ///< one command to the interface
  CostId push_page;     ///< for each page of a list that goes with it

  // Costs of the processor in an interrupt.
  CostId interrupt_entry;
  CostId match;  ///< a header: read it and post its START event; and for each match entry that was compared
  CostId complete;  ///< a transfer that is over: post its END event
  CostId interrupt_exit;

  // Costs of the interface's processor.
  CostId firmware_transmit;     ///< a command to send: program the transmit engine
  CostId firmware_transmitted;  ///< the transmit engine is done
  CostId firmware_header;       ///< a new header: read it, and have it copied to the host
  CostId firmware_deposit;      ///< a command to deposit: program the receive engine
  CostId firmware_deposited;    ///< the receive engine is done
  CostId firmware_page;         ///< for each page of a command's list
  CostId firmware_match;        ///< as `match`, for an accelerated process
  CostId firmware_event;        ///< write an event into the memory of an accelerated process
  CostId firmware_overflow;     ///< extra cost of a message without a free transmit slot

  // Other numbers.
  Time crossing;                      ///< time of a word between processor and interface
  std::size_t page_bytes;             ///< of Linux
  std::uint64_t transmit_slots;       ///< messages that can be with the transmit engine at once
  std::uint64_t accelerated_clients;  ///< processes of a node that the interface can match for
};

}  // namespace aqueduct::portals3::seastar
