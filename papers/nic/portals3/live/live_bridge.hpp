// How a live process crosses into its Portals library: by a plain call. Every look at an event queue relieves
// the progress thread (nic/progress_thread.hpp); nic/live_wait.hpp says how a thread waits.
#pragma once
#include "papers/nic/live_device.hpp"
#include "papers/nic/portals3/bridge.hpp"
#include "papers/nic/portals3/live/live_faults.hpp"

namespace aqueduct::portals3 {

class LiveBridge final : public Bridge {
 public:
  LiveBridge(Identity identity, nic::LiveCrossing& crossing, const LiveFaults& faults)
      : identity_(identity), crossing_(crossing), faults_(faults) {}

  Identity identity() const override { return identity_; }
  void enter(Call call) override {
    if (call == Call::kEvent) crossing_.attend();
  }
  std::uint64_t now_ns() override { return crossing_.now_ns(); }
  void wait(Nal&, const Activity& activity, std::uint64_t seen, std::uint64_t deadline_ns) override {
    crossing_.wait(activity, seen, deadline_ns);
  }
  void posted() override { crossing_.posted(); }
  int validate(std::span<const Piece>, MemoryKey& key) override {
    key = 1;
    return faults_.registration_fails() ? PTL_VAL_FAILED : PTL_OK;
  }
  void invalidate(MemoryKey) override {}
  EventFault event_fault() override { return faults_.event_fault(); }
  std::uint64_t queue_events(std::uint64_t asked) override { return faults_.queue_events(asked); }

 private:
  Identity identity_;
  nic::LiveCrossing& crossing_;
  LiveFaults faults_;
};

}  // namespace aqueduct::portals3
