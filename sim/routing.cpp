#include "sim/routing.hpp"

#include <algorithm>

#include "base/fatal.hpp"

namespace aqueduct::sim {
namespace {

constexpr std::uint64_t kChoices = 3;  // the name of a stream of random numbers
constexpr std::uint32_t kMostLinksUp = 8;
constexpr std::uint64_t kNoWay = ~std::uint64_t{0};  // the cost of a candidate over a cable that is avoided

std::uint64_t hash_of(fabric::NodeId from, fabric::NodeId to) {
  return mix((std::uint64_t{from} << 32 | to) + 0x9e3779b97f4a7c15u);
}

}  // namespace

Router::Router(const NetworkModel& model, const Topology& topology, const LinkQueues& queues,
               std::uint64_t seed, bool cables_fail)
    : topology_(topology),
      queues_(queues),
      routing_(model.routing),
      needed_(topology.channels_needed(model.routing)),
      channels_(model.channels != 0 ? model.channels : needed_) {
  if (channels_ < needed_) {
    fatal("simulation", "%s has %u virtual channels; its routing needs %u to be free of deadlock",
          model.name.c_str(), channels_, needed_);
  }
  if (cables_fail) detours_.emplace(topology, channels_);
  if (!is_adaptive()) return;
  random_.reserve(topology.nodes());
  for (fabric::NodeId node = 0; node < topology.nodes(); ++node) random_.emplace_back(seed, kChoices, node);
}

void Router::choose(fabric::NodeId from, fabric::NodeId to, bool in_order, Steps& steps) {
  Way way;
  if (routing_ == Routing::kFixed) {
    way = topology_.usual(from, to);
  } else if (routing_ == Routing::kHashed || in_order) {
    way = hashed(from, to);
  } else {
    way = adaptive(from, to);
  }
  topology_.find(from, to, way, steps);
  if (detours_ && !detours_->is_whole(steps) &&
      detours_->find(topology_.router_of(from), topology_.router_of(to), steps))
    return;
  const unsigned sets = channels_ / needed_;
  if (sets == 1) return;
  const auto set = static_cast<std::uint32_t>((hash_of(from, to) >> 32) % sets);
  for (Step& step : steps) step.channel += set * needed_;
}

Way Router::hashed(fabric::NodeId from, fabric::NodeId to) const {
  const std::uint64_t hash = hash_of(from, to);
  Way way;
  way.backwards = (hash & 1) != 0;
  way.spread = static_cast<std::uint32_t>(hash >> 1);
  return way;
}

std::uint64_t Router::cost(fabric::NodeId from, fabric::NodeId to, const Way& way) {
  topology_.find(from, to, way, candidate_);
  if (detours_ && !detours_->is_whole(candidate_)) return kNoWay;
  return candidate_.empty() ? 0 : std::uint64_t{queues_.queued(candidate_.front().link)} * candidate_.size();
}

Way Router::adaptive(fabric::NodeId from, fabric::NodeId to) {
  Random& random = random_[from];
  Way best;
  std::uint64_t least = kNoWay;
  const auto offer = [&](const Way& way) {
    const std::uint64_t its = cost(from, to, way);
    if (its >= least) return;
    least = its;
    best = way;
  };
  switch (topology_.kind()) {
    case TopologyKind::kCrossbar:
      break;
    case TopologyKind::kTorus:
    case TopologyKind::kMesh: {
      // Draws which of two equal candidates comes first, so that both carry traffic also when the network is
      // idle.
      const bool first = random.below(2) != 0;
      offer({.backwards = first});
      offer({.backwards = !first});
      break;
    }
    case TopologyKind::kTree: {
      const std::uint32_t arity = topology_.shape().arity;
      const auto spread = static_cast<std::uint32_t>(random.next() >> 33);
      const std::uint32_t count = topology_.levels_up(from, to) == 0 ? 1 : std::min(arity, kMostLinksUp);
      for (std::uint32_t i = 0; i < count; ++i)
        offer({.spread = spread - spread % arity + (spread + i) % arity});
      break;
    }
    case TopologyKind::kDragonfly: {
      const RouterId start = topology_.router_of(from), end = topology_.router_of(to);
      const auto draw = [&](std::uint32_t bound) { return static_cast<std::uint32_t>(random.below(bound)); };
      const std::uint32_t copies = std::max(topology_.links_between_groups(), 1u);
      const std::uint32_t here = topology_.group_of(start), there = topology_.group_of(end);
      for (int i = 0; i < (here == there ? 1 : 2); ++i) offer({.spread = draw(copies)});
      const bool has_third = here == there ? topology_.group_routers() > 2 : topology_.groups() > 2;
      if (start == end || !has_third) break;
      for (int i = 0; i < 2; ++i) {
        const std::uint32_t via = here == there
                                      ? here * topology_.group_routers() + draw(topology_.group_routers())
                                      : draw(topology_.groups());
        const bool is_end = here == there ? via == start || via == end : via == here || via == there;
        if (!is_end) offer({.spread = draw(copies), .via = via});
      }
      break;
    }
  }
  return best;
}

}  // namespace aqueduct::sim
