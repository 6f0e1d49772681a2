#include "nic/portals3/live/live.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/fatal.hpp"
#include "fabric/shm/plane.hpp"
#include "job/membership.hpp"
#include "nic/portals3/fabric_nal.hpp"
#include "nic/portals3/live/live_bridge.hpp"

namespace aqueduct::portals3 {
namespace {

Identity identity_in(const job::Membership& membership) {
  // The shared memory is one file, which only the processes of this job have open.
  struct stat status = {};
  ::fstat(membership.memory_fd, &status);
  return {static_cast<ptl_uid_t>(::getuid()), static_cast<ptl_jid_t>(status.st_ino)};
}

/// Everything that a live process needs, in the order in which it is built.
struct LiveNode {
  explicit LiveNode(const job::Membership& membership)
      : port(fabric::shm::open_port(membership, fabric::shm::Plane::kPortals)),
        nal(*port),
        node(nal),
        attendant(nal, *port->doorbell(membership.rank)),
        bridge(identity_in(membership), Patience::choose(membership.size, membership.cores, false),
               machine_clock(), *port, attendant, LiveFaults::from_environment(membership.rank)) {}

  std::unique_ptr<fabric::shm::ShmPort> port;
  FabricNal nal;
  Node node;
  Attendant attendant;
  LiveBridge bridge;
  Process process;
};

}  // namespace

Process* open_live_process() {
  // Lives until the process ends: other threads may be inside the library until the very last moment.
  auto* live = new LiveNode(job::join());
  live->process.offer(PTL_IFACE_DEFAULT, live->node, live->bridge, kLivePid);
  if (!live->attendant.start()) fatal("PtlInit", "the system gives no thread for independent progress");
  return &live->process;
}

}  // namespace aqueduct::portals3
