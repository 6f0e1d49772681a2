// Tree saturation and its release: the effect of one node that all send to on the others
// (scenarios/hot_spot.hpp), compared with a calculation by hand. It tests the network's buffers and comes
// from no paper.
#pragma once
#include "study.hpp"

namespace aqueduct::figures {

Study hot_spot_study();

}  // namespace aqueduct::figures
