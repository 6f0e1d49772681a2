// The typed interface of put, get and atomics, from the tables of types: the inline functions once more as
// functions of the library, and those that are too long for a header.
#include <atomic>
#include <cstring>
#include <ctime>

#include "checks.hpp"
#include "exported.hpp"
#include "far.hpp"
#include "shmem.h"
#include "shmemx.h"

using namespace aqshmem;

extern "C" {
#define SHMEM_INLINE_ SHMEM_API_
#define SHMEM_FUNCTION_(name) pshmem_##name
#include "shmem/inline_body.h"
#undef SHMEM_FUNCTION_
#undef SHMEM_INLINE_
}

namespace {

/// Elements, or blocks of them, at distances: `dst` and `sst` count elements.
struct Strides {
  std::ptrdiff_t dst;
  std::ptrdiff_t sst;
  std::size_t block_bytes;
  std::size_t blocks;
  std::size_t element_bytes;

  std::ptrdiff_t to(std::size_t i) const {
    return static_cast<std::ptrdiff_t>(i) * dst * static_cast<std::ptrdiff_t>(element_bytes);
  }
  std::ptrdiff_t from(std::size_t i) const {
    return static_cast<std::ptrdiff_t>(i) * sst * static_cast<std::ptrdiff_t>(element_bytes);
  }
};

/// memcpy of a size that is one instruction for elements.
inline void copy_block(char* to, const char* from, std::size_t bytes) {
  if (bytes == 8) {
    std::memcpy(to, from, 8);
  } else if (bytes == 4) {
    std::memcpy(to, from, 4);
  } else {
    std::memcpy(to, from, bytes);
  }
}

void put_strided(shmem_ctx_t ctx, void* dest, const void* source, const Strides& strides, int pe) {
  must_be_started("a strided put");
  const int world_pe = aqshmem_world_pe_(ctx, pe);
  char* const near = job.checks ? nullptr : here(dest, world_pe);
  for (std::size_t i = 0; i < strides.blocks; ++i) {
    const char* const from = static_cast<const char*>(source) + strides.from(i);
    if (near) {
      copy_block(near + strides.to(i), from, strides.block_bytes);
    } else {
      aqshmem_put_nbi_far_(ctx, static_cast<char*>(dest) + strides.to(i), from, strides.block_bytes,
                           world_pe);
    }
  }
  // The source may be reused on return.
  if (!near) {
    complete(ctx);
  } else if (strides.blocks != 0) {
    ring(world_pe);
  }
}

void get_strided(shmem_ctx_t ctx, void* dest, const void* source, const Strides& strides, int pe) {
  must_be_started("a strided get");
  const int world_pe = aqshmem_world_pe_(ctx, pe);
  const char* const near = job.checks ? nullptr : here(source, world_pe);
  for (std::size_t i = 0; i < strides.blocks; ++i) {
    char* const to = static_cast<char*>(dest) + strides.to(i);
    if (near) {
      copy_block(to, near + strides.from(i), strides.block_bytes);
    } else {
      aqshmem_get_nbi_far_(ctx, to, static_cast<const char*>(source) + strides.from(i), strides.block_bytes,
                           world_pe);
    }
  }
  if (!near) complete(ctx);
}

void signal_by(shmem_ctx_t ctx, const char* call, std::uint64_t* address, std::uint64_t signal, int operation,
               int pe) {
  if (operation != SHMEM_SIGNAL_SET && operation != SHMEM_SIGNAL_ADD)
    fail("%s: the operation is neither SHMEM_SIGNAL_SET nor SHMEM_SIGNAL_ADD", call);
  (void)aqshmem_atomic_(ctx, operation == SHMEM_SIGNAL_SET ? AQSHMEM_SET_ : AQSHMEM_ADD_, 8, address, signal,
                        0, pe);
}

/// The signal is written when the data is in place.
void put_signal(shmem_ctx_t ctx, void* dest, const void* source, std::size_t bytes, std::uint64_t* address,
                std::uint64_t signal, int operation, int pe) {
  constexpr const char* kCall = "shmem_put_signal";
  must_be_started(kCall);
  const int world_pe = aqshmem_world_pe_(ctx, pe);
  if (char* const near = job.checks ? nullptr : here(dest, world_pe)) {
    std::memcpy(near, source, bytes);
    std::atomic_thread_fence(std::memory_order_release);
  } else if (bytes != 0) {
    aqshmem_put_nbi_far_(ctx, dest, source, bytes, world_pe);
    complete(ctx);
  }
  signal_by(ctx, kCall, address, signal, operation, pe);
}

}  // namespace

#define SHMEM_WEAK(NAME)                                       \
  extern "C" SHMEM_API_ __typeof__(pshmem_##NAME) shmem_##NAME \
      __attribute__((__weak__, __alias__("pshmem_" #NAME)));

// clang-format off
#define SHMEM_RMA_NAMES(NAME, TYPE, ...) \
  SHMEM_WEAK(NAME##_put) SHMEM_WEAK(NAME##_get) SHMEM_WEAK(NAME##_put_nbi) SHMEM_WEAK(NAME##_get_nbi) \
  SHMEM_WEAK(NAME##_p) SHMEM_WEAK(NAME##_g) \
  SHMEM_WEAK(ctx_##NAME##_put) SHMEM_WEAK(ctx_##NAME##_get) SHMEM_WEAK(ctx_##NAME##_put_nbi) SHMEM_WEAK(ctx_##NAME##_get_nbi) \
  SHMEM_WEAK(ctx_##NAME##_p) SHMEM_WEAK(ctx_##NAME##_g)
SHMEM_RMA_TYPES_(SHMEM_RMA_NAMES, )

#define SHMEM_BLOCK_NAMES(BITS, BYTES, ...) \
  SHMEM_WEAK(put##BITS) SHMEM_WEAK(get##BITS) SHMEM_WEAK(put##BITS##_nbi) SHMEM_WEAK(get##BITS##_nbi) \
  SHMEM_WEAK(ctx_put##BITS) SHMEM_WEAK(ctx_get##BITS) SHMEM_WEAK(ctx_put##BITS##_nbi) SHMEM_WEAK(ctx_get##BITS##_nbi)
SHMEM_BLOCK_SIZES_(SHMEM_BLOCK_NAMES, )
SHMEM_BLOCK_NAMES(mem, 1)

#define SHMEM_EXTENDED_NAMES(NAME, TYPE, ...) \
  SHMEM_WEAK(NAME##_atomic_fetch) SHMEM_WEAK(NAME##_atomic_fetch_nbi) SHMEM_WEAK(NAME##_atomic_set) SHMEM_WEAK(NAME##_atomic_swap) SHMEM_WEAK(NAME##_atomic_swap_nbi) \
  SHMEM_WEAK(ctx_##NAME##_atomic_fetch) SHMEM_WEAK(ctx_##NAME##_atomic_fetch_nbi) SHMEM_WEAK(ctx_##NAME##_atomic_set) SHMEM_WEAK(ctx_##NAME##_atomic_swap) SHMEM_WEAK(ctx_##NAME##_atomic_swap_nbi)
SHMEM_EXTENDED_AMO_TYPES_(SHMEM_EXTENDED_NAMES, )

#define SHMEM_STANDARD_NAMES_OF(NAME) \
  SHMEM_WEAK(NAME##_atomic_compare_swap) SHMEM_WEAK(NAME##_atomic_compare_swap_nbi) SHMEM_WEAK(NAME##_atomic_inc) \
  SHMEM_WEAK(NAME##_atomic_fetch_inc) SHMEM_WEAK(NAME##_atomic_fetch_inc_nbi) SHMEM_WEAK(NAME##_atomic_add) \
  SHMEM_WEAK(NAME##_atomic_fetch_add) SHMEM_WEAK(NAME##_atomic_fetch_add_nbi)
#define SHMEM_STANDARD_NAMES(NAME, TYPE, ...) SHMEM_STANDARD_NAMES_OF(NAME) SHMEM_STANDARD_NAMES_OF(ctx_##NAME)
SHMEM_AMO_TYPES_(SHMEM_STANDARD_NAMES, )

#define SHMEM_BITWISE_NAMES_OF(NAME, OP) \
  SHMEM_WEAK(NAME##_atomic_##OP) SHMEM_WEAK(NAME##_atomic_fetch_##OP) SHMEM_WEAK(NAME##_atomic_fetch_##OP##_nbi)
#define SHMEM_BITWISE_NAMES(NAME, TYPE, ...) \
  SHMEM_BITWISE_NAMES_OF(NAME, and) SHMEM_BITWISE_NAMES_OF(NAME, or) SHMEM_BITWISE_NAMES_OF(NAME, xor) \
  SHMEM_BITWISE_NAMES_OF(ctx_##NAME, and) SHMEM_BITWISE_NAMES_OF(ctx_##NAME, or) SHMEM_BITWISE_NAMES_OF(ctx_##NAME, xor)
SHMEM_BITWISE_AMO_TYPES_(SHMEM_BITWISE_NAMES, )

#define SHMEM_OLD_NAMES(NAME, TYPE, ...) \
  SHMEM_EXPORT(TYPE, NAME##_fetch, (const TYPE* source, int pe)) { return pshmem_##NAME##_atomic_fetch(source, pe); } \
  SHMEM_EXPORT(void, NAME##_set, (TYPE* dest, TYPE value, int pe)) { pshmem_##NAME##_atomic_set(dest, value, pe); } \
  SHMEM_EXPORT(TYPE, NAME##_swap, (TYPE* dest, TYPE value, int pe)) { return pshmem_##NAME##_atomic_swap(dest, value, pe); }
SHMEM_OLD_NAMES(int, int) SHMEM_OLD_NAMES(long, long) SHMEM_OLD_NAMES(longlong, long long)
SHMEM_OLD_NAMES(float, float) SHMEM_OLD_NAMES(double, double)
#undef SHMEM_OLD_NAMES
#define SHMEM_OLD_NAMES(NAME, TYPE, ...) \
  SHMEM_EXPORT(TYPE, NAME##_cswap, (TYPE* dest, TYPE cond, TYPE value, int pe)) { return pshmem_##NAME##_atomic_compare_swap(dest, cond, value, pe); } \
  SHMEM_EXPORT(TYPE, NAME##_fadd, (TYPE* dest, TYPE value, int pe)) { return pshmem_##NAME##_atomic_fetch_add(dest, value, pe); } \
  SHMEM_EXPORT(TYPE, NAME##_finc, (TYPE* dest, int pe)) { return pshmem_##NAME##_atomic_fetch_inc(dest, pe); } \
  SHMEM_EXPORT(void, NAME##_add, (TYPE* dest, TYPE value, int pe)) { pshmem_##NAME##_atomic_add(dest, value, pe); } \
  SHMEM_EXPORT(void, NAME##_inc, (TYPE* dest, int pe)) { pshmem_##NAME##_atomic_inc(dest, pe); }
SHMEM_OLD_NAMES(int, int) SHMEM_OLD_NAMES(long, long) SHMEM_OLD_NAMES(longlong, long long)

#define SHMEM_STRIDED(TYPE, BYTES, IPUT, IGET, IBPUT, IBGET, CTX, ...) \
  SHMEM_EXPORT(void, IPUT, (__VA_ARGS__ TYPE* dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe)) { put_strided(CTX, dest, source, {dst, sst, BYTES, nelems, BYTES}, pe); } \
  SHMEM_EXPORT(void, IGET, (__VA_ARGS__ TYPE* dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, int pe)) { get_strided(CTX, dest, source, {dst, sst, BYTES, nelems, BYTES}, pe); } \
  SHMEM_EXPORT(void, IBPUT, (__VA_ARGS__ TYPE* dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe)) { put_strided(CTX, dest, source, {dst, sst, BYTES * bsize, nblocks, BYTES}, pe); } \
  SHMEM_EXPORT(void, IBGET, (__VA_ARGS__ TYPE* dest, const TYPE* source, ptrdiff_t dst, ptrdiff_t sst, size_t bsize, size_t nblocks, int pe)) { get_strided(CTX, dest, source, {dst, sst, BYTES * bsize, nblocks, BYTES}, pe); }
#define SHMEM_COMMA ,
#define SHMEM_SIGNALLED(TYPE, BYTES, PUT, CTX, ...) \
  SHMEM_EXPORT(void, PUT, (__VA_ARGS__ TYPE* dest, const TYPE* source, size_t nelems, uint64_t* sig_addr, uint64_t signal, int sig_op, int pe)) { put_signal(CTX, dest, source, nelems * BYTES, sig_addr, signal, sig_op, pe); } \
  SHMEM_EXPORT(void, PUT##_nbi, (__VA_ARGS__ TYPE* dest, const TYPE* source, size_t nelems, uint64_t* sig_addr, uint64_t signal, int sig_op, int pe)) { put_signal(CTX, dest, source, nelems * BYTES, sig_addr, signal, sig_op, pe); }

#define SHMEM_STRIDED_TYPE(NAME, TYPE, ...) \
  SHMEM_STRIDED(TYPE, sizeof(TYPE), NAME##_iput, NAME##_iget, NAME##_ibput, NAME##_ibget, SHMEM_CTX_DEFAULT) \
  SHMEM_STRIDED(TYPE, sizeof(TYPE), ctx_##NAME##_iput, ctx_##NAME##_iget, ctx_##NAME##_ibput, ctx_##NAME##_ibget, ctx, shmem_ctx_t ctx SHMEM_COMMA) \
  SHMEM_SIGNALLED(TYPE, sizeof(TYPE), NAME##_put_signal, SHMEM_CTX_DEFAULT) \
  SHMEM_SIGNALLED(TYPE, sizeof(TYPE), ctx_##NAME##_put_signal, ctx, shmem_ctx_t ctx SHMEM_COMMA)
SHMEM_RMA_TYPES_(SHMEM_STRIDED_TYPE, )
#define SHMEM_STRIDED_BLOCKS(BITS, BYTES, ...) \
  SHMEM_STRIDED(void, BYTES, iput##BITS, iget##BITS, ibput##BITS, ibget##BITS, SHMEM_CTX_DEFAULT) \
  SHMEM_STRIDED(void, BYTES, ctx_iput##BITS, ctx_iget##BITS, ctx_ibput##BITS, ctx_ibget##BITS, ctx, shmem_ctx_t ctx SHMEM_COMMA) \
  SHMEM_SIGNALLED(void, BYTES, put##BITS##_signal, SHMEM_CTX_DEFAULT) \
  SHMEM_SIGNALLED(void, BYTES, ctx_put##BITS##_signal, ctx, shmem_ctx_t ctx SHMEM_COMMA)
SHMEM_BLOCK_SIZES_(SHMEM_STRIDED_BLOCKS, )
SHMEM_SIGNALLED(void, 1, putmem_signal, SHMEM_CTX_DEFAULT)
SHMEM_SIGNALLED(void, 1, ctx_putmem_signal, ctx, shmem_ctx_t ctx SHMEM_COMMA)
    // clang-format on

    SHMEM_EXPORT(uint64_t, signal_fetch, (const uint64_t* sig_addr)) {
  look_now_and_then();
  return __atomic_load_n(sig_addr, __ATOMIC_ACQUIRE);
}
SHMEM_EXPORT(void, ctx_signal_set, (shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal, int pe)) {
  signal_by(ctx, "shmem_signal_set", sig_addr, signal, SHMEM_SIGNAL_SET, pe);
}
SHMEM_EXPORT(void, ctx_signal_add, (shmem_ctx_t ctx, uint64_t* sig_addr, uint64_t signal, int pe)) {
  signal_by(ctx, "shmem_signal_add", sig_addr, signal, SHMEM_SIGNAL_ADD, pe);
}
SHMEM_EXPORT(void, signal_set, (uint64_t * sig_addr, uint64_t signal, int pe)) {
  pshmem_ctx_signal_set(SHMEM_CTX_DEFAULT, sig_addr, signal, pe);
}
SHMEM_EXPORT(void, signal_add, (uint64_t * sig_addr, uint64_t signal, int pe)) {
  pshmem_ctx_signal_add(SHMEM_CTX_DEFAULT, sig_addr, signal, pe);
}

extern "C" double shmemx_wtime(void) {
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}
