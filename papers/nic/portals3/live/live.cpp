#include "papers/nic/portals3/live/live.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "papers/nic/portals3/fabric_nal.hpp"
#include "papers/nic/portals3/live/live_bridge.hpp"
#include "world/world.hpp"

namespace aqueduct::portals3 {
namespace {

constexpr fabric::Plane kPortalsPlane{1};

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

Process* open_live_process() {
  // It is never destroyed, because other threads may be inside the library until the process ends.
  auto* live = new LiveNode(world::live().place());
  live->process.offer(PTL_IFACE_DEFAULT, live->node, live->bridge, kLivePid);
  live->crossing.start("portals", "PtlInit");
  return &live->process;
}

}  // namespace aqueduct::portals3
