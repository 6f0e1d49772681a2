#include "extended/collectives/layout.hpp"

#include <algorithm>
#include <unordered_map>

namespace aqueduct::extended::collectives {

Layout::Layout(const std::vector<std::uint32_t>& host_of, gex_Rank_t size, gex_Rank_t me)
    : size_(size), me_(me) {
  std::unordered_map<std::uint32_t, gex_Rank_t> group_of_host;
  for (gex_Rank_t rank = 0; rank < host_of.size(); ++rank) {
    const auto [entry, is_new] =
        group_of_host.try_emplace(host_of[rank], static_cast<gex_Rank_t>(leaders_.size()));
    if (is_new) {
      leaders_.push_back(rank);
    } else if (group_of_.back() != entry->second) {
      in_order_ = false;
    }
    group_of_.push_back(entry->second);
  }
  for (gex_Rank_t rank = 0; rank < host_of.size(); ++rank) {
    if (!in_my_group(rank)) continue;
    if (rank == me) my_place_ = static_cast<gex_Rank_t>(group_.size());
    group_.push_back(rank);
  }
}

gex_Rank_t Layout::place_in_group(gex_Rank_t rank) const {
  return static_cast<gex_Rank_t>(std::lower_bound(group_.begin(), group_.end(), rank) - group_.begin());
}

Ranks Layout::leaders(gex_Rank_t root) {
  leaders_for_root_ = leaders_;
  leaders_for_root_[group_of_[root]] = root;
  return {leaders_for_root_.data(), static_cast<gex_Rank_t>(leaders_.size()), group_of_[me_]};
}

}  // namespace aqueduct::extended::collectives
