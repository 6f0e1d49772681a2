// The bridges of the XT: the ways from the processes of a node into the library that serves all of them.
//
//   qkbridge     a process on Catamount: calls trap, which is cheap; memory that is contiguous to the
//                process is contiguous to the interface, so one command moves it, whatever its size
//   ukbridge     a process on Linux: calls are system calls, but for a look at an event queue; memory is
//                pinned when a descriptor is made of it, which may fail (PTL_VAL_FAILED), and every
//                transfer takes a list of its pages along
//   kbridge      a client inside the Linux kernel, a file system say: it just calls; its memory is pinned
//                by nature, but its pages still have to be listed
//   accelerated  a process on Catamount that the interface matches for: it writes commands and reads events
//                in memory that it shares with the interface. No scattered buffers (PTL_MD_ILLEGAL).
//
// Matching, queues and the way to the network are the same for all.
//
// A bridge belongs to one process and is used by its fiber; code in the simulation's events (event handlers
// that call the library) is not charged.
#pragma once
#include <cstddef>

#include "papers/nic/portals3/bridge.hpp"
#include "papers/nic/portals3/seastar/cause.hpp"
#include "papers/nic/portals3/seastar/costs.hpp"
#include "sim/faults.hpp"
#include "sim/host.hpp"

namespace aqueduct::portals3::seastar {

/// The parts of a node that its bridges use.
struct NodeParts {
  sim::Host& host;
  const Costs& costs;
  sim::Faults& faults;
  InterruptLine& interrupts;
};

class SeaStarBridge : public Bridge {
 public:
  SeaStarBridge(NodeParts node, Identity identity) : node_(node), identity_(identity) {}

  /// Whether the interface itself matches for the process.
  virtual bool accelerated() const { return false; }
  /// The pages to list for a transfer from or to `pieces`; 0: one command is enough.
  virtual std::size_t listed_pages(std::span<const Piece>) const { return 0; }

  Identity identity() const override { return identity_; }
  void enter(Call call) override;
  int validate(std::span<const Piece> pieces, MemoryKey& key) override;
  void invalidate(MemoryKey) override {}
  std::uint64_t now_ns() override;
  void wait(Nal& nal, const Activity& activity, std::uint64_t seen, std::uint64_t deadline_ns) override;
  void posted() override { node_.interrupts.wake_processes(); }
  EventFault event_fault() override;

 protected:
  /// Charges the way into the library and back.
  virtual void cross(Call) {}

  void charge(CostId cost, std::size_t amount = 0);
  const Costs& costs() const { return node_.costs; }
  sim::Faults& faults() const { return node_.faults; }
  sim::Host& host() const { return node_.host; }

 private:
  NodeParts node_;
  Identity identity_;
};

class QkBridge final : public SeaStarBridge {
 public:
  using SeaStarBridge::SeaStarBridge;

 protected:
  void cross(Call) override { charge(costs().trap); }
};

class KBridge : public SeaStarBridge {
 public:
  using SeaStarBridge::SeaStarBridge;
  std::size_t listed_pages(std::span<const Piece> pieces) const override;
};

class UkBridge final : public KBridge {
 public:
  using KBridge::KBridge;
  int validate(std::span<const Piece> pieces, MemoryKey& key) override;
  void invalidate(MemoryKey key) override;

 protected:
  /// Event queues lie in the memory of the process, which reads them without its kernel.
  void cross(Call call) override {
    if (call != Call::kEvent) charge(costs().system_call);
  }
};

class AcceleratedBridge final : public SeaStarBridge {
 public:
  using SeaStarBridge::SeaStarBridge;
  bool accelerated() const override { return true; }
  int validate(std::span<const Piece> pieces, MemoryKey& key) override;
};

}  // namespace aqueduct::portals3::seastar
