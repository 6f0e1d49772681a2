// Lines of source for the stacks of ranks whose programs or libraries were compiled with -g.
//
// addr2line (binutils) finds them: it is run once for each file, for all addresses in it, and only for files
// that have line numbers and are the same on this host as where the rank runs. All runs together have ten
// seconds. Stacks keep their text, whatever happens.
#pragma once
#include <string>
#include <vector>

#include "observe/state.hpp"

namespace aqueduct::watch {

/// Sets the source and the inlined functions of all frames of which they can be known. Returns one line that
/// says why some that should be known are not, or an empty text. Starts processes and waits for them.
std::string add_source_lines(std::vector<observe::RankState>& states);

}  // namespace aqueduct::watch
