// All papers with figures.
#pragma once
#include <vector>

#include "study.hpp"

namespace aqueduct::figures {

std::vector<Study> all_papers();

}  // namespace aqueduct::figures
