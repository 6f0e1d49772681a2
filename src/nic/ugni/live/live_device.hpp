// The device of a live process: a fabric, its doorbell and a progress thread.
#pragma once
#include "nic/live_wait.hpp"
#include "nic/ugni/fabric_device.hpp"

namespace aqueduct::ugni {

class LiveDevice final : public FabricDevice {
 public:
  LiveDevice(fabric::Port& port, WaitPolicy wait_policy, Clock& clock, Doorbell& doorbell)
      : FabricDevice(port),
        clock_(clock),
        doorbell_(doorbell),
        progress_thread_(*this, doorbell),
        wait_{wait_policy, clock, *this, doorbell, progress_thread_} {}

  /// False: the system gives no thread.
  bool start() { return progress_thread_.start("ugni"); }

  void enter(Call call, std::size_t) override {
    if (call == Call::kEvent) progress_thread_.attend();
  }
  std::uint64_t now_ns() override { return clock_.now_ns(); }
  void wait(const Activity& activity, std::uint64_t seen, std::uint64_t deadline_ns) override {
    wait_.until_changed(activity, seen, deadline_ns);
  }
  void posted() override { doorbell_.ring_if_needed(); }

 private:
  Clock& clock_;
  Doorbell& doorbell_;
  nic::ProgressThread progress_thread_;
  nic::LiveWait wait_;
};

}  // namespace aqueduct::ugni
