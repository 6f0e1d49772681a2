// Many seeds of `aqueduct sim` side by side: --statistics and --stop-at-failure.
#pragma once
#include "sim/network_model.hpp"
#include "simulate/settings.hpp"
#include "simulate/subject.hpp"

namespace aqueduct::simulate {

/// Whether seeds run side by side; refuses what does not go with that.
bool is_side_by_side(const SimOptions& options);
/// False if a seed has failed.
bool run_seeds_side_by_side(const NetworkModel& model, const SimOptions& options, const Subject& subject,
                            Seeds seeds);

}  // namespace aqueduct::simulate
