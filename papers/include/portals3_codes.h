/* Portals 3.3: what calls return, what events say, and what an interface counts. Included by portals3.h. */
#ifndef AQUEDUCT_PORTALS3_CODES_H_
#define AQUEDUCT_PORTALS3_CODES_H_

#include "aqueduct/detail/attributes.h"

/* What functions return. */
enum {
  PTL_OK = 0,
  PTL_AC_INDEX_INVALID,
  PTL_EQ_DROPPED, /* an event was returned, and at least one before it was lost */
  PTL_EQ_EMPTY,
  PTL_EQ_INVALID,
  PTL_FAIL,
  PTL_HANDLE_INVALID,
  PTL_IFACE_INVALID,
  PTL_MD_ILLEGAL,
  PTL_MD_INVALID,
  PTL_MD_IN_USE,
  PTL_MD_NO_UPDATE,
  PTL_ME_INVALID,
  PTL_ME_IN_USE,
  PTL_ME_LIST_TOO_LONG,
  PTL_NI_INVALID,
  PTL_NO_INIT,
  PTL_NO_SPACE,
  PTL_PID_INVALID,
  PTL_PROCESS_INVALID,
  PTL_PT_FULL,
  PTL_PT_INDEX_INVALID,
  PTL_SEGV,
  PTL_SR_INDEX_INVALID,
  PTL_UNKNOWN_ERROR,
  /* Names of the XT's implementation. */
  PTL_IFACE_DUP,  /* not returned here: PtlNIInit counts and returns PTL_OK */
  PTL_EQ_IN_USE,  /* PtlEQFree: a memory descriptor still names the queue */
  PTL_VAL_FAILED, /* the memory of a descriptor could not be registered */
  PTL_MAX_ERRNO
};

/* Kinds of events. */
typedef enum {
  PTL_EVENT_GET_START = 0,
  PTL_EVENT_GET_END,
  PTL_EVENT_PUT_START,
  PTL_EVENT_PUT_END,
  PTL_EVENT_GETPUT_START,
  PTL_EVENT_GETPUT_END,
  PTL_EVENT_REPLY_START,
  PTL_EVENT_REPLY_END,
  PTL_EVENT_SEND_START,
  PTL_EVENT_SEND_END,
  PTL_EVENT_ACK,
  PTL_EVENT_UNLINK
} ptl_event_kind_t;

/* Why an operation failed: ni_fail_type of its END event. */
enum {
  PTL_NI_OK = 0,
  PTL_NI_FAIL = 1,          /* simulated by PtlFailNid, or the interface gave up for a reason of its own */
  PTL_NI_UNDELIVERABLE = 2, /* the target is dead or cannot be reached */
  PTL_NI_INCOMPLETE = 3     /* the message broke off: its sender died or the link failed on the way */
};

/* Status registers: PTL_SR_DROP_COUNT is the standard's, the others are additions. All count from PtlNIInit,
 * except the two that say "node", which belong to all interfaces of the node. */
enum {
  PTL_SR_DROP_COUNT = 0,      /* requests refused: no entry matched, access denied, index out of range */
  PTL_SR_DROP_LENGTH,         /* bytes of those */
  PTL_SR_RECV_COUNT,          /* requests accepted */
  PTL_SR_RECV_LENGTH,         /* bytes accepted or read by them */
  PTL_SR_SEND_COUNT,          /* requests sent */
  PTL_SR_SEND_LENGTH,         /* bytes of the puts among them */
  PTL_SR_DENIED_COUNT,        /* drops by the access control table */
  PTL_SR_LATE_COUNT,          /* acknowledgements and replies for a descriptor that is gone or inactive */
  PTL_SR_FAIL_COUNT,          /* operations that ended with ni_fail_type != PTL_NI_OK, event or not */
  PTL_SR_UNDELIVERABLE_COUNT, /* messages of any kind that did not reach their target */
  PTL_SR_EVENT_LOST_COUNT,    /* events overwritten because their queue was full */
  PTL_SR_PEER_LOST_COUNT,     /* nodes that are gone for good, as far as the network has noticed */
  PTL_SR_MALFORMED_COUNT,     /* node: headers that make no sense */
  PTL_SR_STRAY_COUNT,         /* node: messages for a process that is not there */
  PTL_SR_COUNT
};

AQ_BEGIN_C_

/* Texts for return codes (0 .. PTL_MAX_ERRNO) and kinds of events. */
AQ_API_DATA_ const char* const ptl_err_str[PTL_MAX_ERRNO + 1];
AQ_API_DATA_ const char* const ptl_event_str[PTL_EVENT_UNLINK + 1];

AQ_END_C_

#endif
