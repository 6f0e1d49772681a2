// A hot spot: traffic that is not the job's, to one node.
//
// For a while all other nodes take turns in sending it packets of the network's full size, at the times at
// which the node's ejection gate would take `percent` of what it can. Above 100, packets wait in the network:
// first in the buffers before that node, then in those before them. They pass gates, links and buffers as
// messages do; no port hears of them, they are not repeated, and they draw none of the random numbers that
// decide about the faults of messages. A node has at most kMostUnderWay of them under way: what it could not
// send is not sent later.
#pragma once
#include <vector>

#include "sim/faults.hpp"

namespace aqueduct::sim {

class Network;

class HotSpot {
 public:
  static constexpr unsigned kMostUnderWay = 16;

  /// Posts its first event. The network outlives it.
  HotSpot(Network& network, const FaultPlan::HotSpot& plan);

 private:
  void send_next();  // and posts the next time

  Network& network_;
  FaultPlan::HotSpot plan_;
  fabric::NodeId target_ = 0;            // a port of the node
  std::vector<fabric::NodeId> senders_;  // a port of each other node
  std::size_t turn_ = 0;
  Time apart_ = 0;  // from packet to packet
};

}  // namespace aqueduct::sim
