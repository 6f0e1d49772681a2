// The conduit over EXTOLL's VELO and RMA (docs/extoll_conduit.md).
//
// A message is a head of 8 bytes, the arguments, of a Long its destination, and the payload of a Medium. It
// travels in VELO packets of 56 bytes, one slot of the mailbox each, and the target reassembles it for each
// source. One of two AmImplementations cuts messages into packets and takes packets: the first is plain, the
// second does the same with fewer packets, looks and locks.
//
// Flow control: a request takes one of the credits of its target (parts/request_credits.hpp), which bounds
// the memory of waiting messages there; the reply brings the credit back. Replies take none. A packet for
// which VELO has no credit (TRY_AGAIN: the mailbox and the way there are full) waits here. Every poll, in any
// scope, empties the mailbox into memory, so that the mailbox always gets room, whatever handlers wait for.
// Requests and replies are separate streams: a reply goes between the packets of a request that is stuck.
//
// Longs: small ones carry their payload. The payload of others goes by RMA, and the completer's notification
// tells the target where it has landed; place and source join it with its envelope
// (parts/long/reassembly.cpp; AQUEDUCT_LONG_PROTOCOL chooses another protocol).
//
// Put and get are commands of RMA. No notification tells an initiator that its put is in the target's memory:
// the target gets one, and sends a control packet. The segment is registered twice, so that the address in a
// notification also says what has landed: a put, or the payload of a Long.
//
// Threads: any; one lock is held over calls of VELO and RMA, and while nothing is delivered.
#pragma once
#include "conduit/conduit.hpp"

namespace aqueduct::conduit::extoll {

extern const Description kDescription;

}  // namespace aqueduct::conduit::extoll
