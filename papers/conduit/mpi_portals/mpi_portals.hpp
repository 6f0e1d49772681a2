// mpi-portals: active messages over message passing (parts/am_over_message_passing.hpp); everything else uses
// the reference implementations. The message passing is the minimal MPI over Portals
// (parts/message_passing/portals_mpi.hpp).
#pragma once
#include "conduit/conduit.hpp"

namespace aqueduct::conduit::mpi_portals {

extern const Description kDescription;

}  // namespace aqueduct::conduit::mpi_portals
