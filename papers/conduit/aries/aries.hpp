// The conduit over uGNI, as on the Cray XC (docs/aries_conduit.md).
//
// Requests. Each rank has, at every other, a region of slots for its requests and a ring of notify words; a
// request takes consecutive slots there, a buffer of the pool here, and goes by one put with sync flag: body
// to the slots, notify word to the next place of the ring. The event in the target's queue names the rank
// whose ring to look at. Delivery is without order, so the word that comes next in the ring may not be the
// one that was announced: words are taken in the order of the ring, and what is announced but not yet visible
// is looked for again.
//
// Replies go the same way, their body to the buffer of the request's initiator. A request without a reply is
// answered by a CQ write that names the buffer. Either frees buffer and slots, so nobody ever writes where
// somebody still reads, and the queue of arrivals, which has room for all that credits allow, is never
// overrun.
//
// Longs up to the packed limit carry their payload; larger ones go by a protocol of parts/long, by reassembly
// unless AQUEDUCT_LONG_PROTOCOL says otherwise: the payload's event carries the slot of its request as nonce.
//
// Put and get: FMA up to the cut-over, BTE above. Memory that is not registered is copied through immediate
// or bounce buffers, or registered, through a cache. Gets are of whole words: what is not aligned is fetched
// with a few bytes more and copied.
//
// Replies get through: a reply takes a descriptor and nothing else, and completions give these back whoever
// polls. Threads: any; one lock is held over calls of uGNI, and while nothing is delivered.
#pragma once
#include "conduit/conduit.hpp"

namespace aqueduct::conduit::aries {

extern const Description kDescription;

}  // namespace aqueduct::conduit::aries
