// The numbers of its network file that the model of the EXTOLL card uses, looked up once for all nodes. The
// names are those of the file's [costs] and [nic] tables, where every number says where it comes from;
// docs/extoll.md says how they add up for a message.
#pragma once
#include "papers/nic/extoll/wire_header.hpp"
#include "sim/network_model.hpp"

namespace aqueduct::extoll::card {

using sim::CostId;
using sim::NetworkModel;
using sim::Time;

struct Costs {
  /// Ends the program with one line if the network lacks a number.
  explicit Costs(const NetworkModel& model);

  /// The cost of a call for the processor.
  CostId of(Call call) const;
  /// The cost of a message that leaves or comes, for the card.
  CostId of(Unit unit) const;
  CostId of(MessageKind kind) const;

  const NetworkModel& model;

  // Costs of the processor, for the process that calls.
  CostId call_send;     ///< VELO: a descriptor and, for each byte, stores into the requester page
  CostId call_look;     ///< a look at a status word, or at a notification
  CostId call_receive;  ///< VELO: for each byte copied out of slots
  CostId call_commit;   ///< a read pointer written across the bus
  CostId call_post;     ///< RMA: a descriptor
  CostId call_other;
  CostId register_memory;  ///< and for each page

  // Costs of the card, whose units each do one thing at a time.
  CostId send_velo, send_requester, send_responder;
  CostId take_velo;       ///< a message goes to a mailbox
  CostId take_completer;  ///< an NLA is looked up
  CostId take_responder;  ///< the same, or a lock
  CostId take_control;    ///< credits and failures

  // Other numbers.
  Time crossing;  ///< time of a word between processor or memory and card
  Limits limits;
};

}  // namespace aqueduct::extoll::card
