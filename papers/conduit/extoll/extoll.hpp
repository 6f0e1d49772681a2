// The conduit over EXTOLL's VELO and RMA (docs/extoll_conduit.md).
//
// A message is a head of 8 bytes, the arguments, of a Long its destination, and the payload of a Medium. It
// travels in VELO packets of 56 bytes, one slot of the mailbox each, and is put together again for each
// source. How a message is cut into packets and how packets are taken is said by one of two
// AmImplementations: the first is plain, the second does the same with fewer packets, looks and locks.
//
// Flow control: a request takes one of the credits of its target (parts/request_credits.hpp), so what may
// wait there in memory is bounded; the reply brings it back. Replies take none. A packet that VELO has no
// credit for (TRY_AGAIN: the mailbox is full and so is the way there) waits here; a mailbox is emptied by
// whoever polls, in any scope and into memory, so that it always has room again, whatever handlers wait for.
// Requests and replies are streams of their own: a reply goes between the packets of a request that is stuck.
//
// Longs: small ones carry their payload. Of others the payload goes by RMA, and the completer's notification
// tells the target where it has landed; place and source are what joins it with its envelope
// (parts/long/reassembly.cpp; AQUEDUCT_LONG_PROTOCOL chooses another protocol).
//
// Put and get are commands of RMA. No notification tells an initiator that its put is in the target's memory:
// the target is told, and says so by a control packet. The segment is registered twice, so that the address
// in a notification also says what has landed: a put, or the payload of a Long.
//
// Threads: any; one lock is held over calls of VELO and RMA, and while nothing is delivered.
#pragma once
#include "conduit/conduit.hpp"

namespace aqueduct::conduit::extoll {

extern const Description kDescription;

}  // namespace aqueduct::conduit::extoll
