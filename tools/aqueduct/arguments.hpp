// What several commands say about their arguments in the same words. Knows nothing of the parser, which is
// long to compile.
#pragma once
#include <string>

#include "base/types.hpp"

namespace aqueduct::arguments {

/// The number of ranks of a job as typed after -n. Throws std::invalid_argument with one line for the user.
RankId rank_count(const std::string& text);

}  // namespace aqueduct::arguments
