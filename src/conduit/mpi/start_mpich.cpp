// MPICH. It speaks PMI 1 to whoever has started it, over a socket that PMI_FD names; here that is a thread of
// this process (pmi_server.hpp).
#include <mpi.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "base/changed_environment.hpp"
#include "base/fatal.hpp"
#include "conduit/mpi/pmi_server.hpp"
#include "conduit/mpi/start.hpp"

namespace aqueduct::conduit::mpi {

const char* const kMpiName = "mpich";
const char* const kMpiTitle = "MPICH";
// It copies a payload that comes by itself before it is awaited, which takes as long as the message.
const std::size_t kMostCopied = std::size_t{32} << 10;

bool is_launchers() { return ::getenv("PMI_FD") != nullptr || ::getenv("PMI_PORT") != nullptr; }

int start(KeyValues& values, int wanted_level) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    fatal("mpi", "no pair of sockets for MPICH to start with: %s", std::strerror(errno));
  ChangedEnvironment environment;
  environment.remove("PMI_PORT");
  environment.set("PMI_FD", std::to_string(ends[0]));
  environment.set("PMI_RANK", std::to_string(values.rank()));
  environment.set("PMI_SIZE", std::to_string(values.size()));
  // UCX, which Debian's MPICH has below it, shakes hands above 8 KiB, which takes twice as long as the bytes.
  constexpr std::size_t kHeads = 1024;
  environment.set_default("UCX_RNDV_THRESH", std::to_string(am::kMostMedium + kHeads));
  // It lives as long as the process: MPICH asks again when the program calls MPI_Finalize().
  std::thread([&values, socket = ends[1]] { PmiServer(values).serve(socket); }).detach();
  int level = 0;
  MPI_Init_thread(nullptr, nullptr, wanted_level, &level);
  return level;
}

// It counts who holds such a request.
MPI_Request request_over_at_return(MPI_Comm) { return MPI_REQUEST_NULL; }

}  // namespace aqueduct::conduit::mpi
