#include "nic/ugni/live/live.hpp"

#include "base/fatal.hpp"
#include "nic/ugni/live/live_device.hpp"
#include "world/world.hpp"

namespace aqueduct::ugni {
namespace {

/// Everything that a live process needs, in the order in which it is built.
struct LiveParts {
  explicit LiveParts(const job::Membership& membership)
      : port(world::live().open_port(fabric::Plane::kUgni)),
        device(*port, world::live().wait_policy(false), world::live().clock(),
               *port->doorbell(membership.rank)),
        process(device) {}

  std::shared_ptr<fabric::Port> port;
  LiveDevice device;
  Process process;
};

}  // namespace

Process* open_live_process() {
  // Lives until the process ends: other threads may be inside the library until the very last moment.
  auto* live = new LiveParts(world::live().place());
  if (!live->device.start()) fatal("GNI_CdmCreate", "the system gives no thread for independent progress");
  return &live->process;
}

}  // namespace aqueduct::ugni
