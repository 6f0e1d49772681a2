// Tells ThreadSanitizer of an order that it cannot see because it comes about in another process: what was
// done before a message left is over when its answer is here. Nothing without that sanitizer.
#pragma once

#if defined(__SANITIZE_THREAD__)
extern "C" {
void __tsan_acquire(void* address);
void __tsan_release(void* address);
}
#endif

namespace aqueduct {

/// A message leaves for whoever `peer` stands for.
inline void message_leaves([[maybe_unused]] void* peer) {
#if defined(__SANITIZE_THREAD__)
  __tsan_release(peer);
#endif
}

/// A message has come from that peer: it may be the answer to any that has left.
inline void message_came([[maybe_unused]] void* peer) {
#if defined(__SANITIZE_THREAD__)
  __tsan_acquire(peer);
#endif
}

#if defined(__SANITIZE_THREAD__)
inline char order_of_all_ranks;
#endif

/// The calling thread has arrived at a barrier, or is about to send what it has read from the client's
/// memory: what any rank does after may be ordered after it, over any path.
inline void others_may_follow() {
#if defined(__SANITIZE_THREAD__)
  __tsan_release(&order_of_all_ranks);
#endif
}

/// Something has come from outside, or a barrier has been passed: what any thread did before it arrived or
/// sent is ordered before what follows here.
inline void others_have_followed() {
#if defined(__SANITIZE_THREAD__)
  __tsan_acquire(&order_of_all_ranks);
#endif
}

}  // namespace aqueduct
