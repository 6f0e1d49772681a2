// Tree saturation and its release: what one node that all send to does to the others
// (scenarios/hot_spot.hpp), held to a calculation by hand. No paper's; of the network's buffers alone.
#pragma once
#include "study.hpp"

namespace aqueduct::figures {

Study hot_spot_study();

}  // namespace aqueduct::figures
