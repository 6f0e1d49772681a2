// What a replay tells: how long the job took when it was recorded and now, what its ranks spent that time on,
// and what its critical path was made of.
#pragma once
#include <array>
#include <string>

#include "tools/replay/program.hpp"

namespace aqueduct::replay {

using Times = std::array<std::int64_t, kKinds>;  ///< in nanoseconds, by Kind

/// The time of all ranks together.
Times time_of_ranks(const Program& program, const Run& run);

/// The parts of the critical path: followed backwards from the last step, through what each wait waited for,
/// be it the last member of a barrier or collective or the sender of the last message. Their sum is the run's
/// duration. What is under way counts under what it is waited for.
Times critical_path(const Program& program, const Run& run);

/// Lines of a name and a text, for people. `against` is a second replay, on the network of that name.
std::string report(const Program& program, const Run& replayed, const std::string& network,
                   const Run* against, const std::string& against_network);

}  // namespace aqueduct::replay
