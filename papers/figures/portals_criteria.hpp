// The statements of "Porting GASNet to Portals" about its figures 2 to 5, as criteria for our curves.
//
// Its curves are pictures; its text has ratios, steps and orders. "Roughly a factor of two" is taken as 2
// within a quarter, up or down, wherever it is said.
#pragma once
#include <vector>

#include "chart.hpp"
#include "criterion.hpp"

namespace aqueduct::figures::xt4 {

/// The bytes that fit in the header packet; the paper's steps come after it.
inline constexpr double kInline = 16;
/// The range of "roughly two".
inline constexpr double kLeastTwo = 1.6, kMostTwo = 2.5;

/// Latencies in microseconds over payloads of 1 B to 1 KB, by system.
struct Latencies {
  Curve mpi_conduit;
  Curve ping_ack;  ///< of figure 2 alone
  Curve portals_conduit;
};

/// Bandwidths over payloads of 1 KB to 2 MB.
struct Bandwidths {
  Curve mpi_conduit;
  Curve mpi;
  Curve portals_conduit;
};

/// Bandwidths of blocking puts from outside of the segment, and the gain of the second over the first, in
/// percent.
struct OutsidePuts {
  Curve temporary;
  Curve firehose;
  Curve gain;
};

struct Measurements {
  double zero_byte_put_us = 0;  ///< between Portals processes
  Latencies put;
  Bandwidths flood;
  Latencies round_trip;
  OutsidePuts outside;
};

std::vector<Criterion> criteria(const Measurements& measured);

}  // namespace aqueduct::figures::xt4
