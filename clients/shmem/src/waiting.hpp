// Waiting for a condition in this PE's memory, which other PEs make true: a short look without anything else,
// then with progress of the library, which sleeps after a while. What neighbours store wakes nobody, so that
// sleeps are short.
#pragma once
#include <aqueduct/wait.h>
#include <gasnetex.h>

#include <cstddef>

#include "job.hpp"

namespace aqshmem {

/// For reports about jobs that do not go on: "shmem_int_wait_until for heap+0x1c0".
class WaitWords {
 public:
  /// `address`: where the condition is, or null.
  WaitWords(const char* call, const void* address);
  const char* text() const { return text_; }

 private:
  char text_[64];
};

/// `call`: the routine, for reports about jobs that do not go on. `rank`: the PE that is to make it true, if
/// that is known.
template <class Condition>
void wait_until(const char* call, const void* address, Condition&& condition,
                gex_Rank_t rank = GEX_RANK_INVALID) {
  for (int looks = 0; looks < 200; ++looks) {
    if (condition()) return look_now_and_then();
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  const WaitWords words(call, address);
  const Inside inside;
  aqueduct_wait_for(words.text(), rank);
  aqueduct_wait_sleeps(job.longest_sleep_us);
  GASNET_BLOCKUNTIL(condition());
  aqueduct_wait_for(nullptr, GEX_RANK_INVALID);
  aqueduct_wait_sleeps(0);
}

}  // namespace aqshmem
