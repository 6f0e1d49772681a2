// The conduit over uGNI, as on the Cray XC (docs/aries_conduit.md).
//
// Requests. Each rank has, at every other rank, a region of slots for its requests and a ring of notify
// words. A request takes consecutive slots there and a buffer of the local pool, and goes by one put with
// sync flag: its body to the slots, its notify word to the next place of the ring. The event in the target's
// queue names the rank whose ring has the word. Delivery is unordered, so an event may announce a later word
// than the next one in the ring: the target takes words in the order of the ring, and looks again for a word
// that is announced but not yet visible.
//
// Replies go the same way, their body to the buffer of the request's initiator. A request without a reply is
// answered by a CQ write that names the buffer. Both free the buffer and the slots, so nobody overwrites
// memory that is still read, and the queue of arrivals, which has room for all that credits allow, is never
// overrun.
//
// Longs up to the packed limit carry their payload; larger ones go by a protocol of parts/long, by reassembly
// unless AQUEDUCT_LONG_PROTOCOL says otherwise: the payload's event carries the slot of its request as nonce.
//
// Put and get: FMA up to the cut-over, BTE above. Memory that is not registered is copied through immediate
// or bounce buffers, or registered, through a cache. Gets move whole words: an unaligned get fetches a few
// bytes more and copies.
//
// Replies get through: a reply needs only a descriptor, and every poll frees descriptors of completed posts.
// Threads: any; one lock is held over calls of uGNI, and while nothing is delivered.
#pragma once
#include "conduit/conduit.hpp"

namespace aqueduct::conduit::aries {

extern const Description kDescription;

}  // namespace aqueduct::conduit::aries
