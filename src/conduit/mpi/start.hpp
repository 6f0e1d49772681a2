// How an MPI is started by a conduit: in a job that may have been launched by anybody. Each MPI has its own
// way to be told who its processes are (start_openmpi.cpp, start_mpich.cpp); one of them is in a plug-in.
#pragma once
#include <mpi.h>

#include "conduit/conduit.hpp"
#include "conduit/mpi/key_values.hpp"

namespace aqueduct::conduit::mpi {

/// As AQUEDUCT_MPI names it, and as people do.
extern const char* const kMpiName;
extern const char* const kMpiTitle;
extern const Description kDescription;
/// Up to so many bytes go in one message, copied. What is larger goes from memory to memory.
extern const std::size_t kMostCopied;

/// Whether the launcher that has started this process, if one has, is that of this MPI.
bool is_launchers();

/// Calls MPI_Init_thread, whose processes are the job's ranks and have their numbers. Returns the level of
/// threads that MPI provides. On all ranks, once, by the thread that opens the conduit; `values` stay until
/// the process ends. The environment is afterwards as it was before.
int start(KeyValues& values, int wanted_level);

/// What MPI_Isend answers as the request of a message that is on its way when it returns, if that is the same
/// each time and needs no test; MPI_REQUEST_NULL: it answers a request of its own for each.
MPI_Request request_over_at_return(MPI_Comm communicator);

}  // namespace aqueduct::conduit::mpi
