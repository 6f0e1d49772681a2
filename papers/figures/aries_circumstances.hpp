// Three figures on AM Long that the paper lacks: an initiator that does not poll, a network that others use,
// and the memory of reassembly.
#pragma once
#include "aries_criteria.hpp"
#include "study.hpp"

namespace aqueduct::figures::xc40 {

// These throw bench::portals::Failed.
Inattention measure_inattention(const PaperMachine& machine);
Routing measure_routing(const PaperMachine& machine);
Memory measure_memory(const PaperMachine& machine);

Figure figure(const Inattention& inattention);
Figure figure(const Routing& routing);
Figure figure(const Memory& memory);

}  // namespace aqueduct::figures::xc40
