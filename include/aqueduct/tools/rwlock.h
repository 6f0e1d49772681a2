/* Locks that many readers or one writer can hold, between the threads of a process. Not recursive, in either
 * way.
 *
 *   void gasnett_rwlock_init(gasnett_rwlock_t *), _destroy, _rdlock, _wrlock, _unlock
 *   int  gasnett_rwlock_tryrdlock(gasnett_rwlock_t *), _trywrlock    0, or EBUSY or EAGAIN if it is held
 *   void gasnett_rwlock_assertrdlocked(gasnett_rwlock_t *), _assertwrlocked, _assertlocked, _assertunlocked
 *                                                                    by this thread; nothing unless debug
 *
 * Debug clients are checked: locking twice, unlocking what this thread does not hold, and destroying a lock
 * that is held, are each fatal. In a client of one thread all of this is nothing, as with mutexes.
 */
#ifndef AQUEDUCT_TOOLS_RWLOCK_H_
#define AQUEDUCT_TOOLS_RWLOCK_H_

#include <stdint.h>

#include "aqueduct/detail/attributes.h"
#include "aqueduct/detail/here.h"
#include "aqueduct/tools/mode.h"

typedef struct {
  uint64_t lock_[8];
} gasnett_rwlock_t;

/* clang-format off */
#define GASNETT_RWLOCK_INITIALIZER {{0, 0, 0, 0, 0, 0, 0, 0}}
/* clang-format on */

/* How a thread holds a lock, as a set for assertions. */
#define AQ_RWLOCK_FREE_ 1
#define AQ_RWLOCK_READ_ 2
#define AQ_RWLOCK_WRITTEN_ 4

AQ_BEGIN_C_

/* `here` as AQ_HERE_: checks are made unless it is NULL. */
AQ_API_ void aq_rwlock_init_(gasnett_rwlock_t* lock);
AQ_API_ void aq_rwlock_destroy_(gasnett_rwlock_t* lock, const char* here);
AQ_API_ void aq_rwlock_rdlock_(gasnett_rwlock_t* lock, const char* here);
AQ_API_ void aq_rwlock_wrlock_(gasnett_rwlock_t* lock, const char* here);
AQ_API_ int aq_rwlock_tryrdlock_(gasnett_rwlock_t* lock, const char* here);
AQ_API_ int aq_rwlock_trywrlock_(gasnett_rwlock_t* lock, const char* here);
AQ_API_ void aq_rwlock_unlock_(gasnett_rwlock_t* lock, const char* here);
AQ_API_ void aq_rwlock_assert_(const gasnett_rwlock_t* lock, int allowed, const char* here);

AQ_END_C_

#if GASNETT_THREAD_SAFE || GASNETT_USE_TRUE_MUTEXES || defined(GASNET_DEBUG)
#define gasnett_rwlock_init(lock) aq_rwlock_init_(lock)
#define gasnett_rwlock_destroy(lock) aq_rwlock_destroy_((lock), AQ_HERE_)
#define gasnett_rwlock_rdlock(lock) aq_rwlock_rdlock_((lock), AQ_HERE_)
#define gasnett_rwlock_wrlock(lock) aq_rwlock_wrlock_((lock), AQ_HERE_)
#define gasnett_rwlock_tryrdlock(lock) aq_rwlock_tryrdlock_((lock), AQ_HERE_)
#define gasnett_rwlock_trywrlock(lock) aq_rwlock_trywrlock_((lock), AQ_HERE_)
#define gasnett_rwlock_unlock(lock) aq_rwlock_unlock_((lock), AQ_HERE_)
#else
AQ_INLINE_ void gasnett_rwlock_init(gasnett_rwlock_t* lock) { (void)lock; }
AQ_INLINE_ void gasnett_rwlock_destroy(gasnett_rwlock_t* lock) { (void)lock; }
AQ_INLINE_ void gasnett_rwlock_rdlock(gasnett_rwlock_t* lock) { (void)lock; }
AQ_INLINE_ void gasnett_rwlock_wrlock(gasnett_rwlock_t* lock) { (void)lock; }
AQ_INLINE_ int gasnett_rwlock_tryrdlock(gasnett_rwlock_t* lock) { return (void)lock, 0; }
AQ_INLINE_ int gasnett_rwlock_trywrlock(gasnett_rwlock_t* lock) { return (void)lock, 0; }
AQ_INLINE_ void gasnett_rwlock_unlock(gasnett_rwlock_t* lock) { (void)lock; }
#endif

#ifdef GASNET_DEBUG
#define gasnett_rwlock_assertlocked(lock) \
  aq_rwlock_assert_((lock), AQ_RWLOCK_READ_ | AQ_RWLOCK_WRITTEN_, AQ_HERE_)
#define gasnett_rwlock_assertrdlocked(lock) aq_rwlock_assert_((lock), AQ_RWLOCK_READ_, AQ_HERE_)
#define gasnett_rwlock_assertwrlocked(lock) aq_rwlock_assert_((lock), AQ_RWLOCK_WRITTEN_, AQ_HERE_)
#define gasnett_rwlock_assertunlocked(lock) aq_rwlock_assert_((lock), AQ_RWLOCK_FREE_, AQ_HERE_)
#else
AQ_INLINE_ void gasnett_rwlock_assertlocked(const gasnett_rwlock_t* lock) { (void)lock; }
AQ_INLINE_ void gasnett_rwlock_assertrdlocked(const gasnett_rwlock_t* lock) { (void)lock; }
AQ_INLINE_ void gasnett_rwlock_assertwrlocked(const gasnett_rwlock_t* lock) { (void)lock; }
AQ_INLINE_ void gasnett_rwlock_assertunlocked(const gasnett_rwlock_t* lock) { (void)lock; }
#endif

#endif
