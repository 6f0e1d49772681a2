/* The start and the end, who is here, and memory. */
#ifndef AQUEDUCT_SHMEM_JOB_H_
#define AQUEDUCT_SHMEM_JOB_H_

#include "shmem/types.h"

SHMEM_BEGIN_C_

/* Starts the library: collective over all PEs. May be called again: the last of as many shmem_finalize ends
 * it. A program that no launcher has started is one PE. shmem_init_thread returns 0, and in *provided what
 * was asked for: all levels are supported. */
SHMEM_API_ void shmem_init(void);
SHMEM_API_ int shmem_init_thread(int requested, int* provided);
SHMEM_API_ void shmem_query_thread(int* provided);
SHMEM_API_ int shmem_initialized(void);
SHMEM_API_ int shmem_finalized(void);

/* Completes all communication of all PEs and frees the symmetric heap: collective. Static and global
 * variables keep their values. Called by itself if the program ends with code 0 without it. */
SHMEM_API_ void shmem_finalize(void);
/* Ends the whole job. Any PE. */
SHMEM_API_ void shmem_global_exit(int status) __attribute__((__noreturn__));

SHMEM_API_ int shmem_my_pe(void);
SHMEM_API_ int shmem_n_pes(void);
SHMEM_API_ int shmem_pe_accessible(int pe);
SHMEM_API_ int shmem_addr_accessible(const void* address, int pe);
/* The object of another PE of this host, to be loaded from and stored to; NULL for other hosts and for what
 * is not symmetric. */
SHMEM_API_ void* shmem_ptr(const void* dest, int pe);
SHMEM_API_ void* shmem_team_ptr(shmem_team_t team, const void* dest, int pe);

SHMEM_API_ void shmem_info_get_version(int* major, int* minor);
SHMEM_API_ void shmem_info_get_name(char* name);
SHMEM_API_ void shmem_pcontrol(int level, ...);

/* The symmetric heap (SHMEM_SYMMETRIC_SIZE): collective, with equal arguments on all PEs; they end with a
 * barrier if they do anything. NULL for 0 bytes and if there is no room. */
SHMEM_API_ void* shmem_malloc(size_t size);
SHMEM_API_ void* shmem_calloc(size_t count, size_t size);
SHMEM_API_ void* shmem_align(size_t alignment, size_t size);
SHMEM_API_ void* shmem_malloc_with_hints(size_t size, long hints);
SHMEM_API_ void* shmem_realloc(void* ptr, size_t size);
SHMEM_API_ void shmem_free(void* ptr);

/* Deprecated names. */
SHMEM_API_ void start_pes(int npes);
SHMEM_API_ int _my_pe(void);
SHMEM_API_ int _num_pes(void);
SHMEM_API_ int my_pe(void);
SHMEM_API_ int num_pes(void);
SHMEM_API_ void* shmalloc(size_t size);
SHMEM_API_ void shfree(void* ptr);
SHMEM_API_ void* shrealloc(void* ptr, size_t size);
SHMEM_API_ void* shmemalign(size_t alignment, size_t size);
SHMEM_API_ void shmem_clear_cache_inv(void);
SHMEM_API_ void shmem_set_cache_inv(void);
SHMEM_API_ void shmem_clear_cache_line_inv(void* dest);
SHMEM_API_ void shmem_set_cache_line_inv(void* dest);
SHMEM_API_ void shmem_udcflush(void);
SHMEM_API_ void shmem_udcflush_line(void* dest);

SHMEM_END_C_

#endif
