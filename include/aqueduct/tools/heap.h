/* An allocator that checks: each block lies between marks that are looked at when it is freed, and is known
 * by where it was allocated. Damage, a pointer that is not a live block, and a second free are fatal, with
 * both places.
 *
 *   void *gasnett_debug_malloc(size), _calloc(count, size), _realloc(block, size)
 *   char *gasnett_debug_strdup(text), _strndup(text, most)
 *   void  gasnett_debug_free(block)
 *   void  gasnett_debug_memcheck(block)
 *   void  gasnett_debug_memcheck_one()    one block, another each time
 *   void  gasnett_debug_memcheck_all()
 *   void  gasnett_getheapstats(gasnett_heapstats_t *)
 *   int   gasnett_heapinfo_dump(file_name, with_blocks)
 *                                         the statistics, and the live blocks; "stdout", "stderr" and "-" name
 *                                         the streams
 *
 * Running out of memory is fatal. Any thread. Environment: GASNET_MALLOC_INIT=1 (fill new blocks),
 * GASNET_MALLOC_CLOBBER=1 (fill freed ones), GASNET_MALLOC_INITVAL and _CLOBBERVAL (with what: a byte, a
 * number of 64 bits, NAN, sNAN or qNAN; NAN at first), GASNET_MALLOC_LEAKALL=1 (never give memory back),
 * GASNET_MALLOC_SCANFREED=1 (both, and memcheck looks for writes into freed blocks),
 * GASNET_MALLOC_EXTRACHECK=1 (every call looks at another block).
 */
#ifndef AQUEDUCT_TOOLS_HEAP_H_
#define AQUEDUCT_TOOLS_HEAP_H_

#include <stddef.h>
#include <stdint.h>

#include "aqueduct/detail/attributes.h"
#include "gasnet_config.h"

typedef struct {
  uint64_t allocated_bytes; /* in all, ever; without the marks */
  uint64_t freed_bytes;
  uint64_t live_bytes; /* now */
  uint64_t live_bytes_max;
  uint64_t allocated_objects;
  uint64_t freed_objects;
  uint64_t live_objects;
  uint64_t live_objects_max;
  uint64_t overhead_bytes; /* of marks, for the live objects */
} gasnett_heapstats_t;

AQ_BEGIN_C_

/* `here` is text that stays valid: the place of the call. */
AQ_API_ void* aq_debug_malloc_(size_t size, const char* here);
AQ_API_ void* aq_debug_calloc_(size_t count, size_t size, const char* here);
AQ_API_ void* aq_debug_realloc_(void* block, size_t size, const char* here);
AQ_API_ char* aq_debug_strndup_(const char* text, size_t most, const char* here);
AQ_API_ void aq_debug_free_(void* block, const char* here);
AQ_API_ void aq_debug_memcheck_(const void* block, const char* here);
AQ_API_ void aq_debug_memcheck_one_(const char* here);
AQ_API_ void aq_debug_memcheck_all_(const char* here);
AQ_API_ void gasnett_getheapstats(gasnett_heapstats_t* stats);
AQ_API_ int gasnett_heapinfo_dump(const char* file_name, int with_blocks);

AQ_END_C_

/* Says to debug clients that the allocator is there, though it always is. */
#if defined(GASNET_DEBUG) && !defined(GASNET_DEBUGMALLOC)
#define GASNET_DEBUGMALLOC 1
#endif

#define AQ_HEAP_HERE_ __FILE__ ":" AQ_TEXT_(__LINE__)
#define gasnett_debug_malloc(size) aq_debug_malloc_((size), AQ_HEAP_HERE_)
#define gasnett_debug_calloc(count, size) aq_debug_calloc_((count), (size), AQ_HEAP_HERE_)
#define gasnett_debug_realloc(block, size) aq_debug_realloc_((block), (size), AQ_HEAP_HERE_)
#define gasnett_debug_strdup(text) aq_debug_strndup_((text), SIZE_MAX, AQ_HEAP_HERE_)
#define gasnett_debug_strndup(text, most) aq_debug_strndup_((text), (most), AQ_HEAP_HERE_)
#define gasnett_debug_free(block) aq_debug_free_((block), AQ_HEAP_HERE_)
#define gasnett_debug_memcheck(block) aq_debug_memcheck_((block), AQ_HEAP_HERE_)
#define gasnett_debug_memcheck_one() aq_debug_memcheck_one_(AQ_HEAP_HERE_)
#define gasnett_debug_memcheck_all() aq_debug_memcheck_all_(AQ_HEAP_HERE_)

#endif
