// Do all members of a team make the same call? In debug clients each tells the next one, around the team,
// what it was called with, so that any disagreement meets somebody who sees it: in the call itself if the
// other was there first, otherwise as soon as this member polls.
#pragma once
#include "extended/collectives/request.hpp"

namespace aqueduct::extended::collectives {

/// The arguments that must be the same on all members.
struct Arguments {
  std::uint64_t bytes;
  std::uint64_t count;
  std::uint32_t kind;
  std::uint32_t root;
  std::uint32_t type;
  std::uint32_t operation;
  std::uint32_t element_bytes;
  std::uint32_t synchronisation;

  static Arguments of(const Request& request);
};

/// Ends the job if member `other` was called with something else than we were.
void require_agreement(const Request& mine, gex_Rank_t other, const Arguments& theirs);

}  // namespace aqueduct::extended::collectives
