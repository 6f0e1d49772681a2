// Non-contiguous memory over active messages, many small pieces to a message.
//
// A message carries a stretch of the bytes of a transfer, and says where the remote side keeps it: either as
// a list of (address, length), or as the whole strided shape and the position in it where the stretch begins.
//
//   put: request (Medium) with description and bytes; the handler scatters them and replies "put done".
//   get: request (Medium) with the description alone; the handler gathers the bytes and replies with them
//        (Medium); the reply's handler scatters them over the local side.
//
// All requests of a transfer are sent one after the other, without waiting for replies in between. The local
// side of a get is kept in a GetRecord, whose address and the stretch's position in it go there and back with
// the messages.
#pragma once
#include "extended/rma.hpp"
#include "extended/vis/strided.hpp"

namespace aqueduct::extended::vis {

void register_packed(core::HandlerTable& handlers);

/// Start a transfer with job rank `target`; the remote side lies in its segment (checked by the caller), both
/// sides have the same number of bytes, and not none. `pending` is counted up for each message and down by
/// its reply. With GEX_FLAG_IMMEDIATE kNotNow, and nothing was started, if the first message cannot be sent
/// at once; the others are waited for. The source of a put may be reused on return.
template <class Description>
Started packed_put(const char* where, Thread& thread, RankId target, const Description& remote,
                   const Description& local, Pending& pending, gex_Flags_t flags);
template <class Description>
Started packed_get(const char* where, Thread& thread, RankId target, const Description& local,
                   const Description& remote, Pending& pending, gex_Flags_t flags);

}  // namespace aqueduct::extended::vis
