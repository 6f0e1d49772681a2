// The settings of the environment, as part of a command that repeats a run.
#pragma once
#include <string>

namespace aqueduct {

/// A word for a shell, in quotes if it needs them.
std::string quoted(const std::string& word);

/// "GASNET_PORTAL_FLOW_CONTROL=0 " for each variable that is set and begins with AQUEDUCT_ or GASNET_, sorted
/// by name. AQUEDUCT_CONDUIT is left out: simulations are told their conduit by an option.
std::string settings_in_use();

}  // namespace aqueduct
