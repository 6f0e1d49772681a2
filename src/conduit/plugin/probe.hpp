// Asks a plug-in that is not loaded whether it can carry a job, and for its preference: a separate process
// loads it, asks it and ends. So a job that runs on another conduit maps none of the libraries that the
// plug-in is linked with. And asks one that is, whether its network moves memory of a device: a process of
// its own tries that (Description::try_device), because a provider that does not may crash.
//
// That process runs `aqueduct-probe` (tools/probe), which is installed beside plug-ins: the first one of this
// version of the library, in the directories of search.hpp, beginning with the plug-in's. If there is none,
// the answer says so, and the plug-in is not used.
//
//   aqueduct-probe PATH NAME SIZE PER_HOST GIVEN MACHINES RENDEZVOUS [FAMILY ORDINAL]
//     answers on descriptor 3 with one line: "yes 45", or "no because"; of a device "yes 0"
//
// So the plug-in knows these members of the Membership: size, hosts (as if all were as large as the largest),
// hosts_are_given, hosts_are_machines and rendezvous.
//
// The ranks of a machine share one answer, in the job's shared memory (Membership::memory_fd): the first
// asks, and the others wait. Of a device only those share one that see the same devices and networks by their
// environment. A process that has not answered after kPatienceS seconds is killed, and left behind if it does
// not end then. If no answer has come some seconds later, or if there is no such memory, a rank asks by
// itself.
//
// One thread at a time.
#pragma once
#include <string>

#include "conduit/plugin/search.hpp"
#include "device/driver.hpp"
#include "job/place/membership.hpp"

namespace aqueduct::conduit::plugin {

inline constexpr unsigned kPatienceS = 20;
inline constexpr const char* kProbeProgram = "aqueduct-probe";
inline constexpr int kProbeAnswerFd = 3;

struct ProbeAnswer {
  bool is_possible = false;
  int preference = 0;
  std::string reason;  ///< why it is not possible
};

ProbeAnswer probe(const File& file, const job::Membership& membership);
/// Whether the conduit moves memory of that device over the network that this job uses.
ProbeAnswer probe_device(const File& file, const job::Membership& membership, device::Family family,
                         int ordinal);

}  // namespace aqueduct::conduit::plugin
