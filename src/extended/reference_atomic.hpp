// Remote atomics over active messages, for targets whose memory cannot be reached from here.
//
//   request (Short): operation and type, address, operands, and, to be sent back, where the result goes and
//   which Pending counts it. The handler performs the operation on its own memory.
//   reply (Short): the last two, and what was there before; its handler stores that, then counts down.
#pragma once
#include "extended/atomic.hpp"

namespace aqueduct::extended {

void register_reference_atomics(core::HandlerTable& handlers);

/// Starts the operation; checked by the caller. With GEX_FLAG_IMMEDIATE answers GASNET_ERR_NOT_READY, and
/// nothing was started, if the request cannot be sent at once.
int reference_atomic(const char* where, Thread& thread, const Atomic& atomic, Pending& pending,
                     gex_Flags_t flags);

}  // namespace aqueduct::extended
