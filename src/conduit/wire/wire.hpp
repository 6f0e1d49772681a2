// wire: active messages straight over a fabric, with nothing between; the example of adding a network. Live
// the fabric is the one between the processes of this host, in a simulation the simulated one. No
// neighbourhood: even ranks that share memory talk through the fabric.
#pragma once
#include "conduit/conduit.hpp"

namespace aqueduct::conduit::wire {
extern const Description kDescription;
}
