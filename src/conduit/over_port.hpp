// A conduit over the port of a fabric (fabric/fabric.hpp): active messages, and put and get if that is asked
// for (rma_over_port.hpp); the rest goes by reference. A network that can be a fabric needs a Description and
// no more.
//
// Messages. One fabric message each: head and arguments (parts/am_codec.hpp) as the header, the payload as
// the payload. On arrival a parcel is filled (payload copied or landed in it, a long one at its destination)
// and waits in one of two queues, requests and replies, until poll() delivers it. What is malformed ends the
// job with a line that names its sender.
//
// Flow control. A rank has at most so many requests outstanding at each other rank as its options say
// (parts/request_credits.hpp). So at most that many requests and replies of each peer wait here; arrivals are
// always taken, and memory is bounded by what has really been in flight.
//
// Replies get through: taking an arrival needs no room that a request could hold, so every progress() on the
// other side empties its ring, also while that side waits to reply. Payloads that the fabric does not copy at
// once are kept in parcels until they are sent; requests and replies may each have 32 of these.
//
// Threads: any. One lock guards queues, parcels and credits; it is never held while the fabric or the
// receiver is called.
#pragma once
#include "conduit/conduit.hpp"
#include "fabric/fabric.hpp"

namespace aqueduct::conduit {

inline constexpr Limits kLimitsOverPort = {.max_medium = std::size_t{4} << 10,
                                           .max_long = std::size_t{64} << 10};

struct OverPortOptions {
  Limits limits = kLimitsOverPort;
  unsigned credits = 32;  ///< requests to one rank that may be outstanding, at most parts::kMostCredits
  bool has_rma = false;   ///< put and get go from memory to memory
};

/// Rank r is node r. The conduit sets itself as the receiver of the port. `name` begins its lines.
std::unique_ptr<Conduit> over_port(const char* name, std::shared_ptr<fabric::Port> port, Receiver& receiver,
                                   const OverPortOptions& options = {});

}  // namespace aqueduct::conduit
