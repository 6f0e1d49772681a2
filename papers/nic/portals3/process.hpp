// A process as Portals sees it: the interfaces that it may open and those that it has open.
//
// One Process holds everything behind the Ptl functions. A live process has one; a simulation has thousands,
// and switches the current Process together with the fiber. The creator of a process offers it interfaces
// before it runs:
//
//   Node node{nal};                                          // one per node of the network
//   Process process;
//   process.offer(PTL_IFACE_DEFAULT, node, bridge);          // the first one offered is also the default
//   Process::Current scope{&process};                        // Ptl functions now belong to it
//
// A live process gets its Process at PtlInit from open_live() (live/live.cpp).
//
// Nodes, NALs and bridges outlive the processes that use them.
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "papers/nic/current_process.hpp"
#include "papers/nic/portals3/bridge.hpp"
#include "papers/nic/portals3/node.hpp"

namespace aqueduct::portals3 {

class Interface;

class Process : public nic::CurrentProcess<Process> {
 public:
  /// Handles have three bits for the interface, of which one value means none.
  static constexpr unsigned kMaxInterfaces = 7;

  Process();
  /// Abandons interfaces that are still open; nothing may be in flight for them.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// `pid` is the one that PTL_PID_ANY gives; PTL_PID_ANY itself lets the node choose. False: no room.
  bool offer(ptl_interface_t id, Node& node, Bridge& bridge, ptl_pid_t pid = PTL_PID_ANY);

  /// PtlInit and PtlFini.
  int init(int* max_interfaces);
  void fini();
  bool initialised() const { return initialised_.load(std::memory_order_acquire) != 0; }

  /// The interface that PtlNIInit opens for a name; null if there is none.
  Interface* offered(ptl_interface_t id);
  /// The interface that a handle's bits name, open or not; null if there is none.
  Interface* interface(unsigned index) { return index < kMaxInterfaces ? interfaces_[index].get() : nullptr; }

  /// For nic::CurrentProcess: live/live.cpp.
  static Process* open_live();

 private:
  std::atomic<std::uint32_t> initialised_{0};
  std::array<std::unique_ptr<Interface>, kMaxInterfaces> interfaces_;
};

}  // namespace aqueduct::portals3
