// The words in which a hang is told, the same for live jobs and simulated ones.
#pragma once
#include <string>
#include <vector>

#include "observe/state.hpp"

namespace aqueduct::observe {

/// "rank 3", "ranks 0, 2-5 and 9"; after `most` runs, "and 7 more".
std::string name_ranks(const std::vector<RankId>& ascending, std::size_t most = 8);

/// What it waits for: "barrier 3 of all ranks", "an event: a put to rank 3". Without who is missing there.
std::string name_wait(const Wait& wait);

/// "2 replies of rank 3 and 1 reply of rank 5"; empty if nobody owes anything.
std::string name_missing(const Wait& wait);

/// What sends have lacked, and how often: {"mailbox 3", "credits 1"}.
std::vector<std::string> name_retries(const PeerCounts& counts);

/// "1234", "12.3k", "45.0M": five columns at most.
std::string short_number(double number);

/// "12.3 s", "4 min 5 s"
std::string name_time(std::uint64_t ns);

/// A command line in so many characters: where it is longer, first its program's folders go, then its end.
std::string name_command(std::string command, std::size_t most);

}  // namespace aqueduct::observe
