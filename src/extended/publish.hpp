// Telling the members of a team which segments are bound to the endpoints of a process.
#pragma once
#include <span>

#include "extended/extended.hpp"

namespace aqueduct::extended {

/// Collective over `team`, by one thread per member, not in handlers: afterwards every member knows the
/// segments that were bound to the endpoints which any of them has listed.
void publish_segments(Thread& thread, core::Team& team, std::span<const core::Endpoint* const> endpoints);

}  // namespace aqueduct::extended
