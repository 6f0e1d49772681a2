// The device of a live process: a fabric, its doorbell and a progress thread. `Plain` is the library's
// FabricDevice, `kLook` its Call for a look at what has come, which relieves the progress thread.
//
// LiveCrossing is the part that belongs to a process; a bridge uses it as well if processes share a mover.
#pragma once
#include <memory>

#include "base/fatal.hpp"
#include "papers/nic/live_wait.hpp"
#include "world/world.hpp"

namespace aqueduct::nic {

/// How a live process waits for its interface, and is woken. Threads: any.
class LiveCrossing {
 public:
  /// `mover` makes progress.
  LiveCrossing(Progress& mover, WaitPolicy wait_policy, Clock& clock, Doorbell& doorbell)
      : clock_(clock),
        doorbell_(doorbell),
        progress_thread_(mover, doorbell),
        wait_{wait_policy, clock, mover, doorbell, progress_thread_} {}

  /// Starts the progress thread, of this name; ends the program, with the name of the `first_call`, if the
  /// system gives no thread.
  void start(const char* thread_name, const char* first_call) {
    if (!progress_thread_.start(thread_name))
      fatal(first_call, "the system gives no thread for independent progress");
  }

  /// A thread looks at what has come.
  void attend() { progress_thread_.attend(); }
  std::uint64_t now_ns() { return clock_.now_ns(); }
  void wait(const Activity& activity, std::uint64_t seen, std::uint64_t deadline_ns) const {
    wait_.until_changed(activity, seen, deadline_ns);
  }
  void posted() { doorbell_.ring_if_needed(); }

 private:
  Clock& clock_;
  Doorbell& doorbell_;
  ProgressThread progress_thread_;
  LiveWait wait_;
};

template <class Plain, class Call, Call kLook>
class LiveDevice final : public Plain {
 public:
  LiveDevice(fabric::Port& port, WaitPolicy wait_policy, Clock& clock, Doorbell& doorbell)
      : Plain(port), crossing_(*this, wait_policy, clock, doorbell) {}

  void start(const char* thread_name, const char* first_call) { crossing_.start(thread_name, first_call); }

  void enter(Call call, std::size_t) override {
    if (call == kLook) crossing_.attend();
  }
  std::uint64_t now_ns() override { return crossing_.now_ns(); }
  void wait(const Activity& activity, std::uint64_t seen, std::uint64_t deadline_ns) override {
    crossing_.wait(activity, seen, deadline_ns);
  }
  void posted() override { crossing_.posted(); }

 private:
  LiveCrossing crossing_;
};

/// Everything that a live process needs, in the order in which it is built. It is never destroyed, because
/// other threads may be inside the library until the process ends.
template <class Device, class Process>
struct LiveParts {
  explicit LiveParts(fabric::Plane plane)
      : port(world::live().open_port(plane, fabric::Carrier::kAny)),
        device(*port, world::live().wait_policy(false), world::live().clock(),
               *port->doorbell(world::live().place().rank)),
        process(device) {}

  /// The process, with its progress thread.
  static Process* open(fabric::Plane plane, const char* thread_name, const char* first_call) {
    auto* const live = new LiveParts(plane);
    live->device.start(thread_name, first_call);
    return &live->process;
  }

  std::shared_ptr<fabric::Port> port;
  Device device;
  Process process;
};

}  // namespace aqueduct::nic
