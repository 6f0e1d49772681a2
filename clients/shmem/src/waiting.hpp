// Waiting for a condition in this PE's memory, which other PEs make true: a short look without anything else,
// then with progress of the library, which sleeps after a while.
#pragma once
#include <aqueduct/wait.h>
#include <gasnetex.h>

namespace aqshmem {

/// `call`: the routine, for reports about jobs that do not go on; a string literal. `rank`: the PE that is to
/// make it true, if that is known.
template <class Condition>
void wait_until(const char* call, Condition&& condition, gex_Rank_t rank = GEX_RANK_INVALID) {
  for (int looks = 0; looks < 200; ++looks) {
    if (condition()) return;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  aqueduct_wait_for(call, rank);
  GASNET_BLOCKUNTIL(condition());
  aqueduct_wait_for(nullptr, GEX_RANK_INVALID);
}

}  // namespace aqshmem
