// A few nodes with Portals processes on an unruly fabric, all in one thread: who calls is said by a scope,
// and waiting makes things happen.
//
//   Machine machine{{.nodes = 2}};
//   { On on{machine, 0}; PtlPut(...); }
//   machine.run();
#pragma once
#include <memory>
#include <set>
#include <vector>

#include "papers/nic/portals3/fabric_nal.hpp"
#include "papers/nic/portals3/process.hpp"
#include "portals3.h"
#include "portals3/unruly_fabric.hpp"

namespace aqueduct::test {

/// A bridge with a clock that moves when nothing else does, and that remembers registrations.
class TestBridge : public portals3::Bridge {
 public:
  explicit TestBridge(UnrulyFabric& fabric) : fabric_(fabric) {}

  portals3::Identity identity() const override { return identity_; }
  void enter(portals3::Call) override { ++depth_; }
  void leave(portals3::Call) override { --depth_; }
  int validate(std::span<const fabric::Piece> pieces, portals3::MemoryKey& key) override;
  void invalidate(portals3::MemoryKey key) override;
  std::uint64_t now_ns() override { return now_ns_; }
  void wait(portals3::Nal& nal, const portals3::Activity& activity, std::uint64_t seen,
            std::uint64_t deadline_ns) override;
  void posted() override { ++posts_; }

  std::size_t registrations() const { return registered_.size(); }
  int refuse_with_ = PTL_OK;  ///< what validate() answers
  portals3::Identity identity_{7, 3};
  unsigned posts_ = 0;
  int depth_ = 0;

 private:
  UnrulyFabric& fabric_;
  std::set<portals3::MemoryKey> registered_;
  portals3::MemoryKey next_key_ = 1;
  std::uint64_t now_ns_ = 0;
};

class Machine {
 public:
  explicit Machine(UnrulyFabric::Options options, unsigned processes_per_node = 1);
  ~Machine();

  UnrulyFabric& fabric() { return fabric_; }
  portals3::Node& node(fabric::NodeId node) { return *nodes_[node].node; }
  portals3::Process& process(unsigned index) { return *seats_[index]->process; }
  TestBridge& bridge(unsigned index) { return seats_[index]->bridge; }
  void run();

 private:
  struct NodeParts {
    std::unique_ptr<portals3::FabricNal> nal;
    std::unique_ptr<portals3::Node> node;
  };
  struct Seat {
    explicit Seat(UnrulyFabric& fabric) : bridge(fabric) {}
    TestBridge bridge;
    std::unique_ptr<portals3::Process> process;
  };

  UnrulyFabric fabric_;
  std::vector<NodeParts> nodes_;
  std::vector<std::unique_ptr<Seat>> seats_;  ///< process p of node n: n * processes_per_node + p
};

/// While it lives, calls are those of a process.
class On {
 public:
  On(Machine& machine, unsigned process) : scope_(&machine.process(process)) {}

 private:
  portals3::Process::Current scope_;
};

}  // namespace aqueduct::test
