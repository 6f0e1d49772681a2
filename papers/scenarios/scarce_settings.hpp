// Settings of conduits with few of everything, often as few as there may be: so that a short run finds every
// resource missing, and takes the paths that wait, refuse and give back.
#pragma once
#include <vector>

#include "tools/scenarios/scenarios.hpp"

namespace aqueduct::scenarios {

/// For the conduit of AQUEDUCT_CONDUIT, as the seed chooses; none for one that has no such settings.
std::vector<Setting> scarce_settings(const Parameters& parameters);

}  // namespace aqueduct::scenarios
