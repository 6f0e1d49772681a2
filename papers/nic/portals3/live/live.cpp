// Portals in a live job: its process, made at the first PtlInit.
//
// The job is the one that gex_Client_Init would join: the program was started by `aqueduct run`, or starts
// its ranks itself if AQUEDUCT_RANKS says so, or is alone; a program may use both interfaces. Nid is the
// rank, pid is kLivePid unless PtlNIInit asks for another, uid is the user's, jid is the same in all
// processes of a job and of no other. There is one interface, PTL_IFACE_DEFAULT, over the fabric between
// processes (fabric/shm).
//
// If a process dies, the job layer ends the job. Like a real network, this one drops messages for a process
// that has not called PtlNIInit yet, so programs must meet before they send.
#include <sys/stat.h>
#include <unistd.h>

#include "papers/nic/portals3/fabric_nal.hpp"
#include "papers/nic/portals3/live/live_bridge.hpp"
#include "papers/nic/portals3/process.hpp"
#include "world/world.hpp"

namespace aqueduct::portals3 {
namespace {

constexpr fabric::Plane kPortalsPlane{1};
constexpr ptl_pid_t kLivePid = 1;

Identity identity_in(const job::Membership& membership) {
  // The shared memory is one file, which only the processes of this job have open.
  struct stat status = {};
  ::fstat(membership.memory_fd, &status);
  return {static_cast<ptl_uid_t>(::getuid()), static_cast<ptl_jid_t>(status.st_ino)};
}

/// Everything that a live process needs, in the order in which it is built.
struct LiveNode {
  explicit LiveNode(const job::Membership& membership)
      : port(world::live().open_port(kPortalsPlane, fabric::Carrier::kAny)),
        nal(*port),
        node(nal),
        crossing(nal, world::live().wait_policy(false), world::live().clock(),
                 *port->doorbell(membership.rank)),
        bridge(identity_in(membership), crossing, LiveFaults::from_environment(membership.rank)) {}

  std::shared_ptr<fabric::Port> port;
  FabricNal nal;
  Node node;
  nic::LiveCrossing crossing;
  LiveBridge bridge;
  Process process;
};

}  // namespace

Process* Process::open_live() {
  // It is never destroyed, because other threads may be inside the library until the process ends.
  auto* live = new LiveNode(world::live().place());
  live->process.offer(PTL_IFACE_DEFAULT, live->node, live->bridge, kLivePid);
  live->crossing.start("portals", "PtlInit");
  return &live->process;
}

}  // namespace aqueduct::portals3
