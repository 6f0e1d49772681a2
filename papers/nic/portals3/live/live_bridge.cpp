#include "papers/nic/portals3/live/live_bridge.hpp"

namespace aqueduct::portals3 {

void LiveBridge::wait(Nal& nal, const Activity& activity, std::uint64_t seen, std::uint64_t deadline_ns) {
  const nic::LiveWait wait{wait_policy_, clock_, nal, doorbell_, progress_thread_};
  wait.until_changed(activity, seen, deadline_ns);
}

}  // namespace aqueduct::portals3
