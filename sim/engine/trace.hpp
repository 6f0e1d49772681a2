// The trace of a simulation as one number: a rolling hash over all events in their order.
//
// Two runs with the same hash did the same things at the same times. The hash uses only integers that mean
// the same on every machine (times, kinds, nodes, sizes), never addresses.
#pragma once
#include <cstdint>

namespace aqueduct::sim {

/// The kind and the node of an event, which the trace hashes with its time. The simulation's own kinds are
/// below kFirstInterfaceKind; interfaces number theirs from there and never renumber them.
struct Mark {
  std::uint16_t kind = 0;
  std::uint32_t node = 0;
};

inline constexpr std::uint16_t kFirstInterfaceKind = 64;

class Trace {
 public:
  void add(std::uint64_t time, Mark mark) {
    fold(time ^ (std::uint64_t{mark.kind} << 48 | mark.node) * 0xd6e8feb86659fd93u);
  }
  void add(std::uint64_t detail) { fold(detail + 0x2545f4914f6cdd1du); }

  std::uint64_t hash() const { return hash_ ^ hash_ >> 29; }

 private:
  void fold(std::uint64_t value) {
    hash_ = (hash_ ^ value) * 0x9fb21c651e98df25u;
    hash_ ^= hash_ >> 32;
  }
  std::uint64_t hash_ = 0x6a09e667f3bcc908u;
};

}  // namespace aqueduct::sim
