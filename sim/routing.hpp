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
//
// Cables that are cut. Nobody knows at first: what is sent over the cable is lost, and is tried again after
// the time-out of the network's reliability. NetworkModel::reroute after the failure, routers avoid the cable
// (avoid() is called). Then a candidate that leads over it is none. A packet that has no other one, or whose
// fixed or hashed way leads over the cable, makes a detour around it (detours.hpp), in channels of its own.
// Where there is no detour either, it takes its usual way and is lost. Fixed and hashed ways that lead over
// no such cable stay what they were.
#pragma once
#include <optional>

#include "sim/detours.hpp"
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
  /// `cables_fail`: avoid() may be called, so there are channels for detours.
  Router(const NetworkModel& model, const Topology& topology, const LinkQueues& queues, std::uint64_t seed,
         bool cables_fail = false);

  bool is_adaptive() const { return routing_ == Routing::kAdaptive; }
  /// With those of detours, if there may be any.
  unsigned channels() const { return channels_ + (detours_ ? Detours::kChannels : 0); }
  /// From now on no packet is sent over this link where another way exists.
  void avoid(LinkId link) { detours_->avoid(link); }
  bool is_detour(const Steps& steps) const { return detours_ && detours_->is_detour(steps); }
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
  std::optional<Detours> detours_;
};

}  // namespace aqueduct::sim
