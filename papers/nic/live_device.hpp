// The device of a live process: a fabric, its doorbell and a progress thread. `Plain` is the library's
// FabricDevice, `kLook` its Call for a look at what has come, which relieves the progress thread.
#pragma once
#include <memory>

#include "papers/nic/live_wait.hpp"
#include "world/world.hpp"

namespace aqueduct::nic {

template <class Plain, class Call, Call kLook>
class LiveDevice final : public Plain {
 public:
  LiveDevice(fabric::Port& port, WaitPolicy wait_policy, Clock& clock, Doorbell& doorbell)
      : Plain(port),
        clock_(clock),
        doorbell_(doorbell),
        progress_thread_(*this, doorbell),
        wait_{wait_policy, clock, *this, doorbell, progress_thread_} {}

  /// `name` is the progress thread's. False: the system gives no thread.
  bool start(const char* name) { return progress_thread_.start(name); }

  void enter(Call call, std::size_t) override {
    if (call == kLook) progress_thread_.attend();
  }
  std::uint64_t now_ns() override { return clock_.now_ns(); }
  void wait(const Activity& activity, std::uint64_t seen, std::uint64_t deadline_ns) override {
    wait_.until_changed(activity, seen, deadline_ns);
  }
  void posted() override { doorbell_.ring_if_needed(); }

 private:
  Clock& clock_;
  Doorbell& doorbell_;
  ProgressThread progress_thread_;
  LiveWait wait_;
};

/// Everything that a live process needs, in the order in which it is built. It lives until the process ends:
/// other threads may be inside the library until the very last moment.
template <class Device, class Process>
struct LiveParts {
  explicit LiveParts(fabric::Plane plane)
      : port(world::live().open_port(plane, fabric::Carrier::kAny)),
        device(*port, world::live().wait_policy(false), world::live().clock(),
               *port->doorbell(world::live().place().rank)),
        process(device) {}

  /// The process; ends the program, with the name of the `first_call`, if the system gives no thread.
  static Process* open(fabric::Plane plane, const char* thread_name, const char* first_call) {
    auto* const live = new LiveParts(plane);
    if (!live->device.start(thread_name))
      fatal(first_call, "the system gives no thread for independent progress");
    return &live->process;
  }

  std::shared_ptr<fabric::Port> port;
  Device device;
  Process process;
};

}  // namespace aqueduct::nic
