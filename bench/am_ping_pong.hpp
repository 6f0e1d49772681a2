// Round trips of active messages: a request from rank 0, answered by a reply of the same kind and size.
//
// A lane is one ping-pong that runs by itself; every thread of a rank has its own. The handlers of a lane's
// messages may run on any thread of the rank, but a lane has only one message under way, so its counters need
// no locked adds.
#pragma once
#include <cstddef>
#include <string>

#include "measure.hpp"

namespace aqueduct::bench {

/// kEcho: a Medium whose reply returns its payload, so that data of both ranks move.
enum class AmKind { kShort, kMedium, kLong, kEcho };

/// "short", "medium", "long", "echo".
AmKind am_kind(const std::string& name);

/// Throws Unsuitable if messages of this kind cannot carry `bytes`.
void check_payload(AmKind kind, std::size_t bytes);

/// Registers the handlers; once per job, collective.
void prepare_ping_pong(Session& session, unsigned lanes);

/// Bytes of data that `lanes` lanes need in each segment.
std::size_t ping_pong_data_bytes(std::size_t payload_bytes, unsigned lanes);

/// `count` round trips on one lane, driven by the calling thread of each rank.
Batch ping_pong(Session& session, AmKind kind, std::size_t bytes);

/// `count` round trips on each of `lanes` lanes at once, each driven by a thread of its own in both ranks.
Batch threaded_ping_pong(Session& session, AmKind kind, std::size_t bytes, unsigned lanes);

}  // namespace aqueduct::bench
