/* The operations of remote atomics, applied to memory of this process.
 *
 * aq_apply_<type>_(target, operation, first, second) performs one operation atomically and returns what was
 * at `target` before (nothing of use where the
 * operation does not fetch). `operation` is one GEX_OP_* that the type has. Where it is a
 * constant one instruction is left, or a loop around one for what the processor cannot do by itself:
 * products, minima, floating-point sums. Whoever changes a location, the neighbour that reaches it or the
 * handler of its owner, does it here, so that all agree on how.
 *
 * Everything both acquires and releases, which a lock-prefixed instruction does anyway; a load acquires, a
 * store releases. Floating-point values are compared (CAS) by their bits.
 */
#ifndef AQUEDUCT_DETAIL_ATOMIC_APPLY_H_
#define AQUEDUCT_DETAIL_ATOMIC_APPLY_H_

#include <string.h>

#include "aqueduct/detail/attributes.h"
#include "gasnet_fwd.h"

/* The client's objects may have another type of the same size. */
typedef int32_t __attribute__((__may_alias__)) aq_alias_I32_;
typedef uint32_t __attribute__((__may_alias__)) aq_alias_U32_;
typedef int64_t __attribute__((__may_alias__)) aq_alias_I64_;
typedef uint64_t __attribute__((__may_alias__)) aq_alias_U64_;

/* target = next, an expression in `value`, what was there before; nothing is written where `same` says that
 * it would be the same, because many only look whether they have a new minimum. */
/* clang-format off */
#define AQ_APPLY_LOOP_(WORD, FROM_WORD, TO_WORD, same, next)                                                 \
  do {                                                                                                       \
    value = FROM_WORD(seen);                                                                                 \
    if (same) return value;                                                                                  \
  } while (!__atomic_compare_exchange_n((WORD*)target, &seen, TO_WORD(next), 0, __ATOMIC_ACQ_REL,            \
                                        __ATOMIC_ACQUIRE));                                                  \
  return value

/* Arithmetic of signed types wraps, as the processor's own does: it is done on unsigned ones. Bit-wise
 * operations that fetch are loops, as the compiler would make them: GCC 12 makes them wrong where the result
 * is widened afterwards (it computes first ^ first). */
#define AQ_DEFINE_APPLY_INTEGER_(NAME, TYPE, UNSIGNED)                                                       \
  AQ_ALWAYS_INLINE_ TYPE aq_apply_##NAME##_(void* target, gex_OP_t operation, TYPE first, TYPE second) {     \
    aq_alias_##NAME##_* const word = (aq_alias_##NAME##_*)target;                                            \
    TYPE value, seen;                                                                                        \
    switch (operation) {                                                                                     \
      case GEX_OP_GET:                                                                                       \
        return __atomic_load_n(word, __ATOMIC_ACQUIRE);                                                      \
      case GEX_OP_SET:                                                                                       \
        __atomic_store_n(word, first, __ATOMIC_RELEASE);                                                     \
        return first;                                                                                        \
      case GEX_OP_SWAP:                                                                                      \
        return __atomic_exchange_n(word, first, __ATOMIC_ACQ_REL);                                           \
      case GEX_OP_CAS:                                                                                       \
      case GEX_OP_FCAS:                                                                                      \
        (void)__atomic_compare_exchange_n(word, &first, second, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);      \
        return first;                                                                                        \
      case GEX_OP_ADD:                                                                                       \
      case GEX_OP_FADD:                                                                                      \
        return __atomic_fetch_add(word, first, __ATOMIC_ACQ_REL);                                            \
      case GEX_OP_SUB:                                                                                       \
      case GEX_OP_FSUB:                                                                                      \
        return __atomic_fetch_sub(word, first, __ATOMIC_ACQ_REL);                                            \
      case GEX_OP_INC:                                                                                       \
      case GEX_OP_FINC:                                                                                      \
        return __atomic_fetch_add(word, 1, __ATOMIC_ACQ_REL);                                                \
      case GEX_OP_DEC:                                                                                       \
      case GEX_OP_FDEC:                                                                                      \
        return __atomic_fetch_sub(word, 1, __ATOMIC_ACQ_REL);                                                \
      case GEX_OP_AND:                                                                                       \
        (void)__atomic_fetch_and(word, first, __ATOMIC_ACQ_REL);                                             \
        return first;                                                                                        \
      case GEX_OP_OR:                                                                                        \
        (void)__atomic_fetch_or(word, first, __ATOMIC_ACQ_REL);                                              \
        return first;                                                                                        \
      case GEX_OP_XOR:                                                                                       \
        (void)__atomic_fetch_xor(word, first, __ATOMIC_ACQ_REL);                                             \
        return first;                                                                                        \
      default:                                                                                               \
        break;                                                                                               \
    }                                                                                                        \
    seen = __atomic_load_n(word, __ATOMIC_ACQUIRE);                                                          \
    switch (operation) {                                                                                     \
      case GEX_OP_FAND:                                                                                      \
        AQ_APPLY_LOOP_(aq_alias_##NAME##_, (TYPE), (TYPE), 0, value & first);                                \
      case GEX_OP_FOR:                                                                                       \
        AQ_APPLY_LOOP_(aq_alias_##NAME##_, (TYPE), (TYPE), 0, value | first);                                \
      case GEX_OP_FXOR:                                                                                      \
        AQ_APPLY_LOOP_(aq_alias_##NAME##_, (TYPE), (TYPE), 0, value ^ first);                                \
      case GEX_OP_MULT:                                                                                      \
      case GEX_OP_FMULT:                                                                                     \
        AQ_APPLY_LOOP_(aq_alias_##NAME##_, (TYPE), (TYPE), 0, ((UNSIGNED)value * (UNSIGNED)first));          \
      case GEX_OP_MIN:                                                                                       \
      case GEX_OP_FMIN:                                                                                      \
        AQ_APPLY_LOOP_(aq_alias_##NAME##_, (TYPE), (TYPE), value < first, first);                            \
      case GEX_OP_MAX:                                                                                       \
      case GEX_OP_FMAX:                                                                                      \
        AQ_APPLY_LOOP_(aq_alias_##NAME##_, (TYPE), (TYPE), value > first, first);                            \
      default:                                                                                               \
        return seen;                                                                                         \
    }                                                                                                        \
  }

/* No processor has arithmetic on floating-point numbers in memory: all but moving them is a loop. */
#define AQ_DEFINE_APPLY_REAL_(NAME, TYPE, WORD, ALIAS)                                                       \
  AQ_ALWAYS_INLINE_ TYPE aq_from_word_##NAME##_(WORD word) {                                                 \
    TYPE value;                                                                                              \
    memcpy(&value, &word, sizeof value);                                                                     \
    return value;                                                                                            \
  }                                                                                                          \
  AQ_ALWAYS_INLINE_ WORD aq_to_word_##NAME##_(TYPE value) {                                                  \
    WORD word;                                                                                               \
    memcpy(&word, &value, sizeof word);                                                                      \
    return word;                                                                                             \
  }                                                                                                          \
  AQ_ALWAYS_INLINE_ TYPE aq_apply_##NAME##_(void* target, gex_OP_t operation, TYPE first, TYPE second) {     \
    ALIAS* const word = (ALIAS*)target;                                                                      \
    TYPE value;                                                                                              \
    WORD seen;                                                                                               \
    switch (operation) {                                                                                     \
      case GEX_OP_SET:                                                                                       \
        __atomic_store_n(word, aq_to_word_##NAME##_(first), __ATOMIC_RELEASE);                               \
        return first;                                                                                        \
      case GEX_OP_SWAP:                                                                                      \
        return aq_from_word_##NAME##_(                                                                       \
            __atomic_exchange_n(word, aq_to_word_##NAME##_(first), __ATOMIC_ACQ_REL));                       \
      case GEX_OP_CAS:                                                                                       \
      case GEX_OP_FCAS:                                                                                      \
        seen = aq_to_word_##NAME##_(first);                                                                  \
        (void)__atomic_compare_exchange_n(word, &seen, aq_to_word_##NAME##_(second), 0, __ATOMIC_ACQ_REL,    \
                                          __ATOMIC_ACQUIRE);                                                 \
        return aq_from_word_##NAME##_(seen);                                                                 \
      default:                                                                                               \
        break;                                                                                               \
    }                                                                                                        \
    seen = __atomic_load_n(word, __ATOMIC_ACQUIRE);                                                          \
    switch (operation) {                                                                                     \
      case GEX_OP_ADD:                                                                                       \
      case GEX_OP_FADD:                                                                                      \
        AQ_APPLY_LOOP_(ALIAS, aq_from_word_##NAME##_, aq_to_word_##NAME##_, 0, value + first);               \
      case GEX_OP_SUB:                                                                                       \
      case GEX_OP_FSUB:                                                                                      \
        AQ_APPLY_LOOP_(ALIAS, aq_from_word_##NAME##_, aq_to_word_##NAME##_, 0, value - first);               \
      case GEX_OP_INC:                                                                                       \
      case GEX_OP_FINC:                                                                                      \
        AQ_APPLY_LOOP_(ALIAS, aq_from_word_##NAME##_, aq_to_word_##NAME##_, 0, value + 1);                   \
      case GEX_OP_DEC:                                                                                       \
      case GEX_OP_FDEC:                                                                                      \
        AQ_APPLY_LOOP_(ALIAS, aq_from_word_##NAME##_, aq_to_word_##NAME##_, 0, value - 1);                   \
      case GEX_OP_MULT:                                                                                      \
      case GEX_OP_FMULT:                                                                                     \
        AQ_APPLY_LOOP_(ALIAS, aq_from_word_##NAME##_, aq_to_word_##NAME##_, 0, value * first);               \
      case GEX_OP_MIN:                                                                                       \
      case GEX_OP_FMIN:                                                                                      \
        AQ_APPLY_LOOP_(ALIAS, aq_from_word_##NAME##_, aq_to_word_##NAME##_, value < first, first);           \
      case GEX_OP_MAX:                                                                                       \
      case GEX_OP_FMAX:                                                                                      \
        AQ_APPLY_LOOP_(ALIAS, aq_from_word_##NAME##_, aq_to_word_##NAME##_, value > first, first);           \
      default:                                                                                               \
        return aq_from_word_##NAME##_(seen);                                                                 \
    }                                                                                                        \
  }
/* clang-format on */

AQ_DEFINE_APPLY_INTEGER_(I32, int32_t, uint32_t)
AQ_DEFINE_APPLY_INTEGER_(U32, uint32_t, uint32_t)
AQ_DEFINE_APPLY_INTEGER_(I64, int64_t, uint64_t)
AQ_DEFINE_APPLY_INTEGER_(U64, uint64_t, uint64_t)
AQ_DEFINE_APPLY_REAL_(FLT, float, uint32_t, aq_alias_U32_)
AQ_DEFINE_APPLY_REAL_(DBL, double, uint64_t, aq_alias_U64_)

/* These were needed here only; clients see no more of this header than its functions. */
#undef AQ_DEFINE_APPLY_REAL_
#undef AQ_DEFINE_APPLY_INTEGER_
#undef AQ_APPLY_LOOP_

#endif
