// Active messages: sending requests and replies.
//
// The payload is copied or in place when these return, so local completion is immediate. Errors of the caller (a rank
// outside the job, a payload beyond the limit, an address outside the segment, a request from a handler, a second
// reply) end the job with one line.
#pragma once
#include "core/progress.hpp"

namespace aqueduct::core {

/// Sends a request to job rank `target`. With GEX_FLAG_IMMEDIATE answers GASNET_ERR_NOT_READY where it would have to
/// wait, and nothing was sent; otherwise GASNET_OK. `where` names the API function in messages.
int send_request(const char* where, Thread& thread, RankId target, const Message& message, gex_Flags_t flags);

/// Sends the reply to the request whose handler holds `token`.
int send_reply(const char* where, Thread& thread, Token& token, const Message& message, gex_Flags_t flags);

}  // namespace aqueduct::core
