// Does a debug client write the payload that it prepares? A pattern in the library's buffer, looked for again
// when the message is committed (GASNET_SD_INIT, GASNET_SD_INITVAL, GASNET_SD_INITLEN).
//
// By the thread that prepares and commits. Nothing of this happens to clients that are not compiled for
// debugging.
#pragma once
#include "api/handles.hpp"
#include "core/negotiated.hpp"

namespace aqueduct::api {

/// After Prepare; `descriptor` may be null.
void place_canary(core::Prepared* descriptor, const core::Intent& intent);

/// Before Commit; ends the job if the payload is as Prepare left it.
void look_for_canary(const char* where, core::Thread& thread, gex_AM_SrcDesc_t sd, std::size_t bytes);

}  // namespace aqueduct::api
