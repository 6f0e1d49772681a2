// How a live process crosses into its Portals library: by a plain call. Every look at an event queue relieves
// the progress thread (nic/progress_thread.hpp); nic/live_wait.hpp says how a thread waits.
#pragma once
#include "papers/nic/live_wait.hpp"
#include "papers/nic/portals3/bridge.hpp"
#include "papers/nic/portals3/live/live_faults.hpp"

namespace aqueduct::portals3 {

class LiveBridge final : public DirectBridge {
 public:
  LiveBridge(Identity identity, WaitPolicy wait_policy, Clock& clock, fabric::Port& port,
             nic::ProgressThread& progress_thread, const LiveFaults& faults)
      : DirectBridge(identity, wait_policy, clock),
        wait_policy_(wait_policy),
        clock_(clock),
        port_(port),
        doorbell_(*port.doorbell(port.self())),
        progress_thread_(progress_thread),
        faults_(faults) {}

  void enter(Call call) override {
    if (call == Call::kEvent) progress_thread_.attend();
  }
  void wait(Nal& nal, const Activity& activity, std::uint64_t seen, std::uint64_t deadline_ns) override;
  void posted() override { doorbell_.ring_if_needed(); }
  Doorbell* doorbell(NodeId node) override { return port_.doorbell(node); }
  int validate(std::span<const Piece> pieces, MemoryKey& key) override {
    return faults_.registration_fails() ? PTL_VAL_FAILED : DirectBridge::validate(pieces, key);
  }
  EventFault event_fault() override { return faults_.event_fault(); }
  std::uint64_t queue_events(std::uint64_t asked) override { return faults_.queue_events(asked); }

 private:
  WaitPolicy wait_policy_;
  Clock& clock_;
  fabric::Port& port_;
  Doorbell& doorbell_;
  nic::ProgressThread& progress_thread_;
  LiveFaults faults_;
};

}  // namespace aqueduct::portals3
