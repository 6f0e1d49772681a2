/* Put and get of small integers, without a buffer: the low-order `nbytes` bytes (1 to 8) of a value.
 *
 * Otherwise as rma.h. A size out of range ends the job. gex_RMA_GetBlockingVal fills the upper bytes with
 * zeros.
 */
#ifndef AQUEDUCT_RMA_VALUE_H_
#define AQUEDUCT_RMA_VALUE_H_

#include "aqueduct/detail/attributes.h"
#include "aqueduct/detail/copy.h"
#include "aqueduct/detail/reach.h"
#include "aqueduct/rma.h"
#include "gasnet_fwd.h"

AQ_BEGIN_C_

AQ_API_ int aq_put_blocking_val_(gex_TM_t tm, gex_Rank_t rank, void* destination, gex_RMA_Value_t value,
                                 size_t nbytes, gex_Flags_t flags);
AQ_API_ gex_Event_t aq_put_nb_val_(gex_TM_t tm, gex_Rank_t rank, void* destination, gex_RMA_Value_t value,
                                   size_t nbytes, gex_Flags_t flags);
AQ_API_ int aq_put_nbi_val_(gex_TM_t tm, gex_Rank_t rank, void* destination, gex_RMA_Value_t value,
                            size_t nbytes, gex_Flags_t flags);
AQ_API_ gex_RMA_Value_t aq_get_blocking_val_(gex_TM_t tm, gex_Rank_t rank, void* source, size_t nbytes,
                                             gex_Flags_t flags);

AQ_END_C_

/* As aq_reach_, for a value; not for a size out of range, which the library then reports. */
AQ_ALWAYS_INLINE_ int aq_reach_value_(gex_TM_t tm, gex_Rank_t rank, void* address, size_t nbytes,
                                      gex_Flags_t flags, void** here) {
  return aq_may_reach_(flags) && nbytes - 1 < sizeof(gex_RMA_Value_t) &&
         aq_reach_(tm, rank, address, nbytes, here);
}

/* Values of the usual sizes are stored and loaded by one instruction each, from and to a register: through a
 * variable in memory the value would be read wider than it was written, which processors wait for. */
AQ_ALWAYS_INLINE_ void aq_store_value_(void* to, gex_RMA_Value_t value, size_t nbytes) {
  if (nbytes <= 2) {
    const uint16_t low = (uint16_t)value;
    if (nbytes == 2)
      memcpy(to, &low, 2);
    else
      *(uint8_t*)to = (uint8_t)value;
  } else if (nbytes == 8) {
    const uint64_t all = value;
    memcpy(to, &all, 8);
  } else if (nbytes == 4) {
    const uint32_t low = (uint32_t)value;
    memcpy(to, &low, 4);
  } else {
    const gex_RMA_Value_t in_memory = value;
    aq_copy_word_(to, &in_memory, nbytes);
  }
}

AQ_ALWAYS_INLINE_ gex_RMA_Value_t aq_load_value_(const void* from, size_t nbytes) {
  if (nbytes <= 2) {
    uint16_t low;
    if (nbytes == 1) return *(const uint8_t*)from;
    memcpy(&low, from, 2);
    return low;
  }
  if (nbytes == 8) {
    uint64_t all;
    memcpy(&all, from, 8);
    return (gex_RMA_Value_t)all;
  }
  if (nbytes == 4) {
    uint32_t low;
    memcpy(&low, from, 4);
    return low;
  }
  {
    gex_RMA_Value_t in_memory = 0;
    aq_copy_word_(&in_memory, from, nbytes);
    return in_memory;
  }
}

AQ_ALWAYS_INLINE_ int gex_RMA_PutBlockingVal(gex_TM_t tm, gex_Rank_t rank, void* destination,
                                             gex_RMA_Value_t value, size_t nbytes, gex_Flags_t flags) {
  void* to;
  if (!AQ_LIKELY_(aq_reach_value_(tm, rank, destination, nbytes, flags, &to)))
    return aq_put_blocking_val_(tm, rank, destination, value, nbytes, flags);
  aq_store_value_(to, value, nbytes);
  return 0;
}

AQ_ALWAYS_INLINE_ gex_Event_t gex_RMA_PutNBVal(gex_TM_t tm, gex_Rank_t rank, void* destination,
                                               gex_RMA_Value_t value, size_t nbytes, gex_Flags_t flags) {
  void* to;
  if (!AQ_LIKELY_(aq_reach_value_(tm, rank, destination, nbytes, flags, &to)))
    return aq_put_nb_val_(tm, rank, destination, value, nbytes, flags);
  aq_store_value_(to, value, nbytes);
  return GEX_EVENT_INVALID;
}

AQ_ALWAYS_INLINE_ int gex_RMA_PutNBIVal(gex_TM_t tm, gex_Rank_t rank, void* destination,
                                        gex_RMA_Value_t value, size_t nbytes, gex_Flags_t flags) {
  void* to;
  if (!AQ_LIKELY_(aq_reach_value_(tm, rank, destination, nbytes, flags, &to)))
    return aq_put_nbi_val_(tm, rank, destination, value, nbytes, flags);
  aq_store_value_(to, value, nbytes);
  return 0;
}

AQ_ALWAYS_INLINE_ gex_RMA_Value_t gex_RMA_GetBlockingVal(gex_TM_t tm, gex_Rank_t rank, void* source,
                                                         size_t nbytes, gex_Flags_t flags) {
  void* from;
  if (!AQ_LIKELY_(aq_reach_value_(tm, rank, source, nbytes, flags, &from)))
    return aq_get_blocking_val_(tm, rank, source, nbytes, flags);
  return aq_load_value_(from, nbytes);
}

#endif
