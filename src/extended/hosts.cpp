#include "extended/hosts.hpp"

#include "base/env.hpp"

namespace aqueduct::extended {

Hosts find_hosts(core::Rank& rank) {
  const auto group =
      static_cast<std::uint32_t>(env::integer({"AQUEDUCT_COLLECTIVE_GROUP"}, 0, INT32_MAX).value_or(0));
  if (group != 0) return {group};
  if (!rank.has_network()) return {rank.size()};
  if (!rank.neighbourhood()) return {};
  const job::Layout& layout = rank.neighbourhoods();
  Hosts hosts{layout.largest_host()};
  if (layout == job::Layout::blocks(rank.size(), hosts.per_host)) return hosts;
  for (RankId peer = 0; peer < rank.size(); ++peer) hosts.listed.push_back(layout.host_of(peer));
  return hosts;
}

Hosts hosts_of_members(const core::Team& team, const Hosts& hosts) {
  if (!team.locations || hosts.all_differ()) return hosts;
  Hosts own;
  own.listed.resize(team.size());
  for (gex_Rank_t member = 0; member < team.size(); ++member)
    own.listed[member] = hosts.of(team.job_rank(member));
  return own;
}

}  // namespace aqueduct::extended
