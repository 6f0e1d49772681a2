#include "aqueduct/tools/mutex.h"

#include <pthread.h>

#include <cerrno>

#include "gasnet_tools/failure.hpp"

namespace aqueduct::gasnet_tools {
namespace {

// Clients initialise them with zeros, which equals PTHREAD_*_INITIALIZER on our platforms; a test checks it.
static_assert(sizeof(pthread_mutex_t) <= sizeof(gasnett_mutex_t::lock_));
static_assert(sizeof(pthread_cond_t) <= sizeof(gasnett_cond_t::condition_));
static_assert(alignof(pthread_mutex_t) <= alignof(gasnett_mutex_t));
static_assert(alignof(pthread_cond_t) <= alignof(gasnett_cond_t));

pthread_mutex_t* native(gasnett_mutex_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex->lock_); }
pthread_cond_t* native(gasnett_cond_t* condition) {
  return reinterpret_cast<pthread_cond_t*>(condition->condition_);
}

/// An address that no other thread has.
const void* this_thread() {
  static thread_local char place;
  return &place;
}

// Threads read the holder only to see whether it is themselves, so no memory order is needed.
const void* holder(const gasnett_mutex_t* mutex) {
  return __atomic_load_n(&mutex->holder_, __ATOMIC_RELAXED);
}
void set_holder(gasnett_mutex_t* mutex, const void* thread) {
  __atomic_store_n(&mutex->holder_, thread, __ATOMIC_RELAXED);
}

void must_not_hold(const gasnett_mutex_t* mutex, const char* function, const char* here) {
  if (here != nullptr && holder(mutex) == this_thread()) {
    fail(function, here, "this thread holds the mutex already");
  }
}

void must_hold(const gasnett_mutex_t* mutex, const char* function, const char* here) {
  if (here != nullptr && holder(mutex) != this_thread()) {
    fail(function, here, "%s",
         holder(mutex) != nullptr ? "another thread holds the mutex" : "nobody holds the mutex");
  }
}

}  // namespace
}  // namespace aqueduct::gasnet_tools

using namespace aqueduct::gasnet_tools;

extern "C" {

void aq_mutex_init_(gasnett_mutex_t* mutex) {
  must(pthread_mutex_init(native(mutex), nullptr), "gasnett_mutex_init", nullptr);
  set_holder(mutex, nullptr);
}

int aq_mutex_destroy_(gasnett_mutex_t* mutex, const char* here) {
  if (holder(mutex) != nullptr) {
    if (here != nullptr) fail("gasnett_mutex_destroy", here, "the mutex is locked");
    return EBUSY;
  }
  return pthread_mutex_destroy(native(mutex));
}

void aq_mutex_lock_(gasnett_mutex_t* mutex, const char* here) {
  must_not_hold(mutex, "gasnett_mutex_lock", here);
  must(pthread_mutex_lock(native(mutex)), "gasnett_mutex_lock", here);
  set_holder(mutex, this_thread());
}

int aq_mutex_trylock_(gasnett_mutex_t* mutex, const char* here) {
  must_not_hold(mutex, "gasnett_mutex_trylock", here);
  const int error = pthread_mutex_trylock(native(mutex));
  if (error == EBUSY) return EBUSY;
  must(error, "gasnett_mutex_trylock", here);
  set_holder(mutex, this_thread());
  return 0;
}

void aq_mutex_unlock_(gasnett_mutex_t* mutex, const char* here) {
  must_hold(mutex, "gasnett_mutex_unlock", here);
  set_holder(mutex, nullptr);
  must(pthread_mutex_unlock(native(mutex)), "gasnett_mutex_unlock", here);
}

void aq_mutex_assert_(const gasnett_mutex_t* mutex, int held, const char* here) {
  if (held) {
    must_hold(mutex, "gasnett_mutex_assertlocked", here);
  } else {
    must_not_hold(mutex, "gasnett_mutex_assertunlocked", here);
  }
}

void aq_cond_init_(gasnett_cond_t* condition) {
  must(pthread_cond_init(native(condition), nullptr), "gasnett_cond_init", nullptr);
}

void aq_cond_destroy_(gasnett_cond_t* condition) {
  must(pthread_cond_destroy(native(condition)), "gasnett_cond_destroy", nullptr);
}

void aq_cond_signal_(gasnett_cond_t* condition) {
  must(pthread_cond_signal(native(condition)), "gasnett_cond_signal", nullptr);
}

void aq_cond_broadcast_(gasnett_cond_t* condition) {
  must(pthread_cond_broadcast(native(condition)), "gasnett_cond_broadcast", nullptr);
}

void aq_cond_wait_(gasnett_cond_t* condition, gasnett_mutex_t* mutex, const char* here) {
  must_hold(mutex, "gasnett_cond_wait", here);
  set_holder(mutex, nullptr);
  must(pthread_cond_wait(native(condition), native(mutex)), "gasnett_cond_wait", here);
  set_holder(mutex, this_thread());
}

}  // extern "C"
