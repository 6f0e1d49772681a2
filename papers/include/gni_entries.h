/* uGNI: what the 64 bits of a completion queue entry say. Included by gni_pub.h.
 *
 *   63 an entry | 59 remote overrun | 58 overrun | 57..53 status | 52..50 source | 49..48 type | 47..0 data
 *
 * The data of an event, by who made it:
 *
 *   a post, at its own side     47..24 which post it was (for GNI_GetCompleted) | 23..0 instance id
 *   a post, at the target       31..0 instance id: all 32 bits of the event data (GNI_CQ_GET_REM_INST_ID)
 *   a CQ write, at the target   47..0 cqwrite_value
 *   a short message, at its own side   31..0 message id
 *
 * Instance ids at the side of the post have 24 bits, as on Aries. The counters of the DLA and the ids of the
 * collective engine are not offered, since these are not. */
#ifndef AQUEDUCT_GNI_ENTRIES_H_
#define AQUEDUCT_GNI_ENTRIES_H_

#include "gni_types.h"

#define GNI_CQ_EVENT_TYPE_POST 0x0ULL
#define GNI_CQ_EVENT_TYPE_SMSG 0x1ULL
#define GNI_CQ_EVENT_TYPE_DMAPP 0x2ULL
#define GNI_CQ_EVENT_TYPE_MSGQ 0x3ULL

/* What GNI_CQ_GET_SOURCE says: which part of the interface made the event. */
#define AQ_GNI_SOURCE_BTE 0u
#define AQ_GNI_SOURCE_FMA 1u
#define AQ_GNI_SOURCE_REMOTE 2u
#define AQ_GNI_SOURCE_CQ 3u /* the queue itself: it was overrun */

/* What GNI_CQ_GET_STATUS says. */
#define AQ_GNI_STATUS_OK 0u
#define AQ_GNI_STATUS_NO_MEMORY \
  1u /* the target knows no such registration, or the address is outside of it */
#define AQ_GNI_STATUS_READ_ONLY 2u  /* the registration is */
#define AQ_GNI_STATUS_NO_QUEUE 3u   /* a remote event was asked for, and the registration has no queue */
#define AQ_GNI_STATUS_PEER_LOST 4u  /* the peer is gone, or the network gave up */
#define AQ_GNI_STATUS_PROTECTION 5u /* the registration is of another communication domain */
#define AQ_GNI_STATUS_BROKEN_OFF 6u /* the data came in part */

#define AQ_GNI_DATA_BITS_ 48
#define AQ_GNI_FIELD_(entry, shift, bits) (((entry) >> (shift)) & ((1ULL << (bits)) - 1))

AQ_INLINE_ void aq_gni_set_field_(gni_cq_entry_t* entry, unsigned shift, unsigned bits, uint64_t value) {
  const uint64_t mask = ((1ULL << bits) - 1) << shift;
  *entry = (*entry & ~mask) | (value << shift & mask);
}

AQ_INLINE_ uint64_t gni_cq_get_data(gni_cq_entry_t entry) { return AQ_GNI_FIELD_(entry, 0, 48); }
AQ_INLINE_ uint64_t gni_cq_get_inst_id(gni_cq_entry_t entry) { return AQ_GNI_FIELD_(entry, 0, 24); }
AQ_INLINE_ uint64_t gni_cq_get_rem_inst_id(gni_cq_entry_t entry) { return AQ_GNI_FIELD_(entry, 0, 32); }
AQ_INLINE_ uint64_t gni_cq_get_msg_id(gni_cq_entry_t entry) { return AQ_GNI_FIELD_(entry, 0, 32); }
AQ_INLINE_ uint64_t gni_cq_get_tid(gni_cq_entry_t entry) { return AQ_GNI_FIELD_(entry, 24, 24); }
AQ_INLINE_ uint64_t gni_cq_get_type(gni_cq_entry_t entry) { return AQ_GNI_FIELD_(entry, 48, 2); }
AQ_INLINE_ uint64_t gni_cq_get_source(gni_cq_entry_t entry) { return AQ_GNI_FIELD_(entry, 50, 3); }
AQ_INLINE_ uint64_t gni_cq_get_status(gni_cq_entry_t entry) { return AQ_GNI_FIELD_(entry, 53, 5); }
AQ_INLINE_ uint64_t gni_cq_get_info(gni_cq_entry_t entry) { return AQ_GNI_FIELD_(entry, 58, 5); }
AQ_INLINE_ uint64_t gni_cq_overrun(gni_cq_entry_t entry) { return AQ_GNI_FIELD_(entry, 58, 1); }
AQ_INLINE_ uint64_t gni_cq_rem_overrun(gni_cq_entry_t entry) { return AQ_GNI_FIELD_(entry, 59, 1); }

AQ_INLINE_ void gni_cq_set_inst_id(gni_cq_entry_t* entry, uint64_t id) {
  aq_gni_set_field_(entry, 0, 24, id);
}
AQ_INLINE_ void gni_cq_set_rem_inst_id(gni_cq_entry_t* entry, uint64_t id) {
  aq_gni_set_field_(entry, 0, 32, id);
}
AQ_INLINE_ void gni_cq_set_msg_id(gni_cq_entry_t* entry, uint64_t id) { aq_gni_set_field_(entry, 0, 32, id); }
AQ_INLINE_ void gni_cq_set_tid(gni_cq_entry_t* entry, uint64_t id) { aq_gni_set_field_(entry, 24, 24, id); }
AQ_INLINE_ void gni_cq_set_type(gni_cq_entry_t* entry, uint64_t type) {
  aq_gni_set_field_(entry, 48, 2, type);
}
AQ_INLINE_ void gni_cq_clr_status(gni_cq_entry_t* entry) { aq_gni_set_field_(entry, 53, 5, 0); }

#define GNI_CQ_GET_DATA gni_cq_get_data
#define GNI_CQ_GET_SOURCE gni_cq_get_source
#define GNI_CQ_GET_STATUS gni_cq_get_status
#define GNI_CQ_GET_INFO gni_cq_get_info
#define GNI_CQ_GET_INST_ID gni_cq_get_inst_id
#define GNI_CQ_GET_REM_INST_ID gni_cq_get_rem_inst_id
#define GNI_CQ_GET_TID gni_cq_get_tid
#define GNI_CQ_GET_MSG_ID gni_cq_get_msg_id
#define GNI_CQ_GET_TYPE gni_cq_get_type
#define GNI_CQ_OVERRUN gni_cq_overrun
#define GNI_CQ_REM_OVERRUN gni_cq_rem_overrun
#define GNI_CQ_STATUS_OK(entry) (gni_cq_get_status(entry) == 0)
#define GNI_CQ_SET_INST_ID(entry, value) gni_cq_set_inst_id(&(entry), value)
#define GNI_CQ_SET_REM_INST_ID(entry, value) gni_cq_set_rem_inst_id(&(entry), value)
#define GNI_CQ_SET_TID(entry, value) gni_cq_set_tid(&(entry), value)
#define GNI_CQ_SET_MSG_ID(entry, value) gni_cq_set_msg_id(&(entry), value)
#define GNI_CQ_SET_TYPE(entry, value) gni_cq_set_type(&(entry), value)
#define GNI_CQ_CLR_STATUS(entry) gni_cq_clr_status(&(entry))

#endif
