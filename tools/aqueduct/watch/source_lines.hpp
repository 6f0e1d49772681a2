// Lines of source for the stacks of ranks whose programs or libraries were compiled with -g.
//
// It runs addr2line (binutils) once for each file, for all addresses in it, and only for files that have line
// numbers and are the same on this host as where the rank runs. All runs together may take ten seconds. If it
// fails, stacks keep their text.
#pragma once
#include <string>
#include <vector>

#include "observe/state.hpp"

namespace aqueduct::watch {

/// Sets the source and the inlined functions of all frames for which they can be found. Returns a line with
/// the reason if some are missing that should exist, otherwise an empty text. Starts processes and waits for
/// them.
std::string add_source_lines(std::vector<observe::RankState>& states);

}  // namespace aqueduct::watch
