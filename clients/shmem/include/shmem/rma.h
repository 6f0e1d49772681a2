/* Put and get: blocking, non-blocking (_nbi), strided (iput, iget), of blocks at strides (ibput, ibget), of
 * single elements (p, g), and put with a signal; each with a context (shmem_ctx_...) and without.
 *
 * Blocking puts return when the source may be reused, gets when the data is here. Non-blocking ones are
 * complete after shmem_quiet. `pe` counts in the context's team. On a PE of this host each is a copy and
 * complete on return.
 */
#ifndef AQUEDUCT_SHMEM_RMA_H_
#define AQUEDUCT_SHMEM_RMA_H_

#include "shmem/types.h"

SHMEM_BEGIN_C_

/* clang-format off */
#define SHMEM_DECLARE_RMA_(NAME, TYPE, ...) \
  SHMEM_API_ void shmem_##NAME##_put(TYPE* dest, const TYPE* source, size_t nelems, int pe); \
  SHMEM_API_ void shmem_##NAME##_get(TYPE* dest, const TYPE* source, size_t nelems, int pe); \
  SHMEM_API_ void shmem_##NAME##_put_nbi(TYPE* dest, const TYPE* source, size_t nelems, int pe); \
  SHMEM_API_ void shmem_##NAME##_get_nbi(TYPE* dest, const TYPE* source, size_t nelems, int pe); \
  SHMEM_API_ void shmem_##NAME##_iput(TYPE* dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe); \
  SHMEM_API_ void shmem_##NAME##_iget(TYPE* dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe); \
  SHMEM_API_ void shmem_##NAME##_ibput(TYPE* dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe); \
  SHMEM_API_ void shmem_##NAME##_ibget(TYPE* dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe); \
  SHMEM_API_ void shmem_##NAME##_p(TYPE* dest, TYPE value, int pe); \
  SHMEM_API_ TYPE shmem_##NAME##_g(const TYPE* source, int pe); \
  SHMEM_API_ void shmem_##NAME##_put_signal(TYPE* dest, const TYPE* source, size_t nelems, uint64_t* sig_addr, uint64_t signal, int sig_op, int pe); \
  SHMEM_API_ void shmem_##NAME##_put_signal_nbi(TYPE* dest, const TYPE* source, size_t nelems, uint64_t* sig_addr, uint64_t signal, int sig_op, int pe); \
  SHMEM_API_ void shmem_ctx_##NAME##_put(shmem_ctx_t ctx, TYPE* dest, const TYPE* source, size_t nelems, int pe); \
  SHMEM_API_ void shmem_ctx_##NAME##_get(shmem_ctx_t ctx, TYPE* dest, const TYPE* source, size_t nelems, int pe); \
  SHMEM_API_ void shmem_ctx_##NAME##_put_nbi(shmem_ctx_t ctx, TYPE* dest, const TYPE* source, size_t nelems, int pe); \
  SHMEM_API_ void shmem_ctx_##NAME##_get_nbi(shmem_ctx_t ctx, TYPE* dest, const TYPE* source, size_t nelems, int pe); \
  SHMEM_API_ void shmem_ctx_##NAME##_iput(shmem_ctx_t ctx, TYPE* dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe); \
  SHMEM_API_ void shmem_ctx_##NAME##_iget(shmem_ctx_t ctx, TYPE* dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe); \
  SHMEM_API_ void shmem_ctx_##NAME##_ibput(shmem_ctx_t ctx, TYPE* dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe); \
  SHMEM_API_ void shmem_ctx_##NAME##_ibget(shmem_ctx_t ctx, TYPE* dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe); \
  SHMEM_API_ void shmem_ctx_##NAME##_p(shmem_ctx_t ctx, TYPE* dest, TYPE value, int pe); \
  SHMEM_API_ TYPE shmem_ctx_##NAME##_g(shmem_ctx_t ctx, const TYPE* source, int pe); \
  SHMEM_API_ void shmem_ctx_##NAME##_put_signal(shmem_ctx_t ctx, TYPE* dest, const TYPE* source, size_t nelems, uint64_t* sig_addr, uint64_t signal, int sig_op, int pe); \
  SHMEM_API_ void shmem_ctx_##NAME##_put_signal_nbi(shmem_ctx_t ctx, TYPE* dest, const TYPE* source, size_t nelems, uint64_t* sig_addr, uint64_t signal, int sig_op, int pe);
SHMEM_RMA_TYPES_(SHMEM_DECLARE_RMA_, )
#undef SHMEM_DECLARE_RMA_

#define SHMEM_DECLARE_BLOCKS_(BITS, BYTES, ...) \
  SHMEM_API_ void shmem_put##BITS(void* dest, const void* source, size_t nelems, int pe); \
  SHMEM_API_ void shmem_get##BITS(void* dest, const void* source, size_t nelems, int pe); \
  SHMEM_API_ void shmem_put##BITS##_nbi(void* dest, const void* source, size_t nelems, int pe); \
  SHMEM_API_ void shmem_get##BITS##_nbi(void* dest, const void* source, size_t nelems, int pe); \
  SHMEM_API_ void shmem_iput##BITS(void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe); \
  SHMEM_API_ void shmem_iget##BITS(void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe); \
  SHMEM_API_ void shmem_ibput##BITS(void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe); \
  SHMEM_API_ void shmem_ibget##BITS(void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe); \
  SHMEM_API_ void shmem_put##BITS##_signal(void* dest, const void* source, size_t nelems, uint64_t* sig_addr, uint64_t signal, int sig_op, int pe); \
  SHMEM_API_ void shmem_put##BITS##_signal_nbi(void* dest, const void* source, size_t nelems, uint64_t* sig_addr, uint64_t signal, int sig_op, int pe); \
  SHMEM_API_ void shmem_ctx_put##BITS(shmem_ctx_t ctx, void* dest, const void* source, size_t nelems, int pe); \
  SHMEM_API_ void shmem_ctx_get##BITS(shmem_ctx_t ctx, void* dest, const void* source, size_t nelems, int pe); \
  SHMEM_API_ void shmem_ctx_put##BITS##_nbi(shmem_ctx_t ctx, void* dest, const void* source, size_t nelems, int pe); \
  SHMEM_API_ void shmem_ctx_get##BITS##_nbi(shmem_ctx_t ctx, void* dest, const void* source, size_t nelems, int pe); \
  SHMEM_API_ void shmem_ctx_iput##BITS(shmem_ctx_t ctx, void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe); \
  SHMEM_API_ void shmem_ctx_iget##BITS(shmem_ctx_t ctx, void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe); \
  SHMEM_API_ void shmem_ctx_ibput##BITS(shmem_ctx_t ctx, void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe); \
  SHMEM_API_ void shmem_ctx_ibget##BITS(shmem_ctx_t ctx, void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe); \
  SHMEM_API_ void shmem_ctx_put##BITS##_signal(shmem_ctx_t ctx, void* dest, const void* source, size_t nelems, uint64_t* sig_addr, uint64_t signal, int sig_op, int pe); \
  SHMEM_API_ void shmem_ctx_put##BITS##_signal_nbi(shmem_ctx_t ctx, void* dest, const void* source, size_t nelems, uint64_t* sig_addr, uint64_t signal, int sig_op, int pe);
SHMEM_BLOCK_SIZES_(SHMEM_DECLARE_BLOCKS_, )
#undef SHMEM_DECLARE_BLOCKS_
/* clang-format on */

SHMEM_API_ void shmem_putmem(void* dest, const void* source, size_t nbytes, int pe);
SHMEM_API_ void shmem_getmem(void* dest, const void* source, size_t nbytes, int pe);
SHMEM_API_ void shmem_putmem_nbi(void* dest, const void* source, size_t nbytes, int pe);
SHMEM_API_ void shmem_getmem_nbi(void* dest, const void* source, size_t nbytes, int pe);
SHMEM_API_ void shmem_putmem_signal(void* dest, const void* source, size_t nbytes, uint64_t* sig_addr,
                                    uint64_t signal, int sig_op, int pe);
SHMEM_API_ void shmem_putmem_signal_nbi(void* dest, const void* source, size_t nbytes, uint64_t* sig_addr,
                                        uint64_t signal, int sig_op, int pe);
SHMEM_API_ void shmem_ctx_putmem(shmem_ctx_t ctx, void* dest, const void* source, size_t nbytes, int pe);
SHMEM_API_ void shmem_ctx_getmem(shmem_ctx_t ctx, void* dest, const void* source, size_t nbytes, int pe);
SHMEM_API_ void shmem_ctx_putmem_nbi(shmem_ctx_t ctx, void* dest, const void* source, size_t nbytes, int pe);
SHMEM_API_ void shmem_ctx_getmem_nbi(shmem_ctx_t ctx, void* dest, const void* source, size_t nbytes, int pe);
SHMEM_API_ void shmem_ctx_putmem_signal(shmem_ctx_t ctx, void* dest, const void* source, size_t nbytes,
                                        uint64_t* sig_addr, uint64_t signal, int sig_op, int pe);
SHMEM_API_ void shmem_ctx_putmem_signal_nbi(shmem_ctx_t ctx, void* dest, const void* source, size_t nbytes,
                                            uint64_t* sig_addr, uint64_t signal, int sig_op, int pe);

/* Signals by themselves. */
SHMEM_API_ uint64_t shmem_signal_fetch(const uint64_t* sig_addr);
SHMEM_API_ void shmem_signal_set(uint64_t* sig_addr, uint64_t signal, int pe);
SHMEM_API_ void shmem_signal_add(uint64_t* sig_addr, uint64_t signal, int pe);
SHMEM_API_ void shmem_ctx_signal_set(shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal, int pe);
SHMEM_API_ void shmem_ctx_signal_add(shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal, int pe);

/* Contexts: what orders and completes operations together. */
SHMEM_API_ int shmem_ctx_create(long options, shmem_ctx_t* ctx);
SHMEM_API_ int shmem_team_create_ctx(shmem_team_t team, long options, shmem_ctx_t* ctx);
SHMEM_API_ void shmem_ctx_destroy(shmem_ctx_t ctx);
SHMEM_API_ int shmem_ctx_get_team(shmem_ctx_t ctx, shmem_team_t* team);
/* Hints that many operations follow; they change nothing here. */
SHMEM_API_ void shmem_ctx_session_start(shmem_ctx_t ctx, long options,
                                        const shmem_ctx_session_config_t* config, long config_mask);
SHMEM_API_ void shmem_ctx_session_stop(shmem_ctx_t ctx);

/* Order: puts before a fence arrive before those after it; after quiet all are complete. */
SHMEM_API_ void shmem_fence(void);
SHMEM_API_ void shmem_quiet(void);
SHMEM_API_ void shmem_ctx_fence(shmem_ctx_t ctx);
SHMEM_API_ void shmem_ctx_quiet(shmem_ctx_t ctx);
/* The same as shmem_quiet for operations on one PE, or on several. */
SHMEM_API_ void shmem_pe_quiet(const int* target_pes, size_t npes);
SHMEM_API_ void shmem_ctx_pe_quiet(shmem_ctx_t ctx, const int* target_pes, size_t npes);

SHMEM_END_C_

#endif
