// wire: active messages straight over a fabric, with nothing between; the example of adding a network.
//
// Messages. One fabric message each: a Head with the arguments behind it as the header, the payload as the
// payload. On arrival a Parcel is filled (payload copied or landed in it, a long one at its destination) and
// waits in one of two queues, requests and replies, until poll() delivers it.
//
// Flow control. A rank has at most kCredits requests outstanding at each other rank. A request is outstanding
// until its reply has arrived, or, if its handler does not reply, until its credit has come back: credits are
// collected and travel with whatever else goes that way, or by themselves once half of all are owed. (Fewer
// can wait: the other side has at least half of its credits left and is not stuck.) So at most kCredits
// requests and kCredits replies of each peer wait here; arrivals are always taken, and memory is bounded by
// what has really been in flight.
//
// Replies get through: taking an arrival needs no room that a request could hold, so every progress() on the
// other side empties its ring, also while that side waits to reply. Payloads that the fabric does not copy at
// once are kept in parcels until they are sent; requests and replies may each have kMostKept of these.
//
// No neighbourhood: even ranks that share memory talk through the fabric.
//
// Threads: any. One lock guards queues, parcels and credits; it is never held while the fabric or the
// receiver is called.
#pragma once
#include "conduit/conduit.hpp"
#include "fabric/fabric.hpp"

namespace aqueduct::conduit::wire {

/// Over the fabric between the processes of this host.
extern const Description kDescription;

/// Over any fabric: rank r is node r. The port outlives the conduit, which sets itself as its receiver.
std::unique_ptr<Conduit> over(fabric::Port& port, Receiver& receiver);

}  // namespace aqueduct::conduit::wire
