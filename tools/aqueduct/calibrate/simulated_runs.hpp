// Scenarios in simulation, for what they measure of themselves.
#pragma once
#include <string>
#include <vector>

#include "sim/network_model.hpp"
#include "tools/scenarios/samples.hpp"
#include "tools/scenarios/scenarios.hpp"

namespace aqueduct::calibrate {

/// Runs the scenario on `ranks` nodes or, with more ranks to a node, on fewer. Throws std::runtime_error with
/// one line if it fails.
std::vector<scenarios::Sample> run_simulated(const sim::NetworkModel& model, const std::string& conduit,
                                             const scenarios::Scenario& scenario,
                                             scenarios::Parameters parameters, unsigned ranks,
                                             unsigned nodes);

}  // namespace aqueduct::calibrate
