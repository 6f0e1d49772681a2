// Accesses of other ranks to memory of ours that is not there.
//
// Where all memory of a rank can be reached (RankOptions::everything) others may name what is not mapped
// here, or has been unmapped since. Nobody can know before it is touched; the signal that follows then ends
// the job with a line that says whose access it was, and not with the name of a signal.
#pragma once

namespace aqueduct::core {

/// Ends the job if the calling thread has touched `address` on behalf of another rank: in a handler of the
/// library's own, or in memory that the conduit has lent. For handlers of SIGSEGV and SIGBUS; returns if it
/// was the program.
void explain_bad_access(const void* address);

}  // namespace aqueduct::core
