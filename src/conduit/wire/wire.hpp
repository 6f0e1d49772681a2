// wire: active messages directly over a fabric; the example of how to add a network. The fabric of a live job
// is shared memory between the processes of this host, that of a simulation the simulated network. There is
// no neighbourhood: even ranks that share memory use the fabric.
#pragma once
#include "conduit/conduit.hpp"

namespace aqueduct::conduit::wire {
extern const Description kDescription;
}
