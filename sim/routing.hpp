// Chooses the way of a packet if the topology offers several.
//
//   fixed      the usual way of the pair (dimension order; on a dragonfly and a tree "minimal")
//   hashed     one of the ways of that length, by a hash of source and target, so always the same for a pair
//   adaptive   chosen for every packet when it leaves, by the queues of its own router: of two or more
//              candidates the one with the least (packets that wait for its first link) x (its hops)
//
// Candidates of adaptive routing: on a torus or mesh both orders of axes; on a tree up to eight of the links
// up; on a dragonfly two of the global links that lead to the target's group, at random, and two ways through
// a third group (or, within one group, a third router), at random, which must be strictly better.
//
// Fixed and hashed routing keep the messages of a pair in order. Under adaptive routing a message that asks
// for order (Network::send) takes its hashed way, and stays in order with others that ask for it.
#pragma once
#include "sim/engine/random.hpp"
#include "sim/topology.hpp"

namespace aqueduct::sim {

/// The queues that adaptive routing compares.
class LinkQueues {
 public:
  /// Packets that wait for the link, and those that wait at its end.
  virtual unsigned queued(LinkId link) const = 0;

 protected:
  ~LinkQueues() = default;
};

class Router {
 public:
  /// Ends the program with one line if the network has too few channels. All arguments outlive it.
  Router(const NetworkModel& model, const Topology& topology, const LinkQueues& queues, std::uint64_t seed);

  bool is_adaptive() const { return routing_ == Routing::kAdaptive; }
  unsigned channels() const { return channels_; }
  /// Writes the steps from a node to another, with their channels.
  void choose(fabric::NodeId from, fabric::NodeId to, bool in_order, Steps& steps);

 private:
  Way hashed(fabric::NodeId from, fabric::NodeId to) const;
  Way adaptive(fabric::NodeId from, fabric::NodeId to);
  std::uint64_t cost(fabric::NodeId from, fabric::NodeId to, const Way& way);

  const Topology& topology_;
  const LinkQueues& queues_;
  Routing routing_;
  unsigned needed_, channels_;
  std::vector<Random> random_;  // by node, where routing is adaptive
  Steps candidate_;
};

}  // namespace aqueduct::sim
