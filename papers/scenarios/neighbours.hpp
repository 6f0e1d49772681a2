// Nearest neighbours on a 3D torus exchange data as a stencil code does: in each round every rank computes
// for a while, sends a face of several requests to each of its (at most six) neighbours, one face after the
// other, and goes on when the faces of its neighbours have come. Requests have no reply, so only flow control
// limits a sender: a neighbour that still computes takes no messages, and ranks compute for different times.
//
// Ranks are placed in the most cube-like box of their number, as the simulated torus places its nodes.
#pragma once
#include <cstddef>
#include <cstdint>

#include "papers/parts/credits.hpp"
#include "tools/scenarios/scenarios.hpp"

namespace aqueduct::scenarios {

/// What the last run has measured. Times are virtual, and sums over all ranks.
struct NeighbourFigures {
  std::uint64_t payload_bytes = 0;
  std::uint64_t total_ns = 0;
  std::uint64_t later_bytes = 0;  ///< of the second half of the rounds, when credits have settled
  std::uint64_t later_ns = 0;
  // With the conduit `portals`.
  std::size_t receive_bytes = 0;  ///< of one rank: request buffers, their event queue, accounts of peers
  parts::CreditCounts counts;

  /// The average rate of a rank: in the whole run, and in its second half.
  double megabytes_per_second() const { return rate(payload_bytes, total_ns); }
  double later_megabytes_per_second() const { return rate(later_bytes, later_ns); }

 private:
  static double rate(std::uint64_t bytes, std::uint64_t ns) {
    return ns == 0 ? 0 : static_cast<double>(bytes) * 1e3 / static_cast<double>(ns);
  }
};

const NeighbourFigures& neighbour_figures();

}  // namespace aqueduct::scenarios
