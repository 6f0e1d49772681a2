// PMI 1 spoken to its server over a socket that the process has inherited (PMI_FD): Hydra's mpiexec, and
// srun --mpi=pmi2, whose server understands it as well; or over a connection to where the server listens
// (PMI_PORT): mpiexec -pmi-port. No library is needed.
//
//   initack -> initack, then set  three times: size, rank, debug; first of all, at PMI_PORT only
//   init -> response_to_init      once, first
//   get_my_kvsname -> my_kvsname  the space that values are put to and got from
//   put -> put_result             of a key
//   barrier_in -> barrier_out     of all processes; what was put before can be got afterwards
//   get -> get_result
//   finalize -> finalize_ack      once, last
//
// An MPI that the program has started speaks over the same socket. Then it is left open, and finalize to that
// MPI. Hydra kills the others when a process has said init and ends without finalize.
//
// Each request is one line and waits for its one answer (job/launchers/pmi_text.hpp).
#pragma once
#include "job/launchers/exchange.hpp"
#include "job/launchers/pmi_text.hpp"
#include "net/descriptor.hpp"

namespace aqueduct::job::launchers {

class Pmi1Wire final : public Exchange {
 public:
  /// `where` is the variable that names the server. `socket` is closed in the end. `is_shared`: somebody else
  /// in the process speaks to the server, too, and will finalize.
  Pmi1Wire(const char* where, net::Descriptor socket, RankId rank, RankId size, bool is_shared);
  /// The server knows the process by this number, and tells its rank.
  Pmi1Wire(const char* where, net::Descriptor socket, std::int64_t process);

  /// The one that PMI_FD, PMI_RANK and PMI_SIZE describe, each of which is checked.
  static std::unique_ptr<Exchange> from_environment();
  /// The one that PMI_PORT and PMI_ID describe.
  static std::unique_ptr<Exchange> from_port();

  std::vector<std::string> all_gather(const std::string& mine) override;
  void abort(int code, const char* line) override;
  void finish() override;

 private:
  /// Sends `request` and waits for the answer, which must be of the kind `expected` and say no failure.
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
