#include "portals3/machine.hpp"

#include <cstdio>
#include <cstdlib>

namespace aqueduct::test {

using namespace portals3;

namespace {
constexpr unsigned kTries = 100;
}

int TestBridge::validate(std::span<const fabric::Piece>, MemoryKey& key) {
  if (refuse_with_ != PTL_OK) return refuse_with_;
  key = next_key_++;
  registered_.insert(key);
  return PTL_OK;
}

void TestBridge::invalidate(MemoryKey key) {
  if (registered_.erase(key) == 1) return;
  std::fprintf(stderr, "a registration was given back twice\n");
  std::abort();
}

void TestBridge::wait(Nal& nal, const Activity&, std::uint64_t, std::uint64_t deadline_ns) {
  // A fabric without room may have some at the next try.
  for (unsigned tries = 0; tries < kTries; ++tries) {
    nal.progress();
    if (fabric_.step()) return;
  }
  if (deadline_ns == kForever) {
    std::fprintf(stderr, "a process waits for something that will never happen\n");
    std::abort();
  }
  now_ns_ = deadline_ns;
}

Machine::Machine(UnrulyFabric::Options options, unsigned processes_per_node) : fabric_(options) {
  for (fabric::NodeId id = 0; id < options.nodes; ++id) {
    NodeParts& parts = nodes_.emplace_back();
    parts.nal = std::make_unique<FabricNal>(fabric_.port(id));
    parts.node = std::make_unique<Node>(*parts.nal);
    for (unsigned p = 0; p < processes_per_node; ++p) {
      auto seat = std::make_unique<Seat>(fabric_);
      seat->process = std::make_unique<Process>();
      seat->process->offer(PTL_IFACE_DEFAULT, *parts.node, seat->bridge, p);
      seats_.push_back(std::move(seat));
    }
  }
}

Machine::~Machine() = default;

void Machine::run() {
  for (unsigned idle = 0; idle < kTries; ++idle) {
    for (NodeParts& parts : nodes_) parts.nal->progress();
    while (fabric_.step()) idle = 0;
  }
}

}  // namespace aqueduct::test
