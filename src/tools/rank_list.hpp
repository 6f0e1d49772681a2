// Lists of ranks as settings name them: "0,2-4,6", or "*" or nothing for all.
#pragma once

namespace aqueduct::tools {

/// Whether `rank` is in the list. Nothing where `list` is malformed.
enum class Listed { kNo, kYes, kMalformed };
Listed find_rank(const char* list, unsigned rank);

/// The same for the value of a variable, where a malformed one is fatal, and none means all.
bool rank_is_listed(const char* variable, unsigned rank);

}  // namespace aqueduct::tools
