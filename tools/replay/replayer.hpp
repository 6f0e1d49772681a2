// Runs a program (program.hpp) by the ranks of a simulation: each does in its order what was recorded, by the
// public interface, and computes in between.
//
//   Replay replay(program, 1.0);          // outlives the simulation
//   ... every rank: replay.run_rank() ...
//   replay.run()                          // when everything happened
//
// Recorded addresses are not kept: puts, gets and atomics go to the start of the peer's segment, and data
// come from memory that all ranks share. A message has at least one argument, by which its handler knows what
// was recorded of it.
#pragma once
#include <memory>

#include "tools/replay/program.hpp"

namespace aqueduct::replay {

class Replay {
 public:
  /// `compute` scales the time between calls and in handlers.
  Replay(const Program& program, double compute);
  ~Replay();
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  /// The segment that each rank needs.
  std::uint64_t segment_bytes() const;
  /// In each rank; returns its exit code.
  int run_rank();
  const Run& run() const;

  struct State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace aqueduct::replay
