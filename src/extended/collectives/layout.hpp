// How the members of a team lie: which of them share a host, in the order of their ranks.
//
// Collectives over several hosts go hand in hand inside each host first, so that one member of each, its
// leader, deals with the network. Where all share one host, or none does, there are no groups to speak of.
// Where hosts have as many consecutive members each, all of this is arithmetic and nothing is kept per
// member.
#pragma once
#include <vector>

#include "extended/collectives/ranks.hpp"
#include "extended/hosts.hpp"

namespace aqueduct::extended::collectives {

class Layout {
 public:
  /// `hosts` says where each of the `size` members is.
  Layout(const Hosts& hosts, gex_Rank_t size, gex_Rank_t me);

  Ranks all() const { return {size_, me_}; }
  /// Whether hosts make a difference: there are several, and some have more than one member.
  bool grouped() const { return groups_ > 1 && groups_ < size_; }
  /// Whether every host has consecutive ranks, so that combining hosts in order combines ranks in order.
  bool in_order() const { return in_order_; }

  // What follows may be asked only where hosts make a difference.

  /// The members of this member's host. The leader is the first, unless a call names another root.
  Ranks group() const;
  bool in_my_group(gex_Rank_t rank) const { return group_of(rank) == group_of(me_); }
  /// Groups are numbered in the order of their first members.
  gex_Rank_t group_of(gex_Rank_t rank) const {
    return group_of_.empty() ? rank / per_group_ : group_of_[rank];
  }
  /// The place in group() of `rank`, which is in it.
  gex_Rank_t place_in_group(gex_Rank_t rank) const;

  /// One member for each host, in the order of hosts; `root` for its own. Our place is that of our host.
  /// Valid as long as this object.
  Ranks leaders(gex_Rank_t root) const { return leaders().with(group_of(root), root); }
  Ranks leaders() const;

 private:
  void list(const std::vector<std::uint32_t>& host_of);

  gex_Rank_t size_;
  gex_Rank_t me_;
  gex_Rank_t per_group_;
  gex_Rank_t groups_;
  bool in_order_ = true;
  // Where hosts do not have as many consecutive members each:
  std::vector<gex_Rank_t> group_of_;  // by member
  std::vector<gex_Rank_t> leaders_;
  std::vector<gex_Rank_t> group_;
  gex_Rank_t my_place_ = 0;
};

}  // namespace aqueduct::extended::collectives
