/* Put and get of small integers, without a buffer: the low-order `nbytes` bytes (1 to 8) of a value.
 *
 * Otherwise as rma.h. A size out of range ends the job. gex_RMA_GetBlockingVal fills the upper bytes with
 * zeros.
 */
#ifndef AQUEDUCT_RMA_VALUE_H_
#define AQUEDUCT_RMA_VALUE_H_

#include "aqueduct/attributes.h"
#include "aqueduct/reach.h"
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

AQ_ALWAYS_INLINE_ int gex_RMA_PutBlockingVal(gex_TM_t tm, gex_Rank_t rank, void* destination,
                                             gex_RMA_Value_t value, size_t nbytes, gex_Flags_t flags) {
  void* to;
  if (!AQ_LIKELY_(aq_reach_value_(tm, rank, destination, nbytes, flags, &to)))
    return aq_put_blocking_val_(tm, rank, destination, value, nbytes, flags);
  aq_copy_word_(to, &value, nbytes);
  return 0;
}

AQ_ALWAYS_INLINE_ gex_Event_t gex_RMA_PutNBVal(gex_TM_t tm, gex_Rank_t rank, void* destination,
                                               gex_RMA_Value_t value, size_t nbytes, gex_Flags_t flags) {
  void* to;
  if (!AQ_LIKELY_(aq_reach_value_(tm, rank, destination, nbytes, flags, &to)))
    return aq_put_nb_val_(tm, rank, destination, value, nbytes, flags);
  aq_copy_word_(to, &value, nbytes);
  return GEX_EVENT_INVALID;
}

AQ_ALWAYS_INLINE_ int gex_RMA_PutNBIVal(gex_TM_t tm, gex_Rank_t rank, void* destination,
                                        gex_RMA_Value_t value, size_t nbytes, gex_Flags_t flags) {
  void* to;
  if (!AQ_LIKELY_(aq_reach_value_(tm, rank, destination, nbytes, flags, &to)))
    return aq_put_nbi_val_(tm, rank, destination, value, nbytes, flags);
  aq_copy_word_(to, &value, nbytes);
  return 0;
}

AQ_ALWAYS_INLINE_ gex_RMA_Value_t gex_RMA_GetBlockingVal(gex_TM_t tm, gex_Rank_t rank, void* source,
                                                         size_t nbytes, gex_Flags_t flags) {
  gex_RMA_Value_t value = 0;
  void* from;
  if (!AQ_LIKELY_(aq_reach_value_(tm, rank, source, nbytes, flags, &from)))
    return aq_get_blocking_val_(tm, rank, source, nbytes, flags);
  aq_copy_word_(&value, from, nbytes);
  return value;
}

#endif
