// Where in a network the faults of a plan are.
#pragma once
#include <string>
#include <vector>

#include "sim/faults.hpp"
#include "sim/topology.hpp"

namespace aqueduct::sim {

/// Both directions of a cable; on a crossbar "0-1" is the cables of both nodes. Empty if there is none.
std::vector<LinkId> links_of(const FaultPlan::Cable& cable, const Topology& topology);

/// All links to and from a router.
std::vector<LinkId> links_at(RouterId router, const Topology& topology);

/// One line about the first fault that this network cannot have (a node, router or cable that is not there);
/// empty if it can have all.
std::string misfit(const FaultPlan& plan, const Topology& topology, const NetworkModel& model);

}  // namespace aqueduct::sim
