/* Types, constants, and the tables of types that the typed interface is made of.
 *
 * A table SHMEM_..._TYPES_(X, ...) calls X(NAME, TYPE, ...) for each of its types. NAME is the one that
 * stands in the names of functions. The tables that end in _BASE_ have each distinct C type once, as _Generic
 * needs it.
 */
#ifndef AQUEDUCT_SHMEM_TYPES_H_
#define AQUEDUCT_SHMEM_TYPES_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define SHMEM_BEGIN_C_ extern "C" {
#define SHMEM_END_C_ }
#else
#define SHMEM_BEGIN_C_
#define SHMEM_END_C_
#endif
#define SHMEM_API_ __attribute__((__visibility__("default")))

/* Complex numbers: a keyword that GCC and Clang also have in C++. */
#define SHMEM_COMPLEX_FLOAT_ float _Complex
#define SHMEM_COMPLEX_DOUBLE_ double _Complex

#define SHMEM_MAJOR_VERSION 1
#define SHMEM_MINOR_VERSION 6
#define SHMEM_MAX_NAME_LEN 64
#define SHMEM_VENDOR_STRING "Aqueduct"
#define _SHMEM_MAJOR_VERSION SHMEM_MAJOR_VERSION
#define _SHMEM_MINOR_VERSION SHMEM_MINOR_VERSION
#define _SHMEM_MAX_NAME_LEN SHMEM_MAX_NAME_LEN
#define _SHMEM_VENDOR_STRING SHMEM_VENDOR_STRING

#define SHMEM_THREAD_SINGLE 0
#define SHMEM_THREAD_FUNNELED 1
#define SHMEM_THREAD_SERIALIZED 2
#define SHMEM_THREAD_MULTIPLE 3

#define SHMEM_CMP_EQ 1
#define SHMEM_CMP_NE 2
#define SHMEM_CMP_GT 3
#define SHMEM_CMP_LE 4
#define SHMEM_CMP_LT 5
#define SHMEM_CMP_GE 6
#define _SHMEM_CMP_EQ SHMEM_CMP_EQ
#define _SHMEM_CMP_NE SHMEM_CMP_NE
#define _SHMEM_CMP_GT SHMEM_CMP_GT
#define _SHMEM_CMP_LE SHMEM_CMP_LE
#define _SHMEM_CMP_LT SHMEM_CMP_LT
#define _SHMEM_CMP_GE SHMEM_CMP_GE

#define SHMEM_SIGNAL_SET 0
#define SHMEM_SIGNAL_ADD 1

/* Hints about memory, accepted and without effect. */
#define SHMEM_MALLOC_ATOMICS_REMOTE (1L << 0)
#define SHMEM_MALLOC_SIGNAL_REMOTE (1L << 1)

/* Contexts. */
typedef struct shmem_ctx_* shmem_ctx_t;
#define SHMEM_CTX_SERIALIZED (1L << 0)
#define SHMEM_CTX_PRIVATE (1L << 1)
#define SHMEM_CTX_NOSTORE (1L << 2)
#define SHMEM_CTX_SESSION_BATCH (1L << 3)
typedef struct {
  size_t total_ops;
} shmem_ctx_session_config_t;
#define SHMEM_CTX_SESSION_TOTAL_OPS (1L << 0)

/* Teams. */
typedef struct shmem_team_* shmem_team_t;
typedef struct {
  int num_contexts;
} shmem_team_config_t;
#define SHMEM_TEAM_NUM_CONTEXTS (1L << 0)

/* Objects of the library behind the constant handles. */
struct shmem_team_;
SHMEM_BEGIN_C_
SHMEM_API_ extern struct shmem_ctx_ aqshmem_ctx_default_;
SHMEM_API_ extern struct shmem_team_ aqshmem_team_world_;
SHMEM_API_ extern struct shmem_team_ aqshmem_team_shared_;
SHMEM_END_C_
#define SHMEM_CTX_DEFAULT (&aqshmem_ctx_default_)
#define SHMEM_CTX_INVALID ((shmem_ctx_t)0)
#define SHMEM_TEAM_WORLD (&aqshmem_team_world_)
#define SHMEM_TEAM_SHARED (&aqshmem_team_shared_)
#define SHMEM_TEAM_INVALID ((shmem_team_t)0)

/* Collectives on active sets: how many longs pSync and how many elements pWrk need, and what pSync holds. */
#define SHMEM_SYNC_VALUE 0L
#define SHMEM_SYNC_SIZE 8
#define SHMEM_BARRIER_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_BCAST_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_REDUCE_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_COLLECT_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_ALLTOALL_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_ALLTOALLS_SYNC_SIZE SHMEM_SYNC_SIZE
#define SHMEM_REDUCE_MIN_WRKDATA_SIZE 8
#define _SHMEM_SYNC_VALUE SHMEM_SYNC_VALUE
#define _SHMEM_SYNC_SIZE SHMEM_SYNC_SIZE
#define _SHMEM_BARRIER_SYNC_SIZE SHMEM_BARRIER_SYNC_SIZE
#define _SHMEM_BCAST_SYNC_SIZE SHMEM_BCAST_SYNC_SIZE
#define _SHMEM_REDUCE_SYNC_SIZE SHMEM_REDUCE_SYNC_SIZE
#define _SHMEM_COLLECT_SYNC_SIZE SHMEM_COLLECT_SYNC_SIZE
#define _SHMEM_REDUCE_MIN_WRKDATA_SIZE SHMEM_REDUCE_MIN_WRKDATA_SIZE

/* clang-format off */

/* Put and get. */
#define SHMEM_RMA_BASE_TYPES_(X, ...) \
  X(float, float, __VA_ARGS__) X(double, double, __VA_ARGS__) X(longdouble, long double, __VA_ARGS__) \
  X(char, char, __VA_ARGS__) X(schar, signed char, __VA_ARGS__) X(short, short, __VA_ARGS__) \
  X(int, int, __VA_ARGS__) X(long, long, __VA_ARGS__) X(longlong, long long, __VA_ARGS__) \
  X(uchar, unsigned char, __VA_ARGS__) X(ushort, unsigned short, __VA_ARGS__) X(uint, unsigned int, __VA_ARGS__) \
  X(ulong, unsigned long, __VA_ARGS__) X(ulonglong, unsigned long long, __VA_ARGS__)
#define SHMEM_RMA_TYPES_(X, ...) \
  SHMEM_RMA_BASE_TYPES_(X, __VA_ARGS__) \
  X(int8, int8_t, __VA_ARGS__) X(int16, int16_t, __VA_ARGS__) X(int32, int32_t, __VA_ARGS__) \
  X(int64, int64_t, __VA_ARGS__) X(uint8, uint8_t, __VA_ARGS__) X(uint16, uint16_t, __VA_ARGS__) \
  X(uint32, uint32_t, __VA_ARGS__) X(uint64, uint64_t, __VA_ARGS__) X(size, size_t, __VA_ARGS__) \
  X(ptrdiff, ptrdiff_t, __VA_ARGS__)

/* Atomics: all of them; only fetch, set and swap; and bitwise ones. */
#define SHMEM_AMO_BASE_TYPES_(X, ...) \
  X(int, int, __VA_ARGS__) X(long, long, __VA_ARGS__) X(longlong, long long, __VA_ARGS__) \
  X(uint, unsigned int, __VA_ARGS__) X(ulong, unsigned long, __VA_ARGS__) X(ulonglong, unsigned long long, __VA_ARGS__)
#define SHMEM_AMO_TYPES_(X, ...) \
  SHMEM_AMO_BASE_TYPES_(X, __VA_ARGS__) \
  X(int32, int32_t, __VA_ARGS__) X(int64, int64_t, __VA_ARGS__) X(uint32, uint32_t, __VA_ARGS__) \
  X(uint64, uint64_t, __VA_ARGS__) X(size, size_t, __VA_ARGS__) X(ptrdiff, ptrdiff_t, __VA_ARGS__)
#define SHMEM_EXTENDED_AMO_BASE_TYPES_(X, ...) \
  SHMEM_AMO_BASE_TYPES_(X, __VA_ARGS__) X(float, float, __VA_ARGS__) X(double, double, __VA_ARGS__)
#define SHMEM_EXTENDED_AMO_TYPES_(X, ...) \
  SHMEM_AMO_TYPES_(X, __VA_ARGS__) X(float, float, __VA_ARGS__) X(double, double, __VA_ARGS__)
#define SHMEM_BITWISE_AMO_BASE_TYPES_(X, ...) \
  X(int, int, __VA_ARGS__) X(long, long, __VA_ARGS__) X(longlong, long long, __VA_ARGS__) \
  X(uint, unsigned int, __VA_ARGS__) X(ulong, unsigned long, __VA_ARGS__) X(ulonglong, unsigned long long, __VA_ARGS__)
#define SHMEM_BITWISE_AMO_TYPES_(X, ...) \
  SHMEM_BITWISE_AMO_BASE_TYPES_(X, __VA_ARGS__) \
  X(int32, int32_t, __VA_ARGS__) X(int64, int64_t, __VA_ARGS__) X(uint32, uint32_t, __VA_ARGS__) \
  X(uint64, uint64_t, __VA_ARGS__)

/* Waiting and testing. */
#define SHMEM_WAIT_BASE_TYPES_(X, ...) \
  SHMEM_AMO_BASE_TYPES_(X, __VA_ARGS__) X(short, short, __VA_ARGS__) X(ushort, unsigned short, __VA_ARGS__)
#define SHMEM_WAIT_TYPES_(X, ...) \
  SHMEM_AMO_TYPES_(X, __VA_ARGS__) X(short, short, __VA_ARGS__) X(ushort, unsigned short, __VA_ARGS__)

/* Reductions over teams. */
#define SHMEM_INTEGER_REDUCE_BASE_TYPES_(X, ...) \
  X(uchar, unsigned char, __VA_ARGS__) X(ushort, unsigned short, __VA_ARGS__) X(uint, unsigned int, __VA_ARGS__) \
  X(ulong, unsigned long, __VA_ARGS__) X(ulonglong, unsigned long long, __VA_ARGS__) \
  X(char, char, __VA_ARGS__) X(schar, signed char, __VA_ARGS__) X(short, short, __VA_ARGS__) \
  X(int, int, __VA_ARGS__) X(long, long, __VA_ARGS__) X(longlong, long long, __VA_ARGS__)
#define SHMEM_INTEGER_REDUCE_TYPES_(X, ...) \
  SHMEM_INTEGER_REDUCE_BASE_TYPES_(X, __VA_ARGS__) \
  X(int8, int8_t, __VA_ARGS__) X(int16, int16_t, __VA_ARGS__) X(int32, int32_t, __VA_ARGS__) \
  X(int64, int64_t, __VA_ARGS__) X(uint8, uint8_t, __VA_ARGS__) X(uint16, uint16_t, __VA_ARGS__) \
  X(uint32, uint32_t, __VA_ARGS__) X(uint64, uint64_t, __VA_ARGS__) X(size, size_t, __VA_ARGS__) \
  X(ptrdiff, ptrdiff_t, __VA_ARGS__)
#define SHMEM_FLOATING_TYPES_(X, ...) \
  X(float, float, __VA_ARGS__) X(double, double, __VA_ARGS__) X(longdouble, long double, __VA_ARGS__)
#define SHMEM_COMPLEX_TYPES_(X, ...) \
  X(complexf, SHMEM_COMPLEX_FLOAT_, __VA_ARGS__) X(complexd, SHMEM_COMPLEX_DOUBLE_, __VA_ARGS__)

/* Reductions over active sets. */
#define SHMEM_TO_ALL_INTEGER_TYPES_(X, ...) \
  X(short, short, __VA_ARGS__) X(int, int, __VA_ARGS__) X(long, long, __VA_ARGS__) X(longlong, long long, __VA_ARGS__)

/* Blocks of a number of bits: put8, put16, ...; broadcast32, ... */
#define SHMEM_BLOCK_SIZES_(X, ...) \
  X(8, 1, __VA_ARGS__) X(16, 2, __VA_ARGS__) X(32, 4, __VA_ARGS__) X(64, 8, __VA_ARGS__) X(128, 16, __VA_ARGS__)

/* clang-format on */

#endif
