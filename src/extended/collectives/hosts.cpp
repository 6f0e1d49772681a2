#include "extended/collectives/hosts.hpp"

#include "base/env.hpp"

namespace aqueduct::extended::collectives {

std::vector<std::uint32_t> find_hosts(core::Rank& rank) {
  const auto group =
      static_cast<std::uint32_t>(env::integer({"AQUEDUCT_COLLECTIVE_GROUP"}, 0, INT32_MAX).value_or(0));
  if (group != 0) {
    std::vector<std::uint32_t> hosts(rank.size());
    for (RankId peer = 0; peer < rank.size(); ++peer) hosts[peer] = peer / group;
    return hosts;
  }
  if (!rank.has_network()) return std::vector<std::uint32_t>(rank.size(), 0);
  if (!rank.neighbourhood()) return {};
  std::vector<std::uint32_t> hosts(rank.size());
  for (RankId peer = 0; peer < rank.size(); ++peer) hosts[peer] = rank.neighbourhoods().host_of(peer);
  return hosts;
}

}  // namespace aqueduct::extended::collectives
