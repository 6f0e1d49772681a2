// A few processes with the library of a network interface on an unruly fabric, all in one thread: who calls
// is said by a scope, and waiting makes things happen. `Plain` is the library's FabricDevice.
//
//   NicMachine<MyDevice, Process> machine{{.nodes = 2}, limits};
//   { On on{machine, 0}; GNI_PostFma(...); }
//   machine.run();
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "portals3/unruly_fabric.hpp"

namespace aqueduct::test {

/// A device with a clock that moves when nothing else does, and limits that a test may set.
template <class Plain, class Limits, class Activity>
class SteppedDevice : public Plain {
 public:
  SteppedDevice(UnrulyFabric& fabric, fabric::NodeId node, Limits limits)
      : Plain(fabric.port(node)), fabric_(fabric), limits_(limits) {}

  Limits limits() const override { return limits_; }
  std::uint64_t now_ns() override { return now_ns_; }
  void wait(const Activity& activity, std::uint64_t seen, std::uint64_t deadline_ns) override {
    while (activity.load() == seen && now_ns_ < deadline_ns) {
      if (!fabric_.step()) now_ns_ = std::min(deadline_ns, now_ns_ + 1'000'000);
      this->progress();
    }
  }
  void posted() override { ++posts; }

  unsigned posts = 0;

 private:
  UnrulyFabric& fabric_;
  Limits limits_;
  std::uint64_t now_ns_ = 0;
};

template <class Device, class Process, class Limits>
class NicMachine {
 public:
  NicMachine(UnrulyFabric::Options options, Limits limits) : fabric_(options) {
    for (fabric::NodeId node = 0; node < options.nodes; ++node)
      seats_.push_back(std::make_unique<Seat>(fabric_, node, limits));
  }

  UnrulyFabric& fabric() { return fabric_; }
  Process& process(fabric::NodeId node) { return *seats_[node]->process; }
  Device& device(fabric::NodeId node) { return seats_[node]->device; }
  fabric::NodeId nodes() const { return static_cast<fabric::NodeId>(seats_.size()); }
  /// Until nothing is left to happen.
  void run() {
    for (bool moved = true; moved;) {
      fabric_.run();
      moved = false;
      for (const auto& seat : seats_) moved |= seat->device.progress() != 0;
      moved |= fabric_.step();
    }
  }

  /// While it lives, calls are those of a process.
  class On {
   public:
    On(NicMachine& machine, fabric::NodeId node) : scope_(&machine.process(node)) {}

   private:
    typename Process::Current scope_;
  };

 private:
  struct Seat {
    Seat(UnrulyFabric& fabric, fabric::NodeId node, Limits limits)
        : device(fabric, node, limits), process(std::make_unique<Process>(device)) {}
    Device device;
    std::unique_ptr<Process> process;
  };

  UnrulyFabric fabric_;
  std::vector<std::unique_ptr<Seat>> seats_;
};

}  // namespace aqueduct::test
