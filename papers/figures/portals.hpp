// Figures 2 to 5 of "Porting GASNet to Portals" (CUG 2009), from the simulation: its Portals conduit against
// its conduit over MPI, and against MPI itself.
//
// The paper's curves are pictures and it states no absolute values: ours are compared with the ratios, steps
// and orders in its text. Sizes and bandwidths as in the paper: K is 2^10, M is 2^20.
#pragma once
#include "study.hpp"

namespace aqueduct::figures {

Study portals();

}  // namespace aqueduct::figures
