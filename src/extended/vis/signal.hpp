// Peer completion: a put tells its target, by a message, that all of it has arrived.
//
// The message is an internal request that names a handler of the client, which was registered for replies.
// The target runs that handler as if a reply had come.
#pragma once
#include <utility>

#include "extended/rma.hpp"
#include "extended/vis/state.hpp"

namespace aqueduct::extended::vis {

inline constexpr std::size_t kMostSignalBytes = 256;

void register_signal(core::HandlerTable& handlers);

/// Whether a signal waits for the next put of this thread; takes it away.
inline bool has_signal(Thread& thread) { return ops(thread).vis && state(thread).signal.handler != 0; }
inline PeerSignal take_signal(Thread& thread) { return std::exchange(state(thread).signal, {}); }

/// Sends the signal to job rank `target`; waits where it must. The payload may be reused on return.
void send_signal(const char* where, Thread& thread, RankId target, const PeerSignal& signal);

}  // namespace aqueduct::extended::vis
