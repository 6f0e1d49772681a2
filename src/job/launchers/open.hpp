// From what was detected to an exchange.
#pragma once
#include "job/launchers/detection.hpp"
#include "job/launchers/exchange.hpp"

namespace aqueduct::job::launchers {

/// Null if there is no launcher, or one whose library is not installed and that can be done without: a
/// warning says so. Fatal where it cannot, and where AQUEDUCT_LAUNCHER has asked for it.
std::unique_ptr<Exchange> open_exchange(const Detected& detected);

}  // namespace aqueduct::job::launchers
