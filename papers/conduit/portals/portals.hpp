// portals: active messages, put and get over Portals 3.3, as the conduit for the Cray XT had them.
//
// A put or a get is one Portals operation, matched at the target without its help (RAR). An active message is
// a Portals put into one of the target's request buffers (ReqRB), sent from a local chunk (ReqSB); its reply
// is put back into that chunk. A Long's payload travels with its header if it is small (packed), or by itself
// into the segment (RARAM for requests, RARSRC for replies), and is paired with its header by a Lid.
//
//   descriptor  entry  takes      events    what for
//   RAR         RAR    put, get   none      every put and get
//   RARAM       RAR    put        AM_EQ     payload of a Request Long
//   RARSRC      RAR    put        SAFE_EQ   payload of a Reply Long; local side where it lies in the segment
//   loans       RAR    put or get none      memory outside the segment, lent to one rank
//   SYS         AM     put        SYS_EQ    control messages: credits revoked and returned, memory lent
//   ReqRB ...   AM     put        AM_EQ     requests
//   CB          AM     put        SAFE_EQ   overflow entry: a request for which no buffer was left, a bug
//   ReqSB       AM     put        SAFE_EQ   replies; requests and bounce buffers are sent from here
//   RplSB       -      -          SAFE_EQ   replies are sent from here
//
// Flow control: credits (parts/credits.hpp) keep requests from overrunning the ReqRBs and AM_EQ; send tokens
// protect the interface; a put keeps its token until it is acknowledged, so that SAFE_EQ cannot overflow
// either.
//
// Replies never wait for requests: the tokens and the chunk of a reply are reserved before the event is taken
// from AM_EQ, and everything that a reply waits for arrives by SAFE_EQ, which can be served in a handler.
//
// Stages: see settings.hpp. The hybrid stage sends its active messages by message passing instead.
#pragma once
#include "conduit/conduit.hpp"

namespace aqueduct::conduit::portals {

extern const Description kDescription;

}  // namespace aqueduct::conduit::portals
