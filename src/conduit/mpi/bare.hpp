// What the benchmark of the MPI itself (bench/bare/mpi.cpp), which is compiled into the plug-in, needs of the
// conduit.
#pragma once
#include "conduit/mpi/session.hpp"

namespace aqueduct::conduit::mpi {

/// The session of this process, which it uses.
void offer_bare_interface(Session& session);

}  // namespace aqueduct::conduit::mpi
