// The statements of "Portals 3.3 on the Sandia/Cray Red Storm System" about its figures 3 to 7, as criteria
// for our curves.
#pragma once
#include <vector>

#include "chart.hpp"
#include "criterion.hpp"

namespace aqueduct::figures::redstorm {

/// "Around 6 KB", in KB.
inline constexpr double kLeastHalf = 5, kMostHalf = 7;

/// One of PortalPerf's figures.
struct PerfCurves {
  Curve put;
  Curve get;
  Curve bidirectional;
};

/// One of NetPIPE's.
struct NetpipeCurves {
  Curve put;
  Curve stream;
  Curve bidirectional;
};

struct Measurements {
  PerfCurves latency;           ///< figure 3, microseconds over bytes
  PerfCurves medium_bandwidth;  ///< figure 4, MB/s, up to 100 KB
  PerfCurves long_bandwidth;    ///< figure 5, from 100 KB to 2 MB
  NetpipeCurves netpipe_latency;
  NetpipeCurves netpipe_bandwidth;
  Curve accelerated_bandwidth;        ///< of NetPIPE's put
  double accelerated_interrupts = 0;  ///< in all operations
  double interrupt_us = 0;            ///< the cost of an empty message for its receiver's processor
  double cable_mb_per_s = 0;          ///< payload of three puts at once over one cable
  double node_mb_per_s = 0;           ///< payload of three puts at once into one node
};

std::vector<Criterion> criteria(const Measurements& measured);

}  // namespace aqueduct::figures::redstorm
