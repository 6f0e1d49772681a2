// Answers those who ask from outside where the threads of this rank are (observe/record.hpp, Position), and
// those who ask with SIGUSR1 why the job does not go on.
//
// Both are signal handlers: they allocate nothing, take no lock and call nothing of the client's. A handler
// interrupts whatever its thread does, also a handler of the client's that never returns; calls of the system
// that the kernel does not restart (poll, nanosleep and the like) end early with EINTR.
#pragma once
#include "core/rank.hpp"

namespace aqueduct::core {

/// From now on; once, by a live rank. Signals that the client has taken, or that GASNET_NO_CATCH_SIGNAL
/// names, are left alone: then nobody can ask by them.
void answer_position_signals(Rank& rank);

}  // namespace aqueduct::core
