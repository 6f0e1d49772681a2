// Locks: a queue of PEs, each of which waits at its own copy of the lock (Mellor-Crummey and Scott).
//
// A lock is two words of 32 bits on every PE:
//   tail  of the home PE alone: the last PE of the queue plus one, 0 if the lock is free
//   node  of each PE: bit 0: this PE waits; above it: the next PE of the queue plus one, 0 if there is none yet
// A PE that comes puts itself at the tail and tells the one before it, by adding to its node. A PE that
// leaves takes itself from the tail, or if others have come, waits until it knows the next one and takes away
// its bit 0. Both words are 0 when nobody holds the lock, as a lock is at first. The home PE is the same for
// all because the offset of a lock is the same on all.
#include "checks.hpp"
#include "exported.hpp"
#include "job.hpp"
#include "shmem.h"
#include "waiting.hpp"

using namespace aqshmem;

namespace {

struct Place {
  uint32_t* tail;
  uint32_t* node;
  int home;
};

Place place_of(const char* call, long* lock) {
  check_range(call, lock, sizeof *lock, job.me);
  auto* const words = reinterpret_cast<uint32_t*>(lock);
  return {words, words + 1,
          static_cast<int>(segment_offset(lock) / sizeof(long) % static_cast<unsigned>(job.pes))};
}

uint32_t swap(int operation, uint32_t* word, uint32_t value, uint32_t cond, int pe) {
  return static_cast<uint32_t>(aqshmem_atomic_(SHMEM_CTX_DEFAULT, operation, 4, word, value, cond, pe));
}

}  // namespace

SHMEM_EXPORT(void, set_lock, (long* lock)) {
  const Place place = place_of("shmem_set_lock", lock);
  __atomic_store_n(place.node, 1u, __ATOMIC_RELAXED);
  const uint32_t before = swap(AQSHMEM_SWAP_, place.tail, static_cast<uint32_t>(job.me) + 1, 0, place.home);
  if (before == 0) {
    __atomic_fetch_and(place.node, ~1u, __ATOMIC_ACQUIRE);
    return;
  }
  if (before == static_cast<uint32_t>(job.me) + 1)
    fail("shmem_set_lock: PE %d holds or waits for this lock already", job.me);
  swap(AQSHMEM_ADD_, place.node, (static_cast<uint32_t>(job.me) + 1) << 1, 0, static_cast<int>(before) - 1);
  wait_until(
      "shmem_set_lock", lock, [&] { return (__atomic_load_n(place.node, __ATOMIC_ACQUIRE) & 1) == 0; },
      before - 1);
}

SHMEM_EXPORT(int, test_lock, (long* lock)) {
  const Place place = place_of("shmem_test_lock", lock);
  const uint32_t before =
      swap(AQSHMEM_COMPARE_SWAP_, place.tail, static_cast<uint32_t>(job.me) + 1, 0, place.home);
  if (before != 0) {
    const Inside inside;
    gasnet_AMPoll();
  }
  return before != 0;
}

SHMEM_EXPORT(void, clear_lock, (long* lock)) {
  const Place place = place_of("shmem_clear_lock", lock);
  shmem_quiet();
  if (__atomic_load_n(place.node, __ATOMIC_ACQUIRE) == 0) {
    const uint32_t before =
        swap(AQSHMEM_COMPARE_SWAP_, place.tail, 0, static_cast<uint32_t>(job.me) + 1, place.home);
    if (before == static_cast<uint32_t>(job.me) + 1) return;
    if (before == 0) fail("shmem_clear_lock: nobody holds this lock");
    wait_until("shmem_clear_lock", lock, [&] { return __atomic_load_n(place.node, __ATOMIC_ACQUIRE) != 0; });
  }
  const uint32_t next = __atomic_exchange_n(place.node, 0u, __ATOMIC_ACQ_REL) >> 1;
  swap(AQSHMEM_ADD_, place.node, ~0u, 0, static_cast<int>(next) - 1);
}
