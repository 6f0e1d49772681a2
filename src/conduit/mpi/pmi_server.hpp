// The server's side of PMI 1 for one process: reads its requests from a socket, answers from KeyValues.
//
//   cmd=init pmi_version=1 pmi_subversion=1      cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0
//   cmd=get_maxes                                cmd=maxes kvsname_max=64 keylen_max=64 vallen_max=1024
//   cmd=get_appnum                               cmd=appnum appnum=0
//   cmd=get_my_kvsname                           cmd=my_kvsname kvsname=aqueduct
//   cmd=get_universe_size                        cmd=universe_size size=4
//   cmd=put kvsname=aqueduct key=K value=V       cmd=put_result rc=0 msg=success
//   cmd=barrier_in                               cmd=barrier_out                   after a fence
//   cmd=get kvsname=aqueduct key=K               cmd=get_result rc=0 msg=success value=V
//   cmd=finalize                                 cmd=finalize_ack
//
// Each is one line. What is none of these, and `abort`, ends the job.
#pragma once
#include <string>
#include <string_view>

#include "conduit/mpi/key_values.hpp"

namespace aqueduct::conduit::mpi {

class PmiServer {
 public:
  explicit PmiServer(KeyValues& values) : values_(values) {}

  /// Answers until the other end is closed. Any thread; the one that owns `values` must leave them alone.
  void serve(int socket);

  /// The answer to one line, both with their newlines.
  std::string answer(std::string_view line);

 private:
  KeyValues& values_;
};

}  // namespace aqueduct::conduit::mpi
