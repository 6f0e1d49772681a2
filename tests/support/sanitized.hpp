// Whether this is a build with a sanitizer. What some tests look at is different there by nature: page faults
// and address space (shadow memory), stacks and frames, core files, how fast memory is read.
#pragma once

namespace aqueduct::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace aqueduct::test
