// What the paper on AM Long by target-side reassembly states about its figures 1 to 3, as criteria for our
// curves.
#pragma once
#include <vector>

#include "chart.hpp"
#include "criterion.hpp"

namespace aqueduct::figures::xc40 {

/// Round trips of a Long request and a Long reply in microseconds over payloads of 2 KiB to 1 MiB, by
/// protocol.
struct RoundTrips {
  Curve put_sync_send;
  Curve reassembly;
  Curve rendezvous_get;
};

/// Microseconds to start one Long, over how many are started at once, for one size.
struct Injections {
  double bytes = 0;
  Curve put_sync_send;
  Curve reassembly;
};

struct Measurements {
  RoundTrips round_trip;
  std::vector<Injections> injection;  ///< sizes rising
};

/// One curve over the other, point by point.
Curve ratio_of(const Curve& above, const Curve& below, const char* name);

std::vector<Criterion> criteria(const Measurements& measured);

}  // namespace aqueduct::figures::xc40
