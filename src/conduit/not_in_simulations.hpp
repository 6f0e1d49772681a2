// The reason why a conduit without a simulated network below it cannot carry a simulated job.
#pragma once
#include "conduit/conduit.hpp"
#include "world/world.hpp"

namespace aqueduct::conduit {

/// A Description::why_not().
inline const char* not_in_simulations(const job::Membership&) {
  return world::is_simulated() ? "it does not reach the nodes of a simulation" : nullptr;
}

}  // namespace aqueduct::conduit
