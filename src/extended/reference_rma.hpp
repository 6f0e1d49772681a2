// The reference put and get: over active messages alone, for conduits that have nothing better.
//
//   put: the payload travels as Long requests of at most the conduit's max_long; each is answered by a Short
//   reply. get: Short requests name a piece; each is answered by the piece, as a Long reply where the
//   destination lies in our
//        segment, else as a Medium reply that is copied to its place.
//
// Every request carries the address of a Pending counter, which its reply counts down; addresses travel as
// two arguments. The caller has added the number of pieces before the first is sent.
#pragma once
#include "extended/extended.hpp"

namespace aqueduct::extended {

void register_reference_rma(core::HandlerTable& handlers);

/// Starts a put to / get from job rank `target`. Addresses lie in the target's segment (checked by the
/// caller). Returns when the source buffer of a put may be reused. With GEX_FLAG_IMMEDIATE answers
/// GASNET_ERR_NOT_READY if the first piece cannot be sent at once, and then nothing was started; pieces after
/// the first are waited for.
int reference_put(Thread& thread, RankId target, void* to, const void* from, std::size_t bytes,
                  Pending& pending, gex_Flags_t flags, gex_EP_Index_t endpoint);
int reference_get(Thread& thread, RankId target, void* to, const void* from, std::size_t bytes,
                  Pending& pending, gex_Flags_t flags);

/// Starts setting `bytes` bytes at job rank `target` to `value`: one Short request, answered like a put.
void reference_fill(Thread& thread, RankId target, void* to, int value, std::size_t bytes, Pending& pending);

}  // namespace aqueduct::extended
