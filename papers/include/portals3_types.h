/* Portals 3.3: types and constants. Included by portals3.h. */
#ifndef AQUEDUCT_PORTALS3_TYPES_H_
#define AQUEDUCT_PORTALS3_TYPES_H_

#include <stddef.h>
#include <stdint.h>

#include "portals3_codes.h"

typedef uint64_t ptl_size_t;
typedef uint64_t ptl_match_bits_t;
typedef uint64_t ptl_hdr_data_t;
typedef uint32_t ptl_pt_index_t;
typedef uint32_t ptl_ac_index_t;
typedef uint32_t ptl_interface_t;
typedef uint32_t ptl_nid_t;
typedef uint32_t ptl_pid_t;
typedef uint32_t ptl_uid_t;
typedef uint32_t ptl_jid_t;
typedef uint32_t ptl_sr_index_t;
typedef uint64_t ptl_sr_value_t;
typedef uint32_t ptl_time_t; /* milliseconds */
typedef uint32_t ptl_seq_t;
typedef uint32_t ptl_ni_fail_t;

/* A handle names an object of one interface of one process, and that object only: after the object's end the
 * handle is refused. */
typedef uint32_t ptl_handle_any_t;
typedef ptl_handle_any_t ptl_handle_ni_t;
typedef ptl_handle_any_t ptl_handle_me_t;
typedef ptl_handle_any_t ptl_handle_md_t;
typedef ptl_handle_any_t ptl_handle_eq_t;

#define PTL_INVALID_HANDLE ((ptl_handle_any_t)0xffffffffu)
#define PTL_HANDLE_NONE ((ptl_handle_any_t)0x7fffffffu)
#define PTL_EQ_NONE ((ptl_handle_eq_t)0xbfffffffu)

#define PTL_NID_ANY ((ptl_nid_t)0xffffffffu)
#define PTL_PID_ANY ((ptl_pid_t)0xffffffffu)
#define PTL_UID_ANY ((ptl_uid_t)0xffffffffu)
#define PTL_JID_ANY ((ptl_jid_t)0xffffffffu)
#define PTL_PT_INDEX_ANY ((ptl_pt_index_t)0xffffffffu)
#define PTL_TIME_FOREVER ((ptl_time_t)0xffffffffu)

/* The interface of the node, by whatever bridge the process is meant to use; the XT's names say which one. */
#define PTL_IFACE_DEFAULT ((ptl_interface_t)0xffffffffu)
#define PTL_IFACE_SS 0u     /* the SeaStar */
#define PTL_BRIDGE_QK 1u    /* a process on the light-weight kernel: a cheap trap, contiguous memory */
#define PTL_BRIDGE_UK 2u    /* a process on Linux: pinned pages */
#define PTL_BRIDGE_K 3u     /* a client inside the Linux kernel */
#define PTL_BRIDGE_ACCEL 4u /* a process that matches on the network interface */
#define IFACE_FROM_BRIDGE_AND_NALID(bridge, nalid) ((ptl_interface_t)(((bridge) << 16) | (nalid)))
#define CRAY_QK_NAL IFACE_FROM_BRIDGE_AND_NALID(PTL_BRIDGE_QK, PTL_IFACE_SS)
#define CRAY_UK_NAL IFACE_FROM_BRIDGE_AND_NALID(PTL_BRIDGE_UK, PTL_IFACE_SS)
#define CRAY_K_NAL IFACE_FROM_BRIDGE_AND_NALID(PTL_BRIDGE_K, PTL_IFACE_SS)
#define CRAY_ACCEL IFACE_FROM_BRIDGE_AND_NALID(PTL_BRIDGE_ACCEL, PTL_IFACE_SS)

/* The most bytes one operation may move. */
#define PTL_MAX_TRANS_SZ ((ptl_size_t)0x80000000u)

typedef struct {
  ptl_nid_t nid;
  ptl_pid_t pid;
} ptl_process_id_t;

typedef enum { PTL_RETAIN = 0, PTL_UNLINK = 1 } ptl_unlink_t;
typedef enum { PTL_INS_BEFORE = 0, PTL_INS_AFTER = 1 } ptl_ins_pos_t;
typedef enum { PTL_ACK_REQ = 0, PTL_NO_ACK_REQ = 1, PTL_NOACK_REQ = PTL_NO_ACK_REQ } ptl_ack_req_t;

typedef struct {
  int max_mes;
  int max_mds;
  int max_eqs;
  int max_ac_index;
  int max_pt_index;
  int max_md_iovecs;
  int max_me_list;
  int max_getput_md;
} ptl_ni_limits_t;

/* Options of a memory descriptor. */
#define PTL_MD_OP_PUT 0x001u              /* takes puts */
#define PTL_MD_OP_GET 0x002u              /* answers gets; both for getput */
#define PTL_MD_MANAGE_REMOTE 0x004u       /* the initiator's offset counts; else ours, which moves on */
#define PTL_MD_TRUNCATE 0x008u            /* takes the part that fits; else what does not fit is refused */
#define PTL_MD_ACK_DISABLE 0x010u         /* acknowledges nothing */
#define PTL_MD_IOVEC 0x020u               /* start is an array of ptl_md_iovec_t, length counts them */
#define PTL_MD_MAX_SIZE 0x040u            /* inactive when less than max_size is free behind our offset */
#define PTL_MD_EVENT_START_DISABLE 0x080u /* no *_START events */
#define PTL_MD_EVENT_END_DISABLE 0x100u   /* no *_END events */
/* Accepted for programs of the XT; unlink_op alone decides here. */
#define PTL_MD_FLAG_AUTO_UNLINK 0x200u
#define PTL_MD_EVENT_AUTO_UNLINK_ENABLE 0x400u
/* Additions: an event SEND_START and SEND_END for gets too, as the XT had it. */
#define PTL_MD_EVENT_SEND_FOR_GET 0x10000u

#define PTL_MD_THRESH_INF (-1)

typedef struct {
  void* iov_base;
  ptl_size_t iov_len;
} ptl_md_iovec_t;

typedef struct {
  void* start;
  ptl_size_t length;
  int threshold;
  ptl_size_t max_size;
  unsigned int options;
  void* user_ptr;
  ptl_handle_eq_t eq_handle;
} ptl_md_t;

typedef struct {
  ptl_event_kind_t type;
  ptl_process_id_t initiator;
  ptl_uid_t uid;
  ptl_jid_t jid;
  ptl_pt_index_t pt_index;
  ptl_match_bits_t match_bits;
  ptl_size_t rlength; /* asked for */
  ptl_size_t mlength; /* moved */
  ptl_size_t offset;  /* in the descriptor the event is about */
  ptl_handle_md_t md_handle;
  ptl_md_t md; /* as it was just after the operation was accepted or begun */
  ptl_hdr_data_t hdr_data;
  ptl_seq_t link; /* the sequence of the START event; of the last event, for UNLINK */
  ptl_ni_fail_t ni_fail_type;
  volatile ptl_seq_t sequence; /* counts the events of the queue */
} ptl_event_t;

typedef void (*ptl_eq_handler_t)(ptl_event_t* event);
#define PTL_EQ_HANDLER_NONE ((ptl_eq_handler_t)NULL)

#endif
