// Opens the exchange of the launcher that was detected.
#pragma once
#include "job/launchers/detection.hpp"
#include "job/launchers/exchange.hpp"

namespace aqueduct::job::launchers {

/// Null if there is no launcher, or, with a warning, if its library is not installed and the job can do
/// without. Fatal if the job cannot, or if AQUEDUCT_LAUNCHER names that launcher.
std::unique_ptr<LauncherExchange> open_exchange(const Detected& detected);

}  // namespace aqueduct::job::launchers
