/* Atomic operations on words of 32 and 64 bits, in two strengths; atomics.h makes the families of them.
 *
 * real:  an operation that other threads see as one, with the fences of its flags
 * plain: the same for a client of one thread: loads and stores that the compiler may neither split nor drop
 *
 * Flags are constants at nearly every call, and what they choose is folded away.
 */
#ifndef AQUEDUCT_DETAIL_ATOMIC_WORDS_H_
#define AQUEDUCT_DETAIL_ATOMIC_WORDS_H_

#include <stdint.h>

#include "aqueduct/detail/attributes.h"
#include "aqueduct/tools/atomic_flags.h"
#include "aqueduct/tools/fences.h"

/* Clients point these at integers and floating-point numbers of their own. */
typedef uint32_t __attribute__((__may_alias__)) aq_word32_;
typedef uint64_t __attribute__((__may_alias__)) aq_word64_;

/* A locked instruction of x86 is a full fence by itself. Elsewhere the fences stand beside the operation.
 * Where the thread sanitizer watches, the order of the operation says enough. */
#if defined(__x86_64__) || defined(__i386__) || defined(AQ_THREAD_SANITIZER_)
#define AQ_SWAPPING_FENCES_ 1
#else
#define AQ_SWAPPING_FENCES_ 0
#endif

AQ_ALWAYS_INLINE_ void aq_fence_before_(int flags) {
  if (flags & GASNETT_ATOMIC_WMB_PRE) {
    aq_full_fence_();
  } else if (flags & GASNETT_ATOMIC_RMB_PRE) {
    aq_acquire_fence_();
  }
}

AQ_ALWAYS_INLINE_ void aq_fence_after_(int flags) {
  if (flags & GASNETT_ATOMIC_WMB_POST) {
    aq_full_fence_();
  } else if (flags & GASNETT_ATOMIC_RMB_POST) {
    aq_acquire_fence_();
  }
}

AQ_ALWAYS_INLINE_ void aq_fence_after_if_(int result, int flags) {
  aq_fence_after_(flags);
  if (flags & (result ? GASNETT_ATOMIC_RMB_POST_IF_TRUE : GASNETT_ATOMIC_RMB_POST_IF_FALSE))
    aq_acquire_fence_();
}

#define AQ_WRITE_FENCES_ (GASNETT_ATOMIC_WMB_PRE | GASNETT_ATOMIC_WMB_POST)
#define AQ_SWAP_ORDER_(flags) ((flags) ? __ATOMIC_SEQ_CST : __ATOMIC_RELAXED)

/* clang-format off */
#define AQ_REAL_OPERATIONS_(bits)                                                                         \
  AQ_ALWAYS_INLINE_ uint##bits##_t aq_real_read##bits##_(const aq_word##bits##_* word, int flags) {       \
    aq_fence_before_(flags);                                                                              \
    uint##bits##_t value = (flags & GASNETT_ATOMIC_MB_POST) ? __atomic_load_n(word, __ATOMIC_ACQUIRE)     \
                                                            : __atomic_load_n(word, __ATOMIC_RELAXED);    \
    aq_fence_after_(flags);                                                                               \
    return value;                                                                                         \
  }                                                                                                       \
  AQ_ALWAYS_INLINE_ void aq_real_set##bits##_(aq_word##bits##_* word, uint##bits##_t value, int flags) {  \
    if (AQ_SWAPPING_FENCES_ && (flags & AQ_WRITE_FENCES_)) {                                              \
      (void)__atomic_exchange_n(word, value, __ATOMIC_SEQ_CST);                                           \
    } else {                                                                                              \
      aq_fence_before_(flags);                                                                            \
      if (flags) __atomic_store_n(word, value, __ATOMIC_RELEASE);                                         \
      else __atomic_store_n(word, value, __ATOMIC_RELAXED);                                               \
      aq_fence_after_(flags);                                                                             \
    }                                                                                                     \
  }                                                                                                       \
  AQ_ALWAYS_INLINE_ uint##bits##_t aq_real_add##bits##_(aq_word##bits##_* word, uint##bits##_t operand,   \
                                                        int flags) {                                      \
    if (!AQ_SWAPPING_FENCES_) aq_fence_before_(flags);                                                    \
    uint##bits##_t value = __atomic_add_fetch(word, operand, AQ_SWAP_ORDER_(flags));                      \
    if (!AQ_SWAPPING_FENCES_) aq_fence_after_(flags);                                                     \
    return value;                                                                                         \
  }                                                                                                       \
  AQ_ALWAYS_INLINE_ uint##bits##_t aq_real_swap##bits##_(aq_word##bits##_* word, uint##bits##_t value,    \
                                                         int flags) {                                     \
    if (!AQ_SWAPPING_FENCES_) aq_fence_before_(flags);                                                    \
    uint##bits##_t old = __atomic_exchange_n(word, value, AQ_SWAP_ORDER_(flags));                         \
    if (!AQ_SWAPPING_FENCES_) aq_fence_after_(flags);                                                     \
    return old;                                                                                           \
  }                                                                                                       \
  AQ_ALWAYS_INLINE_ int aq_real_cas##bits##_(aq_word##bits##_* word, uint##bits##_t old,                  \
                                             uint##bits##_t value, int flags) {                           \
    if (!AQ_SWAPPING_FENCES_) aq_fence_before_(flags);                                                    \
    int done = __atomic_compare_exchange_n(word, &old, value, 0, AQ_SWAP_ORDER_(flags),                   \
                                           AQ_SWAP_ORDER_(flags));                                        \
    if (!AQ_SWAPPING_FENCES_) aq_fence_after_if_(done, flags);                                            \
    return done;                                                                                          \
  }                                                                                                       \
  AQ_ALWAYS_INLINE_ int aq_real_countdown##bits##_(aq_word##bits##_* word, int flags) {                   \
    if (!AQ_SWAPPING_FENCES_) aq_fence_before_(flags);                                                    \
    int done = __atomic_sub_fetch(word, 1, AQ_SWAP_ORDER_(flags)) == 0;                                   \
    if (!AQ_SWAPPING_FENCES_) aq_fence_after_if_(done, flags);                                            \
    return done;                                                                                          \
  }

#define AQ_PLAIN_OPERATIONS_(bits)                                                                        \
  AQ_ALWAYS_INLINE_ uint##bits##_t aq_plain_read##bits##_(const aq_word##bits##_* word, int flags) {      \
    (void)flags;                                                                                          \
    return __atomic_load_n(word, __ATOMIC_RELAXED);                                                       \
  }                                                                                                       \
  AQ_ALWAYS_INLINE_ void aq_plain_set##bits##_(aq_word##bits##_* word, uint##bits##_t value, int flags) { \
    (void)flags;                                                                                          \
    __atomic_store_n(word, value, __ATOMIC_RELAXED);                                                      \
  }                                                                                                       \
  AQ_ALWAYS_INLINE_ uint##bits##_t aq_plain_add##bits##_(aq_word##bits##_* word, uint##bits##_t operand,  \
                                                         int flags) {                                     \
    uint##bits##_t value = aq_plain_read##bits##_(word, flags) + operand;                                 \
    aq_plain_set##bits##_(word, value, flags);                                                            \
    return value;                                                                                         \
  }                                                                                                       \
  AQ_ALWAYS_INLINE_ uint##bits##_t aq_plain_swap##bits##_(aq_word##bits##_* word, uint##bits##_t value,   \
                                                          int flags) {                                    \
    uint##bits##_t old = aq_plain_read##bits##_(word, flags);                                             \
    aq_plain_set##bits##_(word, value, flags);                                                            \
    return old;                                                                                           \
  }                                                                                                       \
  AQ_ALWAYS_INLINE_ int aq_plain_cas##bits##_(aq_word##bits##_* word, uint##bits##_t old,                 \
                                              uint##bits##_t value, int flags) {                          \
    if (aq_plain_read##bits##_(word, flags) != old) return 0;                                             \
    aq_plain_set##bits##_(word, value, flags);                                                            \
    return 1;                                                                                             \
  }                                                                                                       \
  AQ_ALWAYS_INLINE_ int aq_plain_countdown##bits##_(aq_word##bits##_* word, int flags) {                  \
    return aq_plain_add##bits##_(word, (uint##bits##_t)-1, flags) == 0;                                   \
  }

AQ_REAL_OPERATIONS_(32)
AQ_REAL_OPERATIONS_(64)
AQ_PLAIN_OPERATIONS_(32)
AQ_PLAIN_OPERATIONS_(64)
/* clang-format on */

#endif
