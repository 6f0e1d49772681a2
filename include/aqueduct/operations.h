/* Element types and operations of atomics and reductions, as sets: each constant is one bit. */
#ifndef AQUEDUCT_OPERATIONS_H_
#define AQUEDUCT_OPERATIONS_H_

#include <stddef.h>
#include <stdint.h>

typedef uint32_t gex_DT_t;
#define GEX_DT_I32 (1u << 0)
#define GEX_DT_U32 (1u << 1)
#define GEX_DT_I64 (1u << 2)
#define GEX_DT_U64 (1u << 3)
#define GEX_DT_FLT (1u << 4)
#define GEX_DT_DBL (1u << 5)
#define GEX_DT_USER (1u << 6) /* opaque to the library; reductions only */

/* A fetching operation is its non-fetching twin, 15 bits further up; SWAP is the twin of SET, and GET has
 * none. */
typedef uint32_t gex_OP_t;
#define GEX_OP_AND (1u << 0)
#define GEX_OP_OR (1u << 1)
#define GEX_OP_XOR (1u << 2)
#define GEX_OP_ADD (1u << 3)
#define GEX_OP_SUB (1u << 4)
#define GEX_OP_MULT (1u << 5)
#define GEX_OP_MIN (1u << 6)
#define GEX_OP_MAX (1u << 7)
#define GEX_OP_INC (1u << 8)
#define GEX_OP_DEC (1u << 9)
#define GEX_OP_SET (1u << 10)
#define GEX_OP_CAS (1u << 11)

#define GEX_OP_FAND (1u << 15)
#define GEX_OP_FOR (1u << 16)
#define GEX_OP_FXOR (1u << 17)
#define GEX_OP_FADD (1u << 18)
#define GEX_OP_FSUB (1u << 19)
#define GEX_OP_FMULT (1u << 20)
#define GEX_OP_FMIN (1u << 21)
#define GEX_OP_FMAX (1u << 22)
#define GEX_OP_FINC (1u << 23)
#define GEX_OP_FDEC (1u << 24)
#define GEX_OP_SWAP (1u << 25)
#define GEX_OP_FCAS (1u << 26)
#define GEX_OP_GET (1u << 27)
#define GEX_OP_CSWAP GEX_OP_FCAS /* an older name */

/* Reductions by a function of the client: commutative, and not. */
#define GEX_OP_USER (1u << 30)
#define GEX_OP_USER_NC (1u << 31)

/* Defined for operations that have a twin. */
#define GEX_OP_TO_FETCHING(op) ((op) << 15)
#define GEX_OP_TO_NONFETCHING(op) ((op) >> 15)

/* Combines `count` elements: right[i] = left[i] op right[i]. Runs inside library calls, on any thread that
 * makes one. */
typedef void (*gex_Coll_ReduceFn_t)(const void* left, void* right_and_result, size_t count,
                                    const void* cdata);

#endif
