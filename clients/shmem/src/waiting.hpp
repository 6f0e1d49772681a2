// Waiting for a condition in this PE's memory, which other PEs make true: a short look without anything else,
// then with progress of the library, which sleeps after a while.
#pragma once
#include <gasnetex.h>

namespace aqshmem {

/// `call`: the routine, for reports about standing jobs; a string literal.
template <class Condition>
void wait_until(const char* call, const volatile void* address, Condition&& condition) {
  for (int looks = 0; looks < 200; ++looks) {
    if (condition()) return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  (void)call, (void)address;
  GASNET_BLOCKUNTIL(condition());
}

}  // namespace aqshmem
