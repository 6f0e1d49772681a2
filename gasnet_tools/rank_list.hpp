// Lists of ranks as settings name them: "0,2-4,6", or "*" or nothing for all.
#pragma once

namespace aqueduct::gasnet_tools {

/// Whether `rank` is in the list. Nothing where `list` is malformed.
enum class Listed { kNo, kYes, kMalformed };
Listed find_rank(const char* list, unsigned rank);

/// The same for the value of a variable, where a malformed one is fatal, and none means all.
bool rank_is_listed(const char* variable, unsigned rank);

/// Warns of each variable of the library that lists ranks and names none of those of a job of `ranks`: what
/// it chooses ranks for would be done by nobody. For one rank to call.
void warn_of_lists_without_ranks(unsigned ranks);

}  // namespace aqueduct::gasnet_tools
