// A conduit over the port of a fabric (fabric/fabric.hpp): active messages, and put and get if
// OverPortOptions asks for them (rma_over_port.hpp); the rest uses the reference implementations. A network
// that can be a fabric needs only a Description.
//
// Messages. One fabric message each: head and arguments (parts/am_codec.hpp) as the header, the payload as
// the payload, which names its place: a Long's is in the target's segment, a Medium's a buffer. On arrival
// the conduit fills a parcel, with the payload inside or, if long, at its destination. The parcel waits in
// one of two queues, requests and replies, until poll() delivers it. A malformed message ends the job with a
// line that names its sender.
//
// Flow control. The options limit how many requests a rank may have outstanding at each other rank
// (parts/request_credits.hpp). So at most that many requests and replies of each peer wait here; arrivals are
// always accepted, and memory is bounded by the messages that were really in flight.
//
// Replies get through: accepting an arrival needs no room that a request could hold, so every progress()
// empties the ring, also while its rank waits to reply. Payloads that the fabric does not release at once
// stay in parcels until they are sent; requests and replies may each have 32 of these.
//
// Threads: any. One lock guards the queues of what has come, another one credits and the payloads that leave.
// So threads that send do not meet those that receive. Neither is held while the fabric or the receiver is
// called; who needs both takes that of the queues first.
#pragma once
#include "conduit/conduit.hpp"
#include "fabric/fabric.hpp"

namespace aqueduct::conduit {

inline constexpr Limits kLimitsOverPort = {.max_medium = std::size_t{4} << 10,
                                           .max_long = std::size_t{64} << 10};

struct OverPortOptions {
  Limits limits = kLimitsOverPort;
  unsigned credits = 32;  ///< outstanding requests to one rank, at most parts::kMostCredits
  bool has_rma = false;   ///< put and get go from memory to memory
};

/// Rank r is node r. The conduit sets itself as the client of the port. `name` begins its error lines.
std::unique_ptr<Conduit> over_port(const char* name, std::shared_ptr<fabric::Port> port, Receiver& receiver,
                                   const OverPortOptions& options = {});

}  // namespace aqueduct::conduit
