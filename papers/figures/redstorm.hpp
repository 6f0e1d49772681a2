// Figures 3 to 7 of "Portals 3.3 on the Sandia/Cray Red Storm System", from the simulation.
//
// The paper's curves are pictures; ours are compared with its words and numbers. Sizes: K is 1024 bytes; MB/s
// are millions of bytes a second.
#pragma once
#include "study.hpp"

namespace aqueduct::figures {

/// Figures 3 to 7, and one of accelerated mode, which the paper only announces.
Study red_storm();

}  // namespace aqueduct::figures
