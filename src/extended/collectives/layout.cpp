#include "extended/collectives/layout.hpp"

#include <algorithm>
#include <unordered_map>

namespace aqueduct::extended::collectives {

Layout::Layout(const Hosts& hosts, gex_Rank_t size, gex_Rank_t me)
    : size_(size), me_(me), per_group_(hosts.per_host), groups_((size - 1) / hosts.per_host + 1) {
  if (!hosts.listed.empty()) list(hosts.listed);
}

void Layout::list(const std::vector<std::uint32_t>& host_of) {
  std::unordered_map<std::uint32_t, gex_Rank_t> group_of_host;
  for (gex_Rank_t rank = 0; rank < size_; ++rank) {
    const auto [entry, is_new] =
        group_of_host.try_emplace(host_of[rank], static_cast<gex_Rank_t>(leaders_.size()));
    if (is_new) {
      leaders_.push_back(rank);
    } else if (group_of_.back() != entry->second) {
      in_order_ = false;
    }
    group_of_.push_back(entry->second);
  }
  groups_ = static_cast<gex_Rank_t>(leaders_.size());
  for (gex_Rank_t rank = 0; rank < size_; ++rank) {
    if (!in_my_group(rank)) continue;
    if (rank == me_) my_place_ = static_cast<gex_Rank_t>(group_.size());
    group_.push_back(rank);
  }
}

Ranks Layout::group() const {
  if (!group_of_.empty()) return {group_.data(), static_cast<gex_Rank_t>(group_.size()), my_place_};
  const gex_Rank_t first = me_ / per_group_ * per_group_;
  return Ranks::spaced(first, 1, std::min(per_group_, size_ - first), me_ - first);
}

gex_Rank_t Layout::place_in_group(gex_Rank_t rank) const {
  if (group_of_.empty()) return rank % per_group_;
  return static_cast<gex_Rank_t>(std::lower_bound(group_.begin(), group_.end(), rank) - group_.begin());
}

Ranks Layout::leaders() const {
  if (group_of_.empty()) return Ranks::spaced(0, per_group_, groups_, group_of(me_));
  return {leaders_.data(), groups_, group_of(me_)};
}

}  // namespace aqueduct::extended::collectives
