// Three figures on AM Long that the paper lacks: an initiator that does not poll, a network that others use,
// and the memory of reassembly.
#pragma once
#include "aries_criteria.hpp"
#include "page.hpp"
#include "sim/network_model.hpp"

namespace aqueduct::figures::xc40 {

// These throw bench::portals::Failed.
Inattention measure_inattention(const sim::NetworkModel& model);
Routing measure_routing(const sim::NetworkModel& model);
Memory measure_memory(const sim::NetworkModel& model);

Figure figure(const Inattention& inattention);
Figure figure(const Routing& routing);
Figure figure(const Memory& memory);

}  // namespace aqueduct::figures::xc40
