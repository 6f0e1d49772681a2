// Figures 3 to 7 of "Portals 3.3 on the Sandia/Cray Red Storm System", from the simulation.
//
// The paper's curves are pictures; what it states in words and numbers is what ours are held to. Sizes: K is
// 1024 bytes; MB/s are millions of bytes a second.
#pragma once
#include <string>
#include <vector>

#include "fabric/sim/network_model.hpp"
#include "page.hpp"

namespace aqueduct::figures {

struct RedStorm {
  std::vector<Figure> figures;  ///< 3 to 7, and one of accelerated mode, which the paper only announces
  std::vector<Criterion> criteria;
};

/// Measures on the network, which carries Portals. Throws bench::portals::Failed.
RedStorm red_storm(const fabric::sim::NetworkModel& model);

}  // namespace aqueduct::figures
