// Reads memory that the network may write at the same time, as clients that spin on a word of their segment
// do.
#pragma once

namespace aqueduct::test {

/// For ThreadSanitizer that is a race with the thread that serves the network; so it does not look here.
template <class Word>
#if defined(__SANITIZE_THREAD__)
__attribute__((no_sanitize("thread"), noinline))
#endif
Word look_at(const volatile Word* word) {
  return *word;
}

}  // namespace aqueduct::test
