// The statements of the paper on AM Long by target-side reassembly about its figures 1 to 3, and about
// results without a figure, as criteria for our curves.
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

/// Microseconds to start one Long, over the number started at once, for one size.
struct Injections {
  double bytes = 0;
  Curve put_sync_send;
  Curve reassembly;
};

/// Microseconds from the call to the handler of a Long, over the microseconds that the initiator computes
/// after the call.
struct Inattention {
  Curve async_chaining;
  Curve reassembly;
  Curve put_sync_send;
  Curve rendezvous_get;
};

/// Round trips of a Long request and a Long reply in microseconds, over the traffic of other ranks.
struct Routing {
  Curve in_order;  ///< for all messages
  Curve adaptive;  ///< for all messages
  Curve ordered;   ///< for the Longs only
};

/// Bytes that reassembly takes at a target, over the depth of connections.
struct Memory {
  std::vector<Curve> by_senders;  ///< their number rising
  double most_waiting_share = 0;  ///< the most entries per message under way
};

struct Measurements {
  RoundTrips round_trip;
  std::vector<Injections> injection;  ///< sizes rising
  Inattention inattention;
  Routing routing;
  Memory memory;
};

/// The ratio of two curves, point by point.
Curve ratio_of(const Curve& above, const Curve& below, const char* name);

std::vector<Criterion> criteria(const Measurements& measured);

}  // namespace aqueduct::figures::xc40
