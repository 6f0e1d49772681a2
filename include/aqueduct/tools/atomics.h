/* Atomic variables of the threads of one process.
 *
 *   gasnett_atomic_t       an unsigned number of 32 bits; values outside wrap around, as in two's complement
 *   gasnett_atomic32_t,    exactly that many bits; they may be reached by casts from pointers to integers or
 *   gasnett_atomic64_t     floating-point numbers of that size
 *   gasnett_strongatomic_t and so on: the same families for signal handlers. They are true atomics in clients
 *                          of one thread too, where the others are plain loads and stores
 *
 * each with
 *
 *   _init(v)                        a static initializer
 *   _set(p, v, f), _read(p, f)
 *   _increment(p, f), _decrement(p, f)
 *   _decrement_and_test(p, f)       non-zero if the new value is 0
 *   _add(p, v, f), _subtract(p, v, f)   return the new value
 *   _swap(p, v, f)                  returns the old value
 *   _compare_and_swap(p, old, v, f) non-zero if done
 *   _signed(v)                      a value that was read, as a signed number
 *
 * `f` holds the fences wanted (atomic_flags.h); without any, an operation orders nothing but itself. None of
 * these locks, so all of gasnett_strong* are safe in signal handlers.
 */
#ifndef AQUEDUCT_TOOLS_ATOMICS_H_
#define AQUEDUCT_TOOLS_ATOMICS_H_

#include "aqueduct/detail/atomic_words.h"
#include "aqueduct/tools/mode.h"

typedef struct {
  aq_word32_ word_;
} gasnett_atomic_t;
typedef struct {
  aq_word32_ word_;
} gasnett_atomic32_t;
typedef struct {
  aq_word64_ word_;
} gasnett_atomic64_t;
typedef gasnett_atomic_t gasnett_strongatomic_t;
typedef gasnett_atomic32_t gasnett_strongatomic32_t;
typedef gasnett_atomic64_t gasnett_strongatomic64_t;

typedef uint32_t gasnett_atomic_val_t;
typedef int32_t gasnett_atomic_sval_t;
typedef uint32_t gasnett_strongatomic_val_t;
typedef int32_t gasnett_strongatomic_sval_t;

/* clang-format off */
#define gasnett_atomic_init(v) {(uint32_t)(v)}
#define gasnett_atomic32_init(v) {(uint32_t)(v)}
#define gasnett_atomic64_init(v) {(uint64_t)(v)}
#define gasnett_strongatomic_init(v) {(uint32_t)(v)}
#define gasnett_strongatomic32_init(v) {(uint32_t)(v)}
#define gasnett_strongatomic64_init(v) {(uint64_t)(v)}
/* clang-format on */

#define gasnett_atomic_signed(v) ((gasnett_atomic_sval_t)(gasnett_atomic_val_t)(v))
#define gasnett_strongatomic_signed(v) gasnett_atomic_signed(v)
#define GASNETT_ATOMIC_MAX 0xffffffffu
#define GASNETT_ATOMIC_SIGNED_MIN (-2147483647 - 1)
#define GASNETT_ATOMIC_SIGNED_MAX 2147483647
#define GASNETT_STRONGATOMIC_MAX GASNETT_ATOMIC_MAX
#define GASNETT_STRONGATOMIC_SIGNED_MIN GASNETT_ATOMIC_SIGNED_MIN
#define GASNETT_STRONGATOMIC_SIGNED_MAX GASNETT_ATOMIC_SIGNED_MAX

/* Every operation exists, on every processor; none of them uses a mutex (so that
 * GASNETT_USING_GENERIC_ATOMICOPS and GASNETT_STRONGATOMIC*_NOT_SIGNALSAFE are not defined). */
#define GASNETT_HAVE_ATOMIC_CAS 1
#define GASNETT_HAVE_ATOMIC_ADD_SUB 1
#define GASNETT_HAVE_STRONGATOMIC_CAS 1
#define GASNETT_HAVE_STRONGATOMIC_ADD_SUB 1

/* clang-format off */
#define AQ_ATOMIC_FAMILY_(family, bits, strength)                                                           \
  AQ_ALWAYS_INLINE_ uint##bits##_t family##_read(const family##_t* p, int flags) {                          \
    return aq_##strength##_read##bits##_(&p->word_, flags);                                                 \
  }                                                                                                         \
  AQ_ALWAYS_INLINE_ void family##_set(family##_t* p, uint##bits##_t v, int flags) {                         \
    aq_##strength##_set##bits##_(&p->word_, v, flags);                                                      \
  }                                                                                                         \
  AQ_ALWAYS_INLINE_ void family##_increment(family##_t* p, int flags) {                                     \
    (void)aq_##strength##_add##bits##_(&p->word_, 1, flags);                                                \
  }                                                                                                         \
  AQ_ALWAYS_INLINE_ void family##_decrement(family##_t* p, int flags) {                                     \
    (void)aq_##strength##_add##bits##_(&p->word_, (uint##bits##_t)-1, flags);                               \
  }                                                                                                         \
  AQ_ALWAYS_INLINE_ int family##_decrement_and_test(family##_t* p, int flags) {                             \
    return aq_##strength##_countdown##bits##_(&p->word_, flags);                                            \
  }                                                                                                         \
  AQ_ALWAYS_INLINE_ uint##bits##_t family##_add(family##_t* p, uint##bits##_t v, int flags) {               \
    return aq_##strength##_add##bits##_(&p->word_, v, flags);                                               \
  }                                                                                                         \
  AQ_ALWAYS_INLINE_ uint##bits##_t family##_subtract(family##_t* p, uint##bits##_t v, int flags) {          \
    return aq_##strength##_add##bits##_(&p->word_, (uint##bits##_t)0 - v, flags);                           \
  }                                                                                                         \
  AQ_ALWAYS_INLINE_ uint##bits##_t family##_swap(family##_t* p, uint##bits##_t v, int flags) {              \
    return aq_##strength##_swap##bits##_(&p->word_, v, flags);                                              \
  }                                                                                                         \
  AQ_ALWAYS_INLINE_ int family##_compare_and_swap(family##_t* p, uint##bits##_t old, uint##bits##_t v,      \
                                                  int flags) {                                              \
    return aq_##strength##_cas##bits##_(&p->word_, old, v, flags);                                          \
  }

#if GASNETT_THREAD_SAFE
AQ_ATOMIC_FAMILY_(gasnett_atomic, 32, real)
AQ_ATOMIC_FAMILY_(gasnett_atomic32, 32, real)
AQ_ATOMIC_FAMILY_(gasnett_atomic64, 64, real)
#else
AQ_ATOMIC_FAMILY_(gasnett_atomic, 32, plain)
AQ_ATOMIC_FAMILY_(gasnett_atomic32, 32, plain)
AQ_ATOMIC_FAMILY_(gasnett_atomic64, 64, plain)
#endif
AQ_ATOMIC_FAMILY_(gasnett_strongatomic, 32, real)
AQ_ATOMIC_FAMILY_(gasnett_strongatomic32, 32, real)
AQ_ATOMIC_FAMILY_(gasnett_strongatomic64, 64, real)
/* clang-format on */

#endif
