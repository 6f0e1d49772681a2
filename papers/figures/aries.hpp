// The figures of "Efficient Active Message RMA in GASNet Using a Target-Side Reassembly Protocol" (PAW-ATM
// 2019): AM Long on the Cray XC's Aries.
#pragma once
#include "study.hpp"

namespace aqueduct::figures {

Study aries();

}  // namespace aqueduct::figures
