// Figures and criteria as JSON text, for the files beside a page.
#pragma once
#include <string>
#include <vector>

#include "criterion.hpp"
#include "page.hpp"

namespace aqueduct::figures {

std::string json_text(const Figure& figure);
std::string json_text(const std::vector<Criterion>& criteria);

}  // namespace aqueduct::figures
