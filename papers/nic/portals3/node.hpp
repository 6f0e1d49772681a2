// The Portals library of one node, which its NAL calls and its processes share.
//
// A node finds the interface that a message is for by the process id in the header, and counts messages that
// are for nobody or malformed. The interface does everything else (interface.hpp).
//
// Any thread may call anything. An interface that claims a pid is reachable until it releases it; while
// a message is parsed the interface's own lock keeps it from being closed.
#pragma once
#include <atomic>
#include <cstdint>
#include <vector>

#include "base/spin_lock.hpp"
#include "papers/nic/portals3/nal.hpp"

namespace aqueduct::portals3 {

class Interface;

class Node final : public Library {
 public:
  explicit Node(Nal& nal);
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  Nal& nal() const { return nal_; }

  Destination destination(const Incoming& incoming) override;
  Verdict parse(const Incoming& incoming) override;
  void finalize(NicTransfer& transfer, ptl_ni_fail_t fail) override;
  void undeliverable(NodeId target, std::span<const std::byte> header) override;
  void lost(NodeId node) override;

  /// Gives `pid`, or a free one for PTL_PID_ANY, to an interface, and writes it back. False: another
  /// interface has it.
  bool claim(Interface& interface, ptl_pid_t& pid);
  void release(Interface& interface);

  std::uint64_t malformed() const { return malformed_.load(std::memory_order_relaxed); }
  std::uint64_t strays() const { return strays_.load(std::memory_order_relaxed); }

 private:
  struct Tenant {
    ptl_pid_t pid;
    Interface* interface;
  };

  /// The interface with its lock held, so that it cannot close meanwhile; null if there is none.
  Interface* find_locked(ptl_pid_t pid);

  Nal& nal_;
  SpinLock lock_;
  std::vector<Tenant> tenants_;
  std::atomic<std::uint64_t> malformed_{0};
  std::atomic<std::uint64_t> strays_{0};
};

}  // namespace aqueduct::portals3
