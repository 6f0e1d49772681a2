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

/// One has come from there: it may be the answer to any that has left.
inline void message_came([[maybe_unused]] void* peer) {
#if defined(__SANITIZE_THREAD__)
  __tsan_acquire(peer);
#endif
}

}  // namespace aqueduct
