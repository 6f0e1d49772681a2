/* From an address of this PE to the same object of another one, in loads and stores.
 *
 * The symmetric memory of a PE is one segment of the library below: the symmetric heap, then the program's
 * static and global variables, which are mapped a second time over the place where the loader had put them.
 * The segments of PEs of the same host are mapped here, so that a put is a store. Everything else goes into
 * the library: other hosts, addresses that are not symmetric, and all operations if they are to be checked
 * (AQUEDUCT_SHMEM_CHECK=1) or the job has a network.
 *
 * The view changes in shmem_init and shmem_finalize only.
 */
#ifndef AQUEDUCT_SHMEM_REACH_H_
#define AQUEDUCT_SHMEM_REACH_H_

#include <string.h>

#include "shmem/types.h"

/* Inlined wherever it is called, and never a function of its own. */
#define SHMEM_ALWAYS_INLINE_ \
  extern __inline __attribute__((__gnu_inline__, __always_inline__, __artificial__))
#define SHMEM_LIKELY_(condition) __builtin_expect(!!(condition), 1)

struct aqshmem_view_ {
  uintptr_t heap_;       /* the first byte here */
  uintptr_t heap_bytes_; /* 0: nothing is to be reached without a call */
  uintptr_t statics_;
  uintptr_t statics_bytes_;
  uintptr_t statics_offset_; /* of the statics in the segment; the heap begins at 0 */
  char* const* segments_;    /* of each PE: where its segment is mapped here, or NULL */
  int pes_;
  int me_;
} __attribute__((__aligned__(64)));

/* A context. `members_` numbers the PEs of its team in the job, NULL for the team of all PEs. */
struct shmem_ctx_ {
  const int* members_;
  struct shmem_team_* team_;
  long options_;
  void* far_; /* what is under way to other hosts */
};

SHMEM_BEGIN_C_
SHMEM_API_ extern struct aqshmem_view_ aqshmem_view_;
SHMEM_END_C_

/* Other PEs write and read symmetric memory: nothing may be kept in registers across an operation. */
#define SHMEM_MEMORY_() __asm__ volatile("" ::: "memory")

/* The object of PE `pe` (of the job) here, or NULL. */
SHMEM_ALWAYS_INLINE_ void* aqshmem_reach_(const void* address, int pe) {
  const struct aqshmem_view_* const view = &aqshmem_view_;
  uintptr_t offset = (uintptr_t)address - view->heap_;
  char* segment;
  if (!SHMEM_LIKELY_(offset < view->heap_bytes_)) {
    offset = (uintptr_t)address - view->statics_;
    if (offset >= view->statics_bytes_) return 0;
    offset += view->statics_offset_;
  }
  if (!SHMEM_LIKELY_((unsigned)pe < (unsigned)view->pes_)) return 0;
  segment = view->segments_[pe];
  if (!SHMEM_LIKELY_(segment != 0)) return 0;
  return segment + offset;
}

/* The number in the job of a PE of a context's team. */
SHMEM_ALWAYS_INLINE_ int aqshmem_world_pe_(shmem_ctx_t ctx, int pe) {
  if (__builtin_constant_p(ctx == SHMEM_CTX_DEFAULT) && ctx == SHMEM_CTX_DEFAULT) return pe;
  return SHMEM_LIKELY_(ctx && !ctx->members_) ? pe : ctx ? ctx->members_[pe] : -1;
}

/* Copies whole elements: one of them by its own instructions. */
SHMEM_ALWAYS_INLINE_ void aqshmem_copy_(void* to, const void* from, size_t nelems, size_t element_bytes) {
  if (__builtin_constant_p(nelems)) {
    memcpy(to, from, nelems * element_bytes);
    return;
  }
  __asm__("" : "+r"(to), "+r"(from)); /* the compiler would warn of sizes in branches that are not taken */
  if (nelems == 1)
    memcpy(to, from, element_bytes);
  else
    memcpy(to, from, nelems * element_bytes);
}

#endif
