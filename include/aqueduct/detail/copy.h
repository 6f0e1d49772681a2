/* Copying what may be small, without a call up to 256 bytes.
 *
 * Blocks of 65 bytes and more go through vector registers where the processor has AVX-512, whatever the
 * client was compiled for: registers 16 and up, which need no vzeroupper, and which a compiler uses only in
 * functions that it compiles for AVX-512. Larger ones are copied by a function that the library has chosen
 * for this processor (base/copier.cpp says why in this order). Under a sanitizer, which has to see each
 * access, all of them are copied by memcpy.
 *
 * GCC takes the names of those registers only where AVX-512 is asked for by an option, as with -march=native.
 * It is not told of them in a function that asks for AVX-512 by itself (target("avx512f"), target_clones, or
 * #pragma GCC target behind this header), and may have values in them there. A source with such functions
 * defines AQUEDUCT_NO_INLINE_VECTORS before it includes this: then the library's function copies all of them.
 */
#ifndef AQUEDUCT_DETAIL_COPY_H_
#define AQUEDUCT_DETAIL_COPY_H_

#include <stdint.h>
#include <string.h>

#include "aqueduct/detail/attributes.h"
#include "aqueduct/detail/world_view.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define AQ_SANITIZED_ 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define AQ_SANITIZED_ 1
#endif
#endif

/* Copies between one and two times as many bytes as `kind` has: the first and the last, which may overlap. */
#define AQ_COPY_ENDS_(kind, to, from, nbytes)                                      \
  do {                                                                             \
    kind first_, last_;                                                            \
    memcpy(&first_, (from), sizeof first_);                                        \
    memcpy(&last_, (const char*)(from) + ((nbytes) - sizeof last_), sizeof last_); \
    memcpy((to), &first_, sizeof first_);                                          \
    memcpy((char*)(to) + ((nbytes) - sizeof last_), &last_, sizeof last_);         \
  } while (0)

struct aq_16_bytes_ {
  uint64_t low_, high_;
};

/* memcpy of at most 8 bytes; 4 or 8 are written by one store. */
AQ_ALWAYS_INLINE_ void aq_copy_word_(void* to, const void* from, size_t nbytes) {
  if (nbytes == 8) {
    memcpy(to, from, 8);
  } else if (nbytes == 4) {
    memcpy(to, from, 4);
  } else if (nbytes > 4) {
    AQ_COPY_ENDS_(uint32_t, to, from, nbytes);
  } else if (nbytes > 1) {
    AQ_COPY_ENDS_(uint16_t, to, from, nbytes);
  } else if (nbytes == 1) {
    *(char*)to = *(const char*)from;
  }
}

/* The first and the last 32 bytes of at least 32, which may overlap: all are read before any is written. */
AQ_ALWAYS_INLINE_ void aq_copy_line_(void* to, const void* from, size_t nbytes) {
  struct aq_16_bytes_ first_, second_, third_, last_;
  memcpy(&first_, from, 16);
  memcpy(&second_, (const char*)from + 16, 16);
  memcpy(&third_, (const char*)from + (nbytes - 32), 16);
  memcpy(&last_, (const char*)from + (nbytes - 16), 16);
  memcpy(to, &first_, 16);
  memcpy((char*)to + 16, &second_, 16);
  memcpy((char*)to + (nbytes - 32), &third_, 16);
  memcpy((char*)to + (nbytes - 16), &last_, 16);
}

/* The registers that aq_copy_large_ uses, for compilers that know them. */
#if defined(__AVX512F__) || defined(__clang__)
#define AQ_VECTORS_ "xmm16", "xmm17", "xmm18", "xmm19",
#else
#define AQ_VECTORS_
#endif

/* memcpy of more than 64 bytes. */
AQ_ALWAYS_INLINE_ void aq_copy_large_(void* to, const void* from, size_t nbytes) {
#if defined(AQ_SANITIZED_)
  memcpy(to, from, nbytes);
#else
#if defined(__x86_64__) && !defined(AQUEDUCT_NO_INLINE_VECTORS)
  if (nbytes <= aq_world_.vector_bytes_) {
    if (nbytes <= 128) {
      __asm__ volatile(
          "vmovdqu64 (%1), %%ymm16\n\tvmovdqu64 %%ymm16, (%0)\n\t"
          "vmovdqu64 32(%1), %%ymm17\n\tvmovdqu64 %%ymm17, 32(%0)\n\t"
          "vmovdqu64 -64(%1,%2), %%ymm18\n\tvmovdqu64 %%ymm18, -64(%0,%2)\n\t"
          "vmovdqu64 -32(%1,%2), %%ymm19\n\tvmovdqu64 %%ymm19, -32(%0,%2)"
          :
          : "r"(to), "r"(from), "r"(nbytes)
          : AQ_VECTORS_ "memory");
    } else {
      __asm__ volatile(
          "vmovdqu64 (%1), %%zmm16\n\tvmovdqu64 %%zmm16, (%0)\n\t"
          "vmovdqu64 64(%1), %%zmm17\n\tvmovdqu64 %%zmm17, 64(%0)\n\t"
          "vmovdqu64 -128(%1,%2), %%zmm18\n\tvmovdqu64 %%zmm18, -128(%0,%2)\n\t"
          "vmovdqu64 -64(%1,%2), %%zmm19\n\tvmovdqu64 %%zmm19, -64(%0,%2)"
          :
          : "r"(to), "r"(from), "r"(nbytes)
          : AQ_VECTORS_ "memory");
    }
    return;
  }
#endif
  aq_world_.copy_(to, from, nbytes);
#endif
}

/* memcpy. Where the compiler sees the size, at most 64 bytes are left to it. */
AQ_ALWAYS_INLINE_ void aq_copy_(void* to, const void* from, size_t nbytes) {
  if (__builtin_constant_p(nbytes) && nbytes <= 64) {
    memcpy(to, from, nbytes);
    return;
  }
  /* Hides what the compiler knows about the buffers: it would warn that 8 bytes do not fit into a smaller
   * object, in a branch that is not taken for it. */
  __asm__("" : "+r"(to), "+r"(from));
  if (nbytes > 64) {
    aq_copy_large_(to, from, nbytes);
    return;
  }
  if (nbytes == 8) {
    memcpy(to, from, 8);
    return;
  }
  if (nbytes <= 32) {
    if (nbytes <= 8) {
      aq_copy_word_(to, from, nbytes);
    } else if (nbytes <= 16) {
      AQ_COPY_ENDS_(uint64_t, to, from, nbytes);
    } else {
      AQ_COPY_ENDS_(struct aq_16_bytes_, to, from, nbytes);
    }
    return;
  }
  aq_copy_line_(to, from, nbytes);
}

#undef AQ_COPY_ENDS_
#undef AQ_VECTORS_

#endif
