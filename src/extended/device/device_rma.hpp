// Put and get where one side or both lie on a device: in one copy of the driver where this process reaches
// both sides, else by the network itself where it knows both (conduit/device_transfers.hpp), else staged
// (transfers.hpp).
//
//   the other side is           this side is      it is done by
//   mapped here, or our own     host or device    one copy on a stream of the card
//   known to the network        the same          one operation of the network's
//   on a device elsewhere       host              messages to its owner, who copies them onto its device
//   on a device elsewhere       device            the same, from chunks of pinned memory
//   in a host elsewhere         device            a put or get between it and chunks of pinned memory
//
// Local memory counts as a device's if it lies in a segment on one, or, where the local endpoint has such a
// segment, if the driver says so. The calls are those of extended/rma.hpp for any endpoints; none is refused
// with GEX_FLAG_IMMEDIATE unless its first message is.
//
// Nobody waits for what kernels of the client are about to write: the client does before it calls.
#pragma once
#include "core/device_memory.hpp"
#include "extended/rma.hpp"

namespace aqueduct::extended::device_memory {

void register_handlers(core::HandlerTable& handlers);

Started start_put(const char* where, Thread& thread, const core::Peer& peer, void* to, const void* from,
                  std::size_t bytes, Pending& pending, gex_Flags_t flags, conduit::Reuse reuse);
Started start_get(const char* where, Thread& thread, const core::Peer& peer, void* to, const void* from,
                  std::size_t bytes, Pending& pending, gex_Flags_t flags);

/// Whether these endpoints, or local memory at this address, make a transfer one for the functions above.
bool concerns_device(Thread& thread, const core::Peer& peer, const void* local);

/// Ends the job if [address, ...) is memory of a device that this process knows: `what` cannot be there.
void refuse_device(const char* where, Thread& thread, const void* address, const char* what);

}  // namespace aqueduct::extended::device_memory
