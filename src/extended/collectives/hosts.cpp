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
  // A host is known by its first rank.
  RankId first = 0;
  while (first != rank.id() && !rank.is_neighbour(first)) ++first;
  std::vector<std::uint32_t> hosts(rank.size());
  rank.bootstrap().all_gather(first, [&](RankId peer, RankId host) { hosts[peer] = host; });
  return hosts;
}

}  // namespace aqueduct::extended::collectives
