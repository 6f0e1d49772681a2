#include "studies.hpp"

#include "aries.hpp"
#include "extoll.hpp"
#include "portals.hpp"
#include "redstorm.hpp"

namespace aqueduct::figures {

std::vector<Study> all_papers() { return {red_storm(), portals(), aries(), extoll()}; }

}  // namespace aqueduct::figures
