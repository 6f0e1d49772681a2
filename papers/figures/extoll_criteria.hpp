// The statements of the EXTOLL paper, as criteria.
#pragma once
#include <vector>

#include "chart.hpp"
#include "criterion.hpp"

namespace aqueduct::figures::extoll_cluster {

/// Half round trips in microseconds, by bytes.
struct Latencies {
  Curve velo_rma, extoll_conduit, extoll_mpi;
  Curve verbs, ibv_conduit;
  Curve udp_conduit;  // over InfiniBand
  Curve uncached_udp, uncached_udp_conduit;
};

/// GUP/s by processes.
struct Accesses {
  Curve upc_first, upc_second;
  Curve velo, conduit, mpi;  // on the 3D mesh
  Curve conduit_2d;          // on the 2D mesh
};

struct Measurements {
  Latencies latency;
  Accesses access;
};

/// By how many percent `curve` is above `base`.
Curve overhead_of(const Curve& curve, const Curve& base);

std::vector<Criterion> criteria(const Measurements& all);

}  // namespace aqueduct::figures::extoll_cluster
