// A client of PMI 1 without a library. It speaks to the server over an inherited socket (PMI_FD: Hydra's
// mpiexec, and srun --mpi=pmi2, whose server understands PMI 1 as well), or over a connection that it makes
// (PMI_PORT: mpiexec -pmi-port).
//
//   initack -> initack, then set three times: size, rank, debug; at PMI_PORT only, before init
//   init -> response_to_init      once, first
//   get_my_kvsname -> my_kvsname  the name space of all keys
//   put -> put_result             stores the value of a key
//   barrier_in -> barrier_out     a barrier of all processes; afterwards each can get what others have put
//   get -> get_result
//   finalize -> finalize_ack      once, last
//
// An MPI that the program has started uses the same socket. Then this class leaves the socket open, and
// finalize to that MPI. Hydra kills the other processes when one that has sent init ends without finalize.
//
// Each request is one line and has one answer (job/launchers/pmi_text.hpp).
#pragma once
#include "job/launchers/exchange.hpp"
#include "job/launchers/pmi_text.hpp"
#include "net/descriptor.hpp"

namespace aqueduct::job::launchers {

class Pmi1Wire final : public LauncherExchange {
 public:
  /// `where` is the variable that names the server. `is_shared`: an MPI in this process uses the server as
  /// well, and will finalize.
  Pmi1Wire(const char* where, net::Descriptor socket, RankId rank, RankId size, bool is_shared);
  /// The server knows this process by the number `process`, and sends its rank.
  Pmi1Wire(const char* where, net::Descriptor socket, std::int64_t process);

  /// The client that PMI_FD, PMI_RANK and PMI_SIZE describe; checks each of them.
  static std::unique_ptr<LauncherExchange> from_environment();
  /// The client that PMI_PORT and PMI_ID describe.
  static std::unique_ptr<LauncherExchange> from_port();

  std::vector<std::string> all_gather(const std::string& mine) override;
  void abort(int code, const char* line) override;
  void finish() override;

 private:
  /// Sends `request` and waits for the answer. Fatal if it is not `expected` or reports a failure.
  PmiLine ask(const std::string& request, const char* expected);
  /// The next answer to `request`.
  PmiLine hear(const std::string& request, const char* expected);
  void begin();
  void send(const std::string& line);
  std::string receive(const std::string& request);

  const char* const where_;
  const bool is_shared_;
  net::Descriptor socket_;
  PmiLines received_;
  std::string space_;
  unsigned round_ = 0;
};

}  // namespace aqueduct::job::launchers
