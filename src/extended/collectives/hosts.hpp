// Which ranks lie together, as collectives see it.
#pragma once
#include <cstdint>
#include <vector>

#include "core/rank.hpp"

namespace aqueduct::extended::collectives {

/// By job rank, a number that ranks which share memory have in common; empty if none share any.
/// AQUEDUCT_COLLECTIVE_GROUP=n makes groups of n consecutive ranks instead, as hosts with n ranks would; all
/// ranks must have the same setting.
std::vector<std::uint32_t> find_hosts(core::Rank& rank);

}  // namespace aqueduct::extended::collectives
