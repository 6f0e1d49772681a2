/* uGNI: commands of atomic memory operations (amo_cmd of a post descriptor). Included by gni_pub.h.
 *
 * Names. F...: the old value comes back to local_addr. Without F nothing comes back. _S: 32-bit operands.
 * _C: by the cache of the target's interface, which needs GNI_CDM_MODE_CACHED_AMO_ENABLED. The first
 * generation (GNI_FMA_ATOMIC_) has 64-bit operands only.
 *
 * AX: (memory & first_operand) ^ second_operand. CSWAP: if memory is first_operand it becomes second_operand.
 * IMIN, IMAX and IADD are of signed integers, FPMIN, FPMAX and FPADD of doubles, or of floats with _S. */
#ifndef AQUEDUCT_GNI_AMO_H_
#define AQUEDUCT_GNI_AMO_H_

/* The eight commands of one operation of the second generation; `code` is that of its 32-bit form. */
#define AQ_GNI_AMO2_(NAME, code)                                                               \
  GNI_FMA_ATOMIC2_F##NAME##_S = 0x200 | (code), GNI_FMA_ATOMIC2_F##NAME = 0x001 | (code),      \
  GNI_FMA_ATOMIC2_F##NAME##_SC = 0x220 | (code), GNI_FMA_ATOMIC2_F##NAME##_C = 0x021 | (code), \
  GNI_FMA_ATOMIC2_##NAME##_S = 0x300 | (code), GNI_FMA_ATOMIC2_##NAME = 0x101 | (code),        \
  GNI_FMA_ATOMIC2_##NAME##_SC = 0x320 | (code), GNI_FMA_ATOMIC2_##NAME##_C = 0x121 | (code)

typedef enum gni_fma_cmd_type {
  GNI_FMA_ATOMIC_FADD = 0x008,
  GNI_FMA_ATOMIC_FADD_C = 0x018,
  GNI_FMA_ATOMIC_FAND = 0x009,
  GNI_FMA_ATOMIC_FAND_C = 0x019,
  GNI_FMA_ATOMIC_FOR = 0x00a,
  GNI_FMA_ATOMIC_FOR_C = 0x01a,
  GNI_FMA_ATOMIC_FXOR = 0x00b,
  GNI_FMA_ATOMIC_FXOR_C = 0x01b,
  GNI_FMA_ATOMIC_FAX = 0x00c,
  GNI_FMA_ATOMIC_FAX_C = 0x01c,
  GNI_FMA_ATOMIC_CSWAP = 0x00d,
  GNI_FMA_ATOMIC_CSWAP_C = 0x01d,
  GNI_FMA_ATOMIC_ADD = 0x108,
  GNI_FMA_ATOMIC_ADD_C = 0x118,
  GNI_FMA_ATOMIC_AND = 0x109,
  GNI_FMA_ATOMIC_AND_C = 0x119,
  GNI_FMA_ATOMIC_OR = 0x10a,
  GNI_FMA_ATOMIC_OR_C = 0x11a,
  GNI_FMA_ATOMIC_XOR = 0x10b,
  GNI_FMA_ATOMIC_XOR_C = 0x11b,
  GNI_FMA_ATOMIC_AX = 0x10c,
  GNI_FMA_ATOMIC_AX_C = 0x11c,
  AQ_GNI_AMO2_(AND, 0x40),
  AQ_GNI_AMO2_(OR, 0x42),
  AQ_GNI_AMO2_(XOR, 0x44),
  AQ_GNI_AMO2_(SWAP, 0x46),
  AQ_GNI_AMO2_(AX, 0x48),
  AQ_GNI_AMO2_(CSWAP, 0x4a),
  AQ_GNI_AMO2_(IMIN, 0x50),
  AQ_GNI_AMO2_(IMAX, 0x52),
  AQ_GNI_AMO2_(IADD, 0x54),
  AQ_GNI_AMO2_(FPMIN, 0x58),
  AQ_GNI_AMO2_(FPMAX, 0x5a),
  AQ_GNI_AMO2_(FPADD, 0x5c),
  AQ_GNI_FMA_WIDEST_ = 0x7fffffff
} gni_fma_cmd_type_t;

#endif
