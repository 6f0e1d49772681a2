// Which ranks lie together, as collectives see it.
#pragma once
#include <cstdint>
#include <vector>

#include "core/rank.hpp"

namespace aqueduct::extended {

/// Hosts of the ranks of a job, or of the members of a team. Where every host has as many consecutive ranks,
/// as most jobs have it, nothing is kept per rank.
struct Hosts {
  RankId per_host = 1;                  ///< consecutive ranks (the last host may have fewer), unless `listed`
  std::vector<std::uint32_t> listed{};  ///< by rank, a number that the ranks of a host have in common

  std::uint32_t of(RankId rank) const { return listed.empty() ? rank / per_host : listed[rank]; }
  /// No two ranks share a host.
  bool all_differ() const { return listed.empty() && per_host == 1; }
};

/// The hosts of all ranks: those that share memory lie together. AQUEDUCT_COLLECTIVE_GROUP=n makes groups of
/// n consecutive ranks instead, as hosts with n ranks would; all ranks must have the same setting.
Hosts find_hosts(core::Rank& rank);

/// The same for the members of a team.
Hosts hosts_of_members(const core::Team& team, const Hosts& hosts);

}  // namespace aqueduct::extended
