// The MPI itself, for comparison (plugin/bare_interface.hpp): MPI_Send and MPI_Recv, a window of MPI_Isend,
// and MPI_Put with MPI_Win_flush, on a communicator of their own.
#pragma once
#include "conduit/mpi/session.hpp"

namespace aqueduct::conduit::mpi {

/// The session of this process, which it uses.
void offer_bare_interface(Session& session);

}  // namespace aqueduct::conduit::mpi
