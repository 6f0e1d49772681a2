// How the members of a team lie: which of them share a host, in the order of their ranks.
//
// Collectives over several hosts go hand in hand inside each host first, so that one member of each, its
// leader, deals with the network. Where all share one host, or none does, there are no groups to speak of.
#pragma once
#include <vector>

#include "extended/collectives/ranks.hpp"

namespace aqueduct::extended::collectives {

class Layout {
 public:
  /// `host_of[r]` is the number of the host of member r; any numbers will do. Empty: no two of the `size`
  /// members share a host, and nothing need be kept about each.
  Layout(const std::vector<std::uint32_t>& host_of, gex_Rank_t size, gex_Rank_t me);

  Ranks all() const { return {size_, me_}; }
  /// Whether hosts make a difference: there are several, and some have more than one member.
  bool grouped() const { return leaders_.size() > 1 && leaders_.size() < group_of_.size(); }
  /// Whether every host has consecutive ranks, so that combining hosts in order combines ranks in order.
  bool in_order() const { return in_order_; }

  // What follows may be asked only where hosts make a difference.

  /// The members of this member's host. The leader is the first, unless a call names another root.
  Ranks group() const { return {group_.data(), static_cast<gex_Rank_t>(group_.size()), my_place_}; }
  bool in_my_group(gex_Rank_t rank) const { return group_of_[rank] == group_of_[me_]; }
  gex_Rank_t group_of(gex_Rank_t rank) const { return group_of_[rank]; }
  /// The place in group() of `rank`, which is in it.
  gex_Rank_t place_in_group(gex_Rank_t rank) const;

  /// One member for each host, in the order of hosts; `root` for its own. Our place is that of our host.
  /// Valid until the next call.
  Ranks leaders(gex_Rank_t root);
  Ranks leaders() { return leaders(leaders_[0]); }

 private:
  std::vector<gex_Rank_t> group_of_;  // by member, numbered in the order of their first members
  std::vector<gex_Rank_t> leaders_;
  std::vector<gex_Rank_t> leaders_for_root_;
  std::vector<gex_Rank_t> group_;
  gex_Rank_t size_;
  gex_Rank_t me_;
  gex_Rank_t my_place_ = 0;
  bool in_order_ = true;
};

}  // namespace aqueduct::extended::collectives
