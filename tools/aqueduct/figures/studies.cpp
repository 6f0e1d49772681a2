#include "studies.hpp"

#include "aries.hpp"
#include "portals.hpp"
#include "redstorm.hpp"

namespace aqueduct::figures {

std::vector<Study> all_papers() { return {red_storm(), portals(), aries()}; }

}  // namespace aqueduct::figures
