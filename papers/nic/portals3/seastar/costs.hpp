// What the SeaStar model asks of its network file, looked up once for all nodes.
//
// Work is named after what does it. The names are those of the file's [costs] and [nic] tables, where every
// number says which paper gave it or against what it was calibrated; docs/portals.md says how they add up to
// a message's way.
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

  // By the processor, for the process that calls.
  CostId trap;         ///< into the light-weight kernel and back
  CostId system_call;  ///< into Linux and back
  CostId call_put;     ///< what the library does for a put or getput until its command is ready
  CostId call_get;
  CostId call_event;  ///< a look at an event queue
  CostId call_other;
  CostId pin;        ///< to make memory known under Linux, and for each page
  CostId unpin;      ///< likewise
  CostId page_list;  ///< to make a list of pages, where memory has more than one

  // By the processor, for a process or in an interrupt.
  CostId push_command;  ///< one command to the interface
  CostId push_page;     ///< for each page of a list that goes with it

  // By the processor, in an interrupt.
  CostId interrupt_entry;
  CostId match;     ///< a header: look at it, post its start; and for each match entry that was looked at
  CostId complete;  ///< a transfer that is over: post its end
  CostId interrupt_exit;

  // By the interface's processor.
  CostId firmware_transmit;     ///< a command to send: program the transmit engine
  CostId firmware_transmitted;  ///< the transmit engine is done
  CostId firmware_header;       ///< a new header: read it, and have it copied to the host
  CostId firmware_deposit;      ///< a command to deposit: program the receive engine
  CostId firmware_deposited;    ///< the receive engine is done
  CostId firmware_page;         ///< for each page of a command's list
  CostId firmware_match;        ///< as `match`, for an accelerated process
  CostId firmware_event;        ///< write an event into the memory of an accelerated process
  CostId firmware_overflow;     ///< more for a message that found no free transmit slot

  // Other numbers.
  Time crossing;                      ///< a word's way between processor and interface
  std::size_t page_bytes;             ///< of Linux
  std::uint64_t transmit_slots;       ///< messages that can be with the transmit engine at once
  std::uint64_t accelerated_clients;  ///< processes of a node that the interface can match for
};

}  // namespace aqueduct::portals3::seastar
