/* Facts about bytes in memory: how many are zero, and a checksum. */
#ifndef AQUEDUCT_TOOLS_BYTES_H_
#define AQUEDUCT_TOOLS_BYTES_H_

#include <stddef.h>
#include <stdint.h>

#include "aqueduct/detail/attributes.h"

AQ_BEGIN_C_

/* How many of the bytes are zero; the second also copies them (the areas may not overlap). Any alignment. */
AQ_API_ size_t gasnett_count0s(const void* source, size_t nbytes);
AQ_API_ size_t gasnett_count0s_copy(void* destination, const void* source, size_t nbytes);

/* A quick checksum of 64 bits, the same on all ranks; no protection against malice. */
AQ_API_ uint64_t gasnett_checksum(const void* source, int nbytes);

AQ_END_C_

/* A 1 in each byte of a number that is zero, 0 in the others. Adding 0x7f to the low seven bits of a byte
 * carries into its top bit unless they are all zero, and never beyond; with the top bit itself, that marks
 * the bytes that are not zero. */
AQ_ALWAYS_INLINE_ uint64_t aq_zero_bytes_(uint64_t x) {
  const uint64_t low_bits = 0x7f7f7f7f7f7f7f7fu;
  return (~(((x & low_bits) + low_bits) | x) & ~low_bits) >> 7;
}

/* How many bytes of a number are zero: the multiplication adds up all bytes in the topmost one. */
AQ_INLINE_ int gasnett_count0s_uint64_t(uint64_t x) {
  return (int)(aq_zero_bytes_(x) * 0x0101010101010101u >> 56);
}
AQ_INLINE_ int gasnett_count0s_uint32_t(uint32_t x) { return gasnett_count0s_uint64_t(x) - 4; }
#if UINTPTR_MAX == 0xffffffffffffffff
AQ_INLINE_ int gasnett_count0s_uintptr_t(uintptr_t x) { return gasnett_count0s_uint64_t(x); }
#else
AQ_INLINE_ int gasnett_count0s_uintptr_t(uintptr_t x) { return gasnett_count0s_uint32_t(x); }
#endif

#endif
