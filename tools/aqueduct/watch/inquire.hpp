// Asks a job of several hosts for the states of all its ranks (job/inspection/inquiry.hpp).
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "job/inspection/inspection.hpp"
#include "observe/state.hpp"

namespace aqueduct::watch {

/// Asks at the socket of that name, and waits for some seconds at most. Nothing, with a word in `*why`, if
/// there is no answer.
std::optional<std::vector<observe::RankState>> inquire(const std::string& name,
                                                       const job::InspectOptions& look, std::string* why);

}  // namespace aqueduct::watch
