// The numbers of its network file that the Aries model uses, looked up once for all nodes.
//
// A name says which part does the work. The names are those of the file's [costs] and [nic] tables, where
// every number says where it comes from; docs/ugni.md says how they add up for a post.
#pragma once
#include "papers/nic/ugni/device.hpp"
#include "papers/nic/ugni/wire_header.hpp"
#include "sim/network_model.hpp"

namespace aqueduct::ugni::aries {

using sim::CostId;
using sim::NetworkModel;
using sim::Time;

struct Costs {
  /// Ends the program with one line if the network lacks a number.
  explicit Costs(const NetworkModel& model);

  /// The cost of a call for the processor.
  CostId of(Call call) const;
  /// The cost of a message that comes, for the interface.
  CostId of(MessageKind kind) const;

  const NetworkModel& model;

  // Costs of the processor, for the process that calls.
  CostId call_fma;        ///< a descriptor checked and the window set up; and for each byte that is stored
  CostId call_rdma;       ///< a descriptor checked and handed to the BTE
  CostId call_event;      ///< a look at a completion queue
  CostId call_completed;  ///< GNI_GetCompleted
  CostId call_message;    ///< a short message made or looked for; and for each byte
  CostId call_datagram;   ///< into the kernel and back
  CostId call_other;
  CostId register_memory;    ///< and for each page
  CostId deregister_memory;  ///< likewise

  // Costs of the interface, which does one thing at a time.
  CostId send_fma;  ///< what was stored into the window becomes packets
  CostId send_bte;  ///< a channel fetches a descriptor and starts to read memory
  CostId send_response;
  CostId take_request;  ///< the registration is looked up
  CostId take_amo;      ///< the same, and the operation
  CostId take_response;

  // Other numbers.
  Time crossing;  ///< time of a word between processor or memory and interface
  std::uint64_t bte_channels;
  Limits limits;
};

}  // namespace aqueduct::ugni::aries
