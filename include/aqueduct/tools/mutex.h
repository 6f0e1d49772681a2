/* Mutexes and condition variables between the threads of a process. They work as pthread's do, except that a
 * mutex is never recursive, and that debug clients are checked: locking a mutex that this thread holds,
 * unlocking, waiting with or asserting one that it does not hold, destroying a locked one are each fatal.
 *
 *   void gasnett_mutex_init(gasnett_mutex_t *), _destroy, _lock, _unlock
 *   int  gasnett_mutex_trylock(gasnett_mutex_t *)              0, or EBUSY if it is held
 *   int  gasnett_mutex_destroy_ignoreerr(gasnett_mutex_t *)    unchecked; returns the error
 *   void gasnett_mutex_assertlocked(gasnett_mutex_t *), _assertunlocked
 *                                                              by this thread; nothing unless debug
 *   void gasnett_cond_init(gasnett_cond_t *), _destroy, _signal, _broadcast
 *   void gasnett_cond_wait(gasnett_cond_t *, gasnett_mutex_t *)
 *
 * Hold the mutex while signalling; check the condition again after waiting. In a client of one thread all of
 * this is nothing, unless the client is a debug one or defines GASNETT_USE_TRUE_MUTEXES=1.
 */
#ifndef AQUEDUCT_TOOLS_MUTEX_H_
#define AQUEDUCT_TOOLS_MUTEX_H_

#include <stdint.h>

#include "aqueduct/detail/attributes.h"
#include "aqueduct/detail/here.h"
#include "aqueduct/tools/mode.h"

typedef struct {
  uint64_t lock_[6];
  const void* holder_; /* names a thread; NULL for nobody */
} gasnett_mutex_t;

typedef struct {
  uint64_t condition_[6];
} gasnett_cond_t;

/* clang-format off */
#define GASNETT_MUTEX_INITIALIZER {{0, 0, 0, 0, 0, 0}, NULL}
#define GASNETT_COND_INITIALIZER {{0, 0, 0, 0, 0, 0}}
/* clang-format on */

AQ_BEGIN_C_

/* `here` as AQ_HERE_: checks are made unless it is NULL. */
AQ_API_ void aq_mutex_init_(gasnett_mutex_t* mutex);
AQ_API_ int aq_mutex_destroy_(gasnett_mutex_t* mutex, const char* here);
AQ_API_ void aq_mutex_lock_(gasnett_mutex_t* mutex, const char* here);
AQ_API_ int aq_mutex_trylock_(gasnett_mutex_t* mutex, const char* here);
AQ_API_ void aq_mutex_unlock_(gasnett_mutex_t* mutex, const char* here);
AQ_API_ void aq_mutex_assert_(const gasnett_mutex_t* mutex, int held, const char* here);
AQ_API_ void aq_cond_init_(gasnett_cond_t* condition);
AQ_API_ void aq_cond_destroy_(gasnett_cond_t* condition);
AQ_API_ void aq_cond_signal_(gasnett_cond_t* condition);
AQ_API_ void aq_cond_broadcast_(gasnett_cond_t* condition);
AQ_API_ void aq_cond_wait_(gasnett_cond_t* condition, gasnett_mutex_t* mutex, const char* here);

AQ_END_C_

#if GASNETT_THREAD_SAFE || GASNETT_USE_TRUE_MUTEXES || defined(GASNET_DEBUG)
#define gasnett_mutex_init(mutex) aq_mutex_init_(mutex)
#define gasnett_mutex_destroy(mutex) ((void)aq_mutex_destroy_((mutex), AQ_HERE_))
#define gasnett_mutex_destroy_ignoreerr(mutex) aq_mutex_destroy_((mutex), NULL)
#define gasnett_mutex_lock(mutex) aq_mutex_lock_((mutex), AQ_HERE_)
#define gasnett_mutex_trylock(mutex) aq_mutex_trylock_((mutex), AQ_HERE_)
#define gasnett_mutex_unlock(mutex) aq_mutex_unlock_((mutex), AQ_HERE_)
#define gasnett_cond_init(condition) aq_cond_init_(condition)
#define gasnett_cond_destroy(condition) aq_cond_destroy_(condition)
#define gasnett_cond_signal(condition) aq_cond_signal_(condition)
#define gasnett_cond_broadcast(condition) aq_cond_broadcast_(condition)
#define gasnett_cond_wait(condition, mutex) aq_cond_wait_((condition), (mutex), AQ_HERE_)
#else
AQ_INLINE_ void gasnett_mutex_init(gasnett_mutex_t* mutex) { (void)mutex; }
AQ_INLINE_ void gasnett_mutex_destroy(gasnett_mutex_t* mutex) { (void)mutex; }
AQ_INLINE_ int gasnett_mutex_destroy_ignoreerr(gasnett_mutex_t* mutex) { return (void)mutex, 0; }
AQ_INLINE_ void gasnett_mutex_lock(gasnett_mutex_t* mutex) { (void)mutex; }
AQ_INLINE_ int gasnett_mutex_trylock(gasnett_mutex_t* mutex) { return (void)mutex, 0; }
AQ_INLINE_ void gasnett_mutex_unlock(gasnett_mutex_t* mutex) { (void)mutex; }
AQ_INLINE_ void gasnett_cond_init(gasnett_cond_t* condition) { (void)condition; }
AQ_INLINE_ void gasnett_cond_destroy(gasnett_cond_t* condition) { (void)condition; }
AQ_INLINE_ void gasnett_cond_signal(gasnett_cond_t* condition) { (void)condition; }
AQ_INLINE_ void gasnett_cond_broadcast(gasnett_cond_t* condition) { (void)condition; }
AQ_INLINE_ void gasnett_cond_wait(gasnett_cond_t* condition, gasnett_mutex_t* mutex) {
  (void)condition;
  (void)mutex;
}
#endif

#ifdef GASNET_DEBUG
#define gasnett_mutex_assertlocked(mutex) aq_mutex_assert_((mutex), 1, AQ_HERE_)
#define gasnett_mutex_assertunlocked(mutex) aq_mutex_assert_((mutex), 0, AQ_HERE_)
#else
AQ_INLINE_ void gasnett_mutex_assertlocked(const gasnett_mutex_t* mutex) { (void)mutex; }
AQ_INLINE_ void gasnett_mutex_assertunlocked(const gasnett_mutex_t* mutex) { (void)mutex; }
#endif

#endif
