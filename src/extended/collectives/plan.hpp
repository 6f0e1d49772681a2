// Which algorithm serves a request: chosen by its size and by how the team lies, alike on all members.
#pragma once
#include "extended/collectives/layout.hpp"
#include "extended/collectives/request.hpp"
#include "extended/collectives/tree.hpp"

namespace aqueduct::extended::collectives {

/// Writes the steps of this member into an empty program. `edges` is memory to work with.
void plan(Program& program, Layout& layout, Edges& edges, const Request& request);

}  // namespace aqueduct::extended::collectives
