/* Memory and values. After gasnetex.h only. */
#ifndef AQUEDUCT_TOOLS_MEMORY_H_
#define AQUEDUCT_TOOLS_MEMORY_H_

#include <stddef.h>
#include <string.h>

#include "aqueduct/detail/attributes.h"
#include "gasnet_fwd.h"

AQ_BEGIN_C_

/* New pages of zeros, at a multiple of the page size; MAP_FAILED if there are none. munmap() gives them back.
 */
AQ_API_ void* gasnett_mmap(uintptr_t nbytes);

AQ_END_C_

/* Copies between areas that do not overlap; ALIGNED: of integers or pointers at their natural alignment. */
#define GASNETT_FAST_ALIGNED_MEMCPY(destination, source, nbytes) \
  ((void)memcpy((destination), (source), (nbytes)))
#define GASNETT_FAST_UNALIGNED_MEMCPY(destination, source, nbytes) \
  ((void)memcpy((destination), (source), (nbytes)))

AQ_INLINE_ gex_RMA_Value_t aq_value_at_(const void* source, size_t nbytes) {
  gex_RMA_Value_t value = 0;
  memcpy(&value, source, nbytes);
  return value;
}

/* Writes the low-order nbytes (1 to 8) of a value; as the last statement of a function, returns such a value.
 */
#define GASNETT_VALUE_ASSIGN(destination, value, nbytes) \
  do {                                                   \
    const gex_RMA_Value_t aq_assigned_ = (value);        \
    memcpy((destination), &aq_assigned_, (nbytes));      \
  } while (0)
#define GASNETT_VALUE_RETURN(source, nbytes) return aq_value_at_((source), (nbytes))

#endif
