// Asks a plug-in that is not loaded whether it can carry a job, and how much it is preferred: a process of
// its own loads it, asks it and ends. So a job that runs on another conduit maps nothing of what the plug-in
// is linked with.
//
// The process is `aqueduct-probe`, which is installed where plug-ins are: the first that was made with this
// library, in the directories of search.hpp, beginning with that of the plug-in. Where there is none, the
// answer says so, and the plug-in is not taken.
//
//   aqueduct-probe PATH NAME SIZE PER_HOST GIVEN MACHINES RENDEZVOUS
//     answers on descriptor 3 with one line: "yes 45", or "no because"
//
// So the plug-in is told of the Membership: size, hosts (as if all were as large as the largest),
// hosts_are_given, hosts_are_machines and rendezvous.
//
// Asked once on each machine: the ranks there share the answer, in the job's shared memory (Membership::
// memory_fd). The first asks, and the others wait for it; if nothing has come after kPatienceS seconds, or if
// there is no such memory, a rank asks by itself. What hangs is killed after that time.
//
// One thread at a time.
#pragma once
#include <string>

#include "conduit/plugin/search.hpp"
#include "job/place/membership.hpp"

namespace aqueduct::conduit::plugin {

inline constexpr unsigned kPatienceS = 20;

struct ProbeAnswer {
  bool is_possible = false;
  int preference = 0;
  std::string reason;  ///< why it is not possible
};

ProbeAnswer probe(const File& file, const job::Membership& membership);

/// What aqueduct-probe does with its arguments; its exit code.
int probe_main(int count, char** arguments);

}  // namespace aqueduct::conduit::plugin
