/* The functions themselves, from the tables of types. Included by inline.h, where they are inlined, and by
 * the library, which exports them: SHMEM_INLINE_ says how. No guard: it may be included by both. */
/* clang-format off */
/* WITH a context as first parameter, or WITHOUT. */
#define SHMEM_PARAMETER_WITH shmem_ctx_t ctx,
#define SHMEM_PARAMETER_WITHOUT
#define SHMEM_CONTEXT_WITH ctx
#define SHMEM_CONTEXT_WITHOUT SHMEM_CTX_DEFAULT

#define SHMEM_DEFINE_RMA_(PREFIX, NAME, TYPE, KIND) \
  SHMEM_INLINE_ void SHMEM_FUNCTION_(PREFIX##NAME##_put)(SHMEM_PARAMETER_##KIND TYPE* dest, const TYPE* source, size_t nelems, int pe) { \
    aqshmem_put_(SHMEM_CONTEXT_##KIND, dest, source, nelems, sizeof(TYPE), pe, 0); \
  } \
  SHMEM_INLINE_ void SHMEM_FUNCTION_(PREFIX##NAME##_get)(SHMEM_PARAMETER_##KIND TYPE* dest, const TYPE* source, size_t nelems, int pe) { \
    aqshmem_get_(SHMEM_CONTEXT_##KIND, dest, source, nelems, sizeof(TYPE), pe, 0); \
  } \
  SHMEM_INLINE_ void SHMEM_FUNCTION_(PREFIX##NAME##_put_nbi)(SHMEM_PARAMETER_##KIND TYPE* dest, const TYPE* source, size_t nelems, int pe) { \
    aqshmem_put_(SHMEM_CONTEXT_##KIND, dest, source, nelems, sizeof(TYPE), pe, 1); \
  } \
  SHMEM_INLINE_ void SHMEM_FUNCTION_(PREFIX##NAME##_get_nbi)(SHMEM_PARAMETER_##KIND TYPE* dest, const TYPE* source, size_t nelems, int pe) { \
    aqshmem_get_(SHMEM_CONTEXT_##KIND, dest, source, nelems, sizeof(TYPE), pe, 1); \
  } \
  SHMEM_INLINE_ void SHMEM_FUNCTION_(PREFIX##NAME##_p)(SHMEM_PARAMETER_##KIND TYPE* dest, TYPE value, int pe) { \
    aqshmem_put_(SHMEM_CONTEXT_##KIND, dest, &value, 1, sizeof(TYPE), pe, 0); \
  } \
  SHMEM_INLINE_ TYPE SHMEM_FUNCTION_(PREFIX##NAME##_g)(SHMEM_PARAMETER_##KIND const TYPE* source, int pe) { \
    TYPE value; \
    aqshmem_get_(SHMEM_CONTEXT_##KIND, &value, source, 1, sizeof(TYPE), pe, 0); \
    return value; \
  }
#define SHMEM_DEFINE_(NAME, TYPE, ...) \
  SHMEM_DEFINE_RMA_(, NAME, TYPE, WITHOUT) \
  SHMEM_DEFINE_RMA_(ctx_, NAME, TYPE, WITH)
SHMEM_RMA_TYPES_(SHMEM_DEFINE_, )
#undef SHMEM_DEFINE_
#undef SHMEM_DEFINE_RMA_

#define SHMEM_DEFINE_BYTES_(PUT, GET, BYTES, KIND) \
  SHMEM_INLINE_ void SHMEM_FUNCTION_(PUT)(SHMEM_PARAMETER_##KIND void* dest, const void* source, size_t nelems, int pe) { \
    aqshmem_put_(SHMEM_CONTEXT_##KIND, dest, source, nelems, BYTES, pe, 0); \
  } \
  SHMEM_INLINE_ void SHMEM_FUNCTION_(GET)(SHMEM_PARAMETER_##KIND void* dest, const void* source, size_t nelems, int pe) { \
    aqshmem_get_(SHMEM_CONTEXT_##KIND, dest, source, nelems, BYTES, pe, 0); \
  } \
  SHMEM_INLINE_ void SHMEM_FUNCTION_(PUT##_nbi)(SHMEM_PARAMETER_##KIND void* dest, const void* source, size_t nelems, int pe) { \
    aqshmem_put_(SHMEM_CONTEXT_##KIND, dest, source, nelems, BYTES, pe, 1); \
  } \
  SHMEM_INLINE_ void SHMEM_FUNCTION_(GET##_nbi)(SHMEM_PARAMETER_##KIND void* dest, const void* source, size_t nelems, int pe) { \
    aqshmem_get_(SHMEM_CONTEXT_##KIND, dest, source, nelems, BYTES, pe, 1); \
  }
#define SHMEM_DEFINE_(BITS, BYTES, ...) \
  SHMEM_DEFINE_BYTES_(put##BITS, get##BITS, BYTES, WITHOUT) \
  SHMEM_DEFINE_BYTES_(ctx_put##BITS, ctx_get##BITS, BYTES, WITH)
SHMEM_BLOCK_SIZES_(SHMEM_DEFINE_, )
#undef SHMEM_DEFINE_
SHMEM_DEFINE_BYTES_(putmem, getmem, 1, WITHOUT)
SHMEM_DEFINE_BYTES_(ctx_putmem, ctx_getmem, 1, WITH)
#undef SHMEM_DEFINE_BYTES_

/* OPERATION with a value, without fetching, fetching, and fetching later. */
#define SHMEM_DEFINE_PLAIN_(NAME, TYPE, FUNCTION, OPERATION, KIND) \
  SHMEM_INLINE_ void SHMEM_FUNCTION_(FUNCTION)(SHMEM_PARAMETER_##KIND TYPE* dest, TYPE value, int pe) { \
    (void)aqshmem_atomic_(SHMEM_CONTEXT_##KIND, OPERATION, sizeof(TYPE), dest, AQSHMEM_BITS_(TYPE, value), 0, pe); \
  }
#define SHMEM_DEFINE_FETCHING_(NAME, TYPE, FUNCTION, OPERATION, KIND) \
  SHMEM_INLINE_ TYPE SHMEM_FUNCTION_(FUNCTION)(SHMEM_PARAMETER_##KIND TYPE* dest, TYPE value, int pe) { \
    return AQSHMEM_VALUE_(TYPE, aqshmem_atomic_(SHMEM_CONTEXT_##KIND, OPERATION, sizeof(TYPE), dest, AQSHMEM_BITS_(TYPE, value), 0, pe)); \
  } \
  SHMEM_INLINE_ void SHMEM_FUNCTION_(FUNCTION##_nbi)(SHMEM_PARAMETER_##KIND TYPE* fetch, TYPE* dest, TYPE value, int pe) { \
    aqshmem_atomic_nbi_(SHMEM_CONTEXT_##KIND, OPERATION, sizeof(TYPE), fetch, dest, AQSHMEM_BITS_(TYPE, value), 0, pe); \
  }

#define SHMEM_DEFINE_EXTENDED_(PREFIX, NAME, TYPE, KIND) \
  SHMEM_INLINE_ TYPE SHMEM_FUNCTION_(PREFIX##NAME##_atomic_fetch)(SHMEM_PARAMETER_##KIND const TYPE* source, int pe) { \
    return AQSHMEM_VALUE_(TYPE, aqshmem_atomic_(SHMEM_CONTEXT_##KIND, AQSHMEM_FETCH_, sizeof(TYPE), (void*)(uintptr_t)source, 0, 0, pe)); \
  } \
  SHMEM_INLINE_ void SHMEM_FUNCTION_(PREFIX##NAME##_atomic_fetch_nbi)(SHMEM_PARAMETER_##KIND TYPE* fetch, const TYPE* source, int pe) { \
    aqshmem_atomic_nbi_(SHMEM_CONTEXT_##KIND, AQSHMEM_FETCH_, sizeof(TYPE), fetch, (void*)(uintptr_t)source, 0, 0, pe); \
  } \
  SHMEM_DEFINE_PLAIN_(NAME, TYPE, PREFIX##NAME##_atomic_set, AQSHMEM_SET_, KIND) \
  SHMEM_DEFINE_FETCHING_(NAME, TYPE, PREFIX##NAME##_atomic_swap, AQSHMEM_SWAP_, KIND)
#define SHMEM_DEFINE_(NAME, TYPE, ...) \
  SHMEM_DEFINE_EXTENDED_(, NAME, TYPE, WITHOUT) \
  SHMEM_DEFINE_EXTENDED_(ctx_, NAME, TYPE, WITH)
SHMEM_EXTENDED_AMO_TYPES_(SHMEM_DEFINE_, )
#undef SHMEM_DEFINE_
#undef SHMEM_DEFINE_EXTENDED_

#define SHMEM_DEFINE_STANDARD_(PREFIX, NAME, TYPE, KIND) \
  SHMEM_INLINE_ TYPE SHMEM_FUNCTION_(PREFIX##NAME##_atomic_compare_swap)(SHMEM_PARAMETER_##KIND TYPE* dest, TYPE cond, TYPE value, int pe) { \
    return AQSHMEM_VALUE_(TYPE, aqshmem_atomic_(SHMEM_CONTEXT_##KIND, AQSHMEM_COMPARE_SWAP_, sizeof(TYPE), dest, AQSHMEM_BITS_(TYPE, value), AQSHMEM_BITS_(TYPE, cond), pe)); \
  } \
  SHMEM_INLINE_ void SHMEM_FUNCTION_(PREFIX##NAME##_atomic_compare_swap_nbi)(SHMEM_PARAMETER_##KIND TYPE* fetch, TYPE* dest, TYPE cond, TYPE value, int pe) { \
    aqshmem_atomic_nbi_(SHMEM_CONTEXT_##KIND, AQSHMEM_COMPARE_SWAP_, sizeof(TYPE), fetch, dest, AQSHMEM_BITS_(TYPE, value), AQSHMEM_BITS_(TYPE, cond), pe); \
  } \
  SHMEM_INLINE_ void SHMEM_FUNCTION_(PREFIX##NAME##_atomic_inc)(SHMEM_PARAMETER_##KIND TYPE* dest, int pe) { \
    (void)aqshmem_atomic_(SHMEM_CONTEXT_##KIND, AQSHMEM_ADD_, sizeof(TYPE), dest, 1, 0, pe); \
  } \
  SHMEM_INLINE_ TYPE SHMEM_FUNCTION_(PREFIX##NAME##_atomic_fetch_inc)(SHMEM_PARAMETER_##KIND TYPE* dest, int pe) { \
    return AQSHMEM_VALUE_(TYPE, aqshmem_atomic_(SHMEM_CONTEXT_##KIND, AQSHMEM_FETCH_ADD_, sizeof(TYPE), dest, 1, 0, pe)); \
  } \
  SHMEM_INLINE_ void SHMEM_FUNCTION_(PREFIX##NAME##_atomic_fetch_inc_nbi)(SHMEM_PARAMETER_##KIND TYPE* fetch, TYPE* dest, int pe) { \
    aqshmem_atomic_nbi_(SHMEM_CONTEXT_##KIND, AQSHMEM_FETCH_ADD_, sizeof(TYPE), fetch, dest, 1, 0, pe); \
  } \
  SHMEM_DEFINE_PLAIN_(NAME, TYPE, PREFIX##NAME##_atomic_add, AQSHMEM_ADD_, KIND) \
  SHMEM_DEFINE_FETCHING_(NAME, TYPE, PREFIX##NAME##_atomic_fetch_add, AQSHMEM_FETCH_ADD_, KIND)
#define SHMEM_DEFINE_(NAME, TYPE, ...) \
  SHMEM_DEFINE_STANDARD_(, NAME, TYPE, WITHOUT) \
  SHMEM_DEFINE_STANDARD_(ctx_, NAME, TYPE, WITH)
SHMEM_AMO_TYPES_(SHMEM_DEFINE_, )
#undef SHMEM_DEFINE_
#undef SHMEM_DEFINE_STANDARD_

#define SHMEM_DEFINE_BITWISE_(PREFIX, NAME, TYPE, OP, PLAIN, FETCHING, KIND) \
  SHMEM_DEFINE_PLAIN_(NAME, TYPE, PREFIX##NAME##_atomic_##OP, PLAIN, KIND) \
  SHMEM_DEFINE_FETCHING_(NAME, TYPE, PREFIX##NAME##_atomic_fetch_##OP, FETCHING, KIND)
#define SHMEM_DEFINE_(NAME, TYPE, ...) \
  SHMEM_DEFINE_BITWISE_(, NAME, TYPE, and, AQSHMEM_AND_, AQSHMEM_FETCH_AND_, WITHOUT) \
  SHMEM_DEFINE_BITWISE_(, NAME, TYPE, or, AQSHMEM_OR_, AQSHMEM_FETCH_OR_, WITHOUT) \
  SHMEM_DEFINE_BITWISE_(, NAME, TYPE, xor, AQSHMEM_XOR_, AQSHMEM_FETCH_XOR_, WITHOUT) \
  SHMEM_DEFINE_BITWISE_(ctx_, NAME, TYPE, and, AQSHMEM_AND_, AQSHMEM_FETCH_AND_, WITH) \
  SHMEM_DEFINE_BITWISE_(ctx_, NAME, TYPE, or, AQSHMEM_OR_, AQSHMEM_FETCH_OR_, WITH) \
  SHMEM_DEFINE_BITWISE_(ctx_, NAME, TYPE, xor, AQSHMEM_XOR_, AQSHMEM_FETCH_XOR_, WITH)
SHMEM_BITWISE_AMO_TYPES_(SHMEM_DEFINE_, )
#undef SHMEM_DEFINE_
#undef SHMEM_DEFINE_BITWISE_
#undef SHMEM_DEFINE_FETCHING_
#undef SHMEM_DEFINE_PLAIN_
#undef SHMEM_PARAMETER_WITH
#undef SHMEM_PARAMETER_WITHOUT
#undef SHMEM_CONTEXT_WITH
#undef SHMEM_CONTEXT_WITHOUT
/* clang-format on */
