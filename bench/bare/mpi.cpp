// The MPI itself, for comparison (conduit/plugin/bare_interface.hpp): MPI_Send and MPI_Recv, a window of
// MPI_Isend, and MPI_Put with MPI_Win_flush, on a communicator of their own.
#include <algorithm>
#include <chrono>
#include <mutex>
#include <vector>

#include "conduit/mpi/bare.hpp"
#include "conduit/plugin/bare_interface.hpp"

namespace aqueduct::conduit::mpi {
namespace {

using plugin::BareRun;

constexpr int kTag = 1;
constexpr unsigned kUnderWay = 16;  // messages of a stream
constexpr std::size_t kShort = 24;  // as long as a short active message with a head

Session* session = nullptr;
MPI_Comm communicator = MPI_COMM_NULL;
MPI_Win window = MPI_WIN_NULL;
std::vector<std::byte> memory;

double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

struct Message {
  void* data = memory.data();
  int bytes = 0;
  int partner = 0;
  explicit Message(const BareRun& run)
      : bytes(static_cast<int>(std::max(run.bytes, kShort))), partner(static_cast<int>(run.partner)) {}
  void send() const { MPI_Send(data, bytes, MPI_BYTE, partner, kTag, communicator); }
  void receive() const { MPI_Recv(data, bytes, MPI_BYTE, partner, kTag, communicator, MPI_STATUS_IGNORE); }
  MPI_Request begin(bool leads) const {
    MPI_Request request = MPI_REQUEST_NULL;
    leads ? MPI_Isend(data, bytes, MPI_BYTE, partner, kTag, communicator, &request)
          : MPI_Irecv(data, bytes, MPI_BYTE, partner, kTag, communicator, &request);
    return request;
  }
};

// The nanoseconds of `count` operations behind those that warm up.
template <class Operation>
double timed(const BareRun& run, Operation&& operation) {
  for (std::uint64_t i = 0; i < run.warm_up; ++i) operation();
  const double start = now_ns();
  for (std::uint64_t i = 0; i < run.count; ++i) operation();
  return now_ns() - start;
}

void open(std::size_t most_bytes) {
  const std::lock_guard guard(*session);
  memory.resize(std::max(most_bytes, kShort));
  Session::check(MPI_Comm_dup(session->communicator(), &communicator), "MPI_Comm_dup");
  MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
  // Not every MPI has windows on every network.
  if (MPI_Win_create(memory.data(), static_cast<MPI_Aint>(memory.size()), 1, MPI_INFO_NULL, communicator,
                     &window) == MPI_SUCCESS)
    Session::check(MPI_Win_lock_all(MPI_MODE_NOCHECK, window), "MPI_Win_lock_all");
}

double ping_pong(const BareRun& run) {
  const std::lock_guard guard(*session);
  const Message message(run);
  return timed(run, [&] {
    if (run.leads) message.send();
    message.receive();
    if (!run.leads) message.send();
  });
}

// Waits for the end of what is under way, and for the receiver's word that it has come.
double stream(const BareRun& run) {
  const std::lock_guard guard(*session);
  const Message message(run);
  std::vector<MPI_Request> under_way(kUnderWay, MPI_REQUEST_NULL);
  const double start = now_ns();
  for (std::uint64_t i = 0; i < run.count; ++i) {
    MPI_Request& request = under_way[i % kUnderWay];
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    request = message.begin(run.leads);
  }
  MPI_Waitall(static_cast<int>(under_way.size()), under_way.data(), MPI_STATUSES_IGNORE);
  char ack = 0;
  run.leads ? MPI_Recv(&ack, 1, MPI_BYTE, message.partner, kTag + 1, communicator, MPI_STATUS_IGNORE)
            : MPI_Send(&ack, 1, MPI_BYTE, message.partner, kTag + 1, communicator);
  return now_ns() - start;
}

// The target waits in MPI, for a message that tells the end.
double put(const BareRun& run) {
  if (window == MPI_WIN_NULL) return ping_pong(run);
  const std::lock_guard guard(*session);
  const Message message(run);
  const int bytes = static_cast<int>(run.bytes);
  double ns = 0;
  char over = 0;
  if (!run.leads) {
    MPI_Recv(&over, 1, MPI_BYTE, message.partner, kTag + 2, communicator, MPI_STATUS_IGNORE);
    return ns;
  }
  static std::vector<std::byte> source;
  source.resize(memory.size());
  ns = timed(run, [&] {
    MPI_Put(source.data(), bytes, MPI_BYTE, message.partner, 0, bytes, MPI_BYTE, window);
    MPI_Win_flush(message.partner, window);
  });
  MPI_Send(&over, 1, MPI_BYTE, message.partner, kTag + 2, communicator);
  return ns;
}

double barrier(const BareRun& run) {
  const std::lock_guard guard(*session);
  return timed(run, [] { MPI_Barrier(communicator); });
}

}  // namespace

void offer_bare_interface(Session& mine) { session = &mine; }

}  // namespace aqueduct::conduit::mpi

const aqueduct::conduit::plugin::BareInterface aqueduct_bare_interface = {
    .open = aqueduct::conduit::mpi::open,
    .ping_pong_name = "MPI_Send and MPI_Recv",
    .stream_name = "16 messages of MPI_Isend under way",
    .put_name = "MPI_Put and MPI_Win_flush; a round trip where MPI has no windows",
    .ping_pong = aqueduct::conduit::mpi::ping_pong,
    .stream = aqueduct::conduit::mpi::stream,
    .put = aqueduct::conduit::mpi::put,
    .barrier_name = "MPI_Barrier",
    .barrier = aqueduct::conduit::mpi::barrier,
};
