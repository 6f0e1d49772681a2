// Which of the Long protocols a conduit runs: the best that its network allows, or what
// AQUEDUCT_LONG_PROTOCOL names.
#pragma once
#include <string>

#include "parts/long/long_protocol.hpp"

namespace aqueduct::parts {

/// As the user writes it: ordered, put-sync-send, async-chaining, rendezvous-get, reassembly.
const char* name_of(LongProtocolKind kind);

/// Null if a network of these abilities can carry it; else what it lacks.
const char* what_lacks(LongProtocolKind kind, const LongAbilities& abilities);

/// The best by itself. Ordered, if that costs nothing: least to do, nobody waits. Else reassembly, which is
/// as quick but looks things up; else asynchronous chaining, which needs an initiator that polls; else
/// rendezvous get, which needs a target that polls, and a round trip. Put-sync-send never: its asynchronous
/// form does the same. False if the network can carry none.
bool best_of(const LongAbilities& abilities, LongProtocolKind* best);

/// What `conduit` runs: AQUEDUCT_LONG_PROTOCOL, or the best. Ends the job with one line if that names nothing
/// or something that the network cannot do.
LongProtocolKind choose_long_protocol(const char* conduit, const LongAbilities& abilities);

std::unique_ptr<LongProtocol> make_long_protocol(LongProtocolKind kind, LongNetwork& network);

}  // namespace aqueduct::parts
