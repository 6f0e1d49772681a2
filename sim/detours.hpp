// Ways around cables that routers avoid, for packets whose own ways all lead over such a cable.
//
// A detour is a shortest way over cables that are not avoided; among several the pair of routers decides. It
// is chosen where the packet starts, as all ways are.
//
// Freedom of deadlock. Routers have numbers, and a step to a higher one climbs. Detours have kChannels
// virtual channels of their own. A detour begins in the first of them; where it climbs again after it has
// descended, it changes to the next. So along a detour the channel never falls, and within one channel it
// first climbs, from router to higher router, and then descends: buffers that are sorted by channel, then
// climbing before descending, then by router, are passed in one direction only. No circle of them can wait
// for itself, whatever was avoided when each of the packets under way chose. Detours and other ways wait for
// each other only at gates.
//
// (This is up*/down* routing, as Autonet and Myrinet had it, with a fixed numbering in place of a tree that
// every failure would change, and with channels for further climbs.) A pair that could only be joined with
// more than kChannels climbs has no detour. Tests count these: none where a cable or a router of any of their
// networks is gone, none where a tenth of all cables are.
#pragma once
#include <unordered_map>

#include "sim/topology.hpp"

namespace aqueduct::sim {

class Detours {
 public:
  static constexpr unsigned kChannels = 4;

  /// Their channels are numbered from `first_channel` on. The topology outlives it.
  Detours(const Topology& topology, unsigned first_channel);

  /// From now on no detour leads over this link.
  void avoid(LinkId link);
  bool avoids_any() const { return avoids_any_; }
  bool avoids(LinkId link) const { return avoids_any_ && avoided_[link]; }
  /// Whether none of the links is avoided.
  bool is_whole(const Steps& steps) const;
  bool is_detour(const Steps& steps) const {
    return !steps.empty() && steps.front().channel >= first_channel_;
  }
  /// Writes the detour between two routers; leaves `steps` as they are and returns false if there is none.
  bool find(RouterId from, RouterId to, Steps& steps);

 private:
  /// A router that a search has reached, in a channel, climbing or descending.
  using Place = std::uint32_t;
  struct Reached {
    std::uint32_t search = 0;  // the number of the search that came here last
    LinkId by = 0;
    Place before = 0;
  };

  static Place place(RouterId router, unsigned channel, bool descends) {
    return (router * kChannels + channel) * 2 + (descends ? 1 : 0);
  }
  Steps look_for(RouterId from, RouterId to);

  const Topology& topology_;
  unsigned first_channel_;
  bool avoids_any_ = false;
  std::vector<bool> avoided_;                       // by link, from the first one on
  std::unordered_map<std::uint64_t, Steps> known_;  // by both routers; looked up, never walked. Empty: none
  std::vector<Reached> reached_;                    // by place
  std::vector<Place> border_;
  std::vector<LinkId> links_;  // of the router that is looked at
  std::uint32_t search_ = 0;
};

}  // namespace aqueduct::sim
