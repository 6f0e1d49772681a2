// Lists of ranks in settings: "0,2-4,6"; "*" or an empty list means all.
#pragma once

namespace aqueduct::gasnet_tools {

/// Whether `rank` is in `list`.
enum class Listed { kNo, kYes, kMalformed };
Listed find_rank(const char* list, unsigned rank);

/// The same for the value of a variable; a malformed one is fatal, and an unset one means all.
bool rank_is_listed(const char* variable, unsigned rank);

/// Warns about each variable of the library that lists ranks but none of a job of `ranks`, so that it has no
/// effect. One rank calls it.
void warn_of_lists_without_ranks(unsigned ranks);

}  // namespace aqueduct::gasnet_tools
