/* Memory fences between the threads of a process.
 *
 *   gasnett_local_wmb   every store before it is complete everywhere before any later load or store is issued
 *   gasnett_local_rmb   every later load sees what was complete everywhere before
 *   gasnett_local_mb    both
 *   gasnett_weak_*      the same, or nothing at all in a client of one thread
 *   gasnett_compiler_fence   the compiler moves no access to memory across it
 *   gasnett_spinloop_hint    a compiler fence that tells the processor that this is a loop that waits
 *
 * A store that must not be overtaken by a later load needs a full fence on every processor we know, so that
 * wmb and mb are the same; rmb is an acquire fence, which costs nothing where loads stay in order. Vector
 * instructions that bypass the caches are not covered.
 */
#ifndef AQUEDUCT_TOOLS_FENCES_H_
#define AQUEDUCT_TOOLS_FENCES_H_

#include "aqueduct/detail/attributes.h"
#include "aqueduct/tools/mode.h"

#if defined(__SANITIZE_THREAD__)
#define AQ_THREAD_SANITIZER_ 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define AQ_THREAD_SANITIZER_ 1
#endif
#endif

#define gasnett_compiler_fence() __asm__ __volatile__("" ::: "memory")

#ifdef AQ_THREAD_SANITIZER_
/* The thread sanitizer does not understand fences. A word that all fences touch tells it the same. */
AQ_INLINE_ void aq_full_fence_(void) {
  static int everybody;
  (void)__atomic_fetch_add(&everybody, 1, __ATOMIC_SEQ_CST);
}
AQ_INLINE_ void aq_acquire_fence_(void) { aq_full_fence_(); }
#else
AQ_ALWAYS_INLINE_ void aq_full_fence_(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
AQ_ALWAYS_INLINE_ void aq_acquire_fence_(void) { __atomic_thread_fence(__ATOMIC_ACQUIRE); }
#endif

AQ_ALWAYS_INLINE_ void gasnett_local_wmb(void) { aq_full_fence_(); }
AQ_ALWAYS_INLINE_ void gasnett_local_rmb(void) { aq_acquire_fence_(); }
AQ_ALWAYS_INLINE_ void gasnett_local_mb(void) { aq_full_fence_(); }

#if GASNETT_THREAD_SAFE
#define gasnett_weak_wmb() gasnett_local_wmb()
#define gasnett_weak_rmb() gasnett_local_rmb()
#define gasnett_weak_mb() gasnett_local_mb()
#else
#define gasnett_weak_wmb() ((void)0)
#define gasnett_weak_rmb() ((void)0)
#define gasnett_weak_mb() ((void)0)
#endif

AQ_ALWAYS_INLINE_ void gasnett_spinloop_hint(void) {
#if defined(__x86_64__) || defined(__i386__)
  __asm__ __volatile__("pause" ::: "memory");
#elif defined(__aarch64__)
  __asm__ __volatile__("yield" ::: "memory");
#else
  gasnett_compiler_fence();
#endif
}

#endif
