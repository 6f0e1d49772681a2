#include "sim/fault_places.hpp"

namespace aqueduct::sim {
namespace {

std::string number(std::uint64_t value) { return std::to_string(value); }

std::string check_node(fabric::NodeId node, const Topology& topology) {
  if (node < topology.nodes()) return "";
  return "a fault names node " + number(node) + "; there are " + number(topology.nodes());
}

std::string check_router(RouterId router, const Topology& topology) {
  if (topology.has_router(router)) return "";
  const bool is_crossbar = topology.kind() == TopologyKind::kCrossbar;
  return "a fault names router " + number(router) + "; " +
         (is_crossbar ? "the only one of a crossbar has the number " + number(topology.nodes())
                      : "there are " + number(topology.routers()));
}

std::string check_cable(const FaultPlan::Cable& cable, const Topology& topology) {
  const bool is_crossbar = topology.kind() == TopologyKind::kCrossbar;
  for (const std::uint32_t end : {cable.a, cable.b}) {
    // The other end of a crossbar's links is a node.
    const bool is_node = !cable.of_routers || (is_crossbar && end < topology.nodes());
    const std::string wrong = is_node ? check_node(end, topology) : check_router(end, topology);
    if (!wrong.empty()) return wrong;
  }
  if (!links_of(cable, topology).empty()) return "";
  std::string line = std::string("there is no cable between ") + (cable.of_routers ? "routers " : "nodes ") +
                     number(cable.a) + " and " + number(cable.b);
  if (!cable.of_routers && topology.kind() == TopologyKind::kTree)
    line += "; those of a tree join switches: name them r" + number(topology.router_of(cable.a)) + "-r" +
            number(topology.nodes() / topology.shape().arity) + " or so, as --links shows them";
  return line;
}

}  // namespace

std::vector<LinkId> links_of(const FaultPlan::Cable& cable, const Topology& topology) {
  if (topology.kind() == TopologyKind::kCrossbar) {
    if (cable.a == cable.b) return {};
    // Of routers: that between the switch and a node.
    std::vector<LinkId> links;
    for (const std::uint32_t end : {cable.a, cable.b})
      if (end < topology.nodes()) links.push_back(end);
    return cable.of_routers && links.size() != 1 ? std::vector<LinkId>() : links;
  }
  const RouterId a = cable.of_routers ? cable.a : topology.router_of(cable.a);
  const RouterId b = cable.of_routers ? cable.b : topology.router_of(cable.b);
  return a == b ? std::vector<LinkId>() : topology.links_between(a, b);
}

std::vector<LinkId> links_at(RouterId router, const Topology& topology) {
  std::vector<LinkId> links, back;
  topology.links_from(router, links);
  if (topology.kind() == TopologyKind::kCrossbar) return links;
  const std::size_t count = links.size();
  for (std::size_t i = 0; i < count; ++i) {
    topology.links_from(topology.ends(links[i])[1], back);
    for (const LinkId link : back)
      if (topology.ends(link)[1] == router) links.push_back(link);
  }
  return links;
}

std::string misfit(const FaultPlan& plan, const Topology& topology, const NetworkModel& model) {
  std::string wrong;
  const auto look = [&](const std::string& line) {
    if (wrong.empty()) wrong = line;
  };
  if (plan.reorder != 0 && model.ordered)
    look(model.name + " keeps messages in order, so nothing can be reordered there");
  for (const auto& it : plan.slow) look(check_node(it.node, topology));
  for (const auto& it : plan.freezes) look(check_node(it.node, topology));
  for (const auto& it : plan.crashes) look(check_node(it.node, topology));
  for (const auto& it : plan.cuts) look(check_cable(it.cable, topology));
  for (const auto& it : plan.dead_routers) look(check_router(it.router, topology));
  for (const auto& it : plan.slow_links) look(check_cable(it.cable, topology));
  for (const auto& it : plan.hot_spots) {
    look(check_node(it.node, topology));
    if (topology.nodes() == 1) look("a hot spot needs another node that sends to it");
  }
  return wrong;
}

}  // namespace aqueduct::sim
