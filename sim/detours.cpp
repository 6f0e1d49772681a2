#include "sim/detours.hpp"

#include <algorithm>

#include "sim/engine/random.hpp"

namespace aqueduct::sim {

Detours::Detours(const Topology& topology, unsigned first_channel)
    : topology_(topology), first_channel_(first_channel) {}

void Detours::avoid(LinkId link) {
  if (!avoids_any_) avoided_.resize(topology_.links());
  avoids_any_ = true;
  avoided_[link] = true;
  known_.clear();
}

bool Detours::is_whole(const Steps& steps) const {
  return !avoids_any_ || std::ranges::none_of(steps, [this](const Step& step) { return avoids(step.link); });
}

bool Detours::find(RouterId from, RouterId to, Steps& steps) {
  // A crossbar has one router, and nothing leads around it.
  if (topology_.kind() == TopologyKind::kCrossbar || from == to) return false;
  const auto [known, is_new] = known_.try_emplace(std::uint64_t{from} << 32 | to);
  if (is_new) known->second = look_for(from, to);
  if (known->second.empty()) return false;
  steps = known->second;
  return true;
}

// Breadth first, so that the first way that reaches the end is a shortest one.
Steps Detours::look_for(RouterId from, RouterId to) {
  reached_.resize(std::size_t{topology_.routers()} * kChannels * 2);
  ++search_;
  const Place start = place(from, 0, false);
  border_.assign(1, start);
  reached_[start].search = search_;
  const std::uint64_t choice = mix(std::uint64_t{from} << 32 | to);
  for (std::size_t next = 0; next < border_.size(); ++next) {
    const Place here = border_[next];
    const bool descends = here % 2 != 0;
    const unsigned channel = here / 2 % kChannels;
    const RouterId at = here / 2 / kChannels;
    topology_.links_from(at, links_);
    // Equal ways: another link comes first for each pair.
    if (!links_.empty())
      std::rotate(links_.begin(), links_.begin() + static_cast<std::ptrdiff_t>(choice % links_.size()),
                  links_.end());
    for (const LinkId link : links_) {
      if (avoids(link)) continue;
      const RouterId there = topology_.ends(link)[1];
      const bool climbs = there > at;
      const unsigned its_channel = climbs && descends ? channel + 1 : channel;
      if (its_channel == kChannels) continue;
      const Place reaches = place(there, its_channel, !climbs);
      if (reached_[reaches].search == search_) continue;
      reached_[reaches] = {search_, link, here};
      border_.push_back(reaches);
      if (there != to) continue;
      Steps steps;
      for (Place back = reaches; back != start; back = reached_[back].before)
        steps.push_back({reached_[back].by, first_channel_ + back / 2 % kChannels});
      std::ranges::reverse(steps);
      return steps;
    }
  }
  return {};
}

}  // namespace aqueduct::sim
