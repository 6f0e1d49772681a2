#include "aqueduct/tools/rwlock.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "gasnet_tools/failure.hpp"

namespace aqueduct::gasnet_tools {
namespace {

static_assert(sizeof(pthread_rwlock_t) <= sizeof(gasnett_rwlock_t));
static_assert(alignof(pthread_rwlock_t) <= alignof(gasnett_rwlock_t));

pthread_rwlock_t* native(gasnett_rwlock_t* lock) { return reinterpret_cast<pthread_rwlock_t*>(lock->lock_); }

/// The locks that this thread holds, for checked calls: a lock does not know its readers.
struct Hold {
  const gasnett_rwlock_t* lock;
  int how;  ///< AQ_RWLOCK_READ_ or AQ_RWLOCK_WRITTEN_
};
thread_local std::vector<Hold> holds;

auto find(const gasnett_rwlock_t* lock) {
  return std::find_if(holds.begin(), holds.end(), [&](const Hold& hold) { return hold.lock == lock; });
}

void must_not_hold(const gasnett_rwlock_t* lock, const char* function, const char* here) {
  if (here != nullptr && find(lock) != holds.end())
    fail(function, here, "this thread holds the lock already");
}

void note(const gasnett_rwlock_t* lock, int how, const char* here) {
  if (here != nullptr) holds.push_back({lock, how});
}

int try_lock(gasnett_rwlock_t* lock, int how, const char* function, const char* here) {
  must_not_hold(lock, function, here);
  const int error = how == AQ_RWLOCK_READ_ ? pthread_rwlock_tryrdlock(native(lock))
                                           : pthread_rwlock_trywrlock(native(lock));
  if (error == EBUSY || error == EAGAIN) return error;
  must(error, function, here);
  note(lock, how, here);
  return 0;
}

}  // namespace
}  // namespace aqueduct::gasnet_tools

using namespace aqueduct::gasnet_tools;

extern "C" {

void aq_rwlock_init_(gasnett_rwlock_t* lock) {
  must(pthread_rwlock_init(native(lock), nullptr), "gasnett_rwlock_init", nullptr);
}

void aq_rwlock_destroy_(gasnett_rwlock_t* lock, const char* here) {
  // The system does not mind, so that a lock that can be taken for writing is the proof that nobody has it.
  if (here != nullptr && pthread_rwlock_trywrlock(native(lock)) != 0) {
    fail("gasnett_rwlock_destroy", here, "the lock is held");
  }
  if (here != nullptr) pthread_rwlock_unlock(native(lock));
  must(pthread_rwlock_destroy(native(lock)), "gasnett_rwlock_destroy", here);
}

void aq_rwlock_rdlock_(gasnett_rwlock_t* lock, const char* here) {
  must_not_hold(lock, "gasnett_rwlock_rdlock", here);
  int error = pthread_rwlock_rdlock(native(lock));
  // The lock has its maximum of readers: waits, as for a writer.
  while (error == EAGAIN) {
    sched_yield();
    error = pthread_rwlock_rdlock(native(lock));
  }
  must(error, "gasnett_rwlock_rdlock", here);
  note(lock, AQ_RWLOCK_READ_, here);
}

void aq_rwlock_wrlock_(gasnett_rwlock_t* lock, const char* here) {
  must_not_hold(lock, "gasnett_rwlock_wrlock", here);
  must(pthread_rwlock_wrlock(native(lock)), "gasnett_rwlock_wrlock", here);
  note(lock, AQ_RWLOCK_WRITTEN_, here);
}

int aq_rwlock_tryrdlock_(gasnett_rwlock_t* lock, const char* here) {
  return try_lock(lock, AQ_RWLOCK_READ_, "gasnett_rwlock_tryrdlock", here);
}

int aq_rwlock_trywrlock_(gasnett_rwlock_t* lock, const char* here) {
  return try_lock(lock, AQ_RWLOCK_WRITTEN_, "gasnett_rwlock_trywrlock", here);
}

void aq_rwlock_unlock_(gasnett_rwlock_t* lock, const char* here) {
  if (here != nullptr) {
    const auto hold = find(lock);
    if (hold == holds.end()) fail("gasnett_rwlock_unlock", here, "this thread does not hold the lock");
    holds.erase(hold);
  }
  must(pthread_rwlock_unlock(native(lock)), "gasnett_rwlock_unlock", here);
}

void aq_rwlock_assert_(const gasnett_rwlock_t* lock, int allowed, const char* here) {
  const auto hold = find(lock);
  const int how = hold != holds.end() ? hold->how : AQ_RWLOCK_FREE_;
  if ((how & allowed) != 0) return;
  fail("gasnett_rwlock_assert", here, "this thread %s",
       how == AQ_RWLOCK_FREE_   ? "does not hold the lock"
       : how == AQ_RWLOCK_READ_ ? "holds the lock for reading"
                                : "holds the lock for writing");
}

}  // extern "C"
