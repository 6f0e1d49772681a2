// A ping-pong on bare VELO and RMA between two neighbouring simulated cards: the reference of figures 9
// and 11.
//
// Uses VELO, in as many messages as needed, or a put by RMA, for which the target waits for the completer's
// notification: whichever is faster for the size.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "sim/network_model.hpp"

namespace aqueduct::figures {

/// Microseconds of half a round trip, for each size. Throws bench::portals::Failed.
std::vector<double> native_half_round_trips(const sim::NetworkModel& model,
                                            std::span<const std::size_t> sizes);

}  // namespace aqueduct::figures
