// What the paper on AM Long by target-side reassembly states about its figures 1 to 3 and about what it does
// not draw, as criteria for our curves.
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

/// Microseconds from the call to the handler of a Long, over how many the initiator computes after the call.
struct Inattention {
  Curve async_chaining;
  Curve reassembly;
  Curve put_sync_send;
  Curve rendezvous_get;
};

/// Round trips of a Long request and a Long reply in microseconds, over what others put meanwhile.
struct Routing {
  Curve in_order;  ///< all of them
  Curve adaptive;  ///< all of them
  Curve ordered;   ///< the Longs alone
};

/// Bytes that reassembly takes at a target, over the depth of connections.
struct Memory {
  std::vector<Curve> by_senders;  ///< their number rising
  double most_waiting_share = 0;  ///< entries for each message under way, at most
  double most_for_one = 0;        ///< bytes for each message under way, where most are
};

struct Measurements {
  RoundTrips round_trip;
  std::vector<Injections> injection;  ///< sizes rising
  Inattention inattention;
  Routing routing;
  Memory memory;
};

/// One curve over the other, point by point.
Curve ratio_of(const Curve& above, const Curve& below, const char* name);

std::vector<Criterion> criteria(const Measurements& measured);

}  // namespace aqueduct::figures::xc40
