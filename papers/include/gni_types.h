/* uGNI: types and constants. Included by gni_pub.h. */
#ifndef AQUEDUCT_GNI_TYPES_H_
#define AQUEDUCT_GNI_TYPES_H_

#include <stdint.h>

#include "aqueduct/detail/attributes.h"
#include "gni_amo.h"

/* What functions return. gni_err_str[] has a text for each. */
typedef enum gni_return {
  GNI_RC_SUCCESS = 0,
  GNI_RC_NOT_DONE,
  GNI_RC_INVALID_PARAM,
  GNI_RC_ERROR_RESOURCE,
  GNI_RC_TIMEOUT,
  GNI_RC_PERMISSION_ERROR,
  GNI_RC_DESCRIPTOR_ERROR,
  GNI_RC_ALIGNMENT_ERROR,
  GNI_RC_INVALID_STATE,
  GNI_RC_NO_MATCH,
  GNI_RC_SIZE_ERROR,
  GNI_RC_TRANSACTION_ERROR,
  GNI_RC_ILLEGAL_OP,
  GNI_RC_ERROR_NOMEM
} gni_return_t;

/* Handles name objects and are no addresses: one that is stale, of another process or garbage is refused. */
typedef struct gni_cdm* gni_cdm_handle_t;
typedef struct gni_nic* gni_nic_handle_t;
typedef struct gni_ep* gni_ep_handle_t;
typedef struct gni_cq* gni_cq_handle_t;
typedef struct gni_msgq* gni_msgq_handle_t;

/* Registered memory. Peers are told its value; whoever has it may reach the memory. */
typedef struct gni_mem_handle {
  uint64_t qword1;
  uint64_t qword2;
} gni_mem_handle_t;

typedef uint64_t gni_cq_entry_t;
typedef uint32_t gni_cq_mode_t;

typedef enum gni_nic_device {
  GNI_DEVICE_GEMINI = 0,
  GNI_DEVICE_ARIES = 1,
  GNI_DEVICE_PISCES = 2,
  GNI_DEVICE_LAST
} gni_nic_device_t;

/* Protection tags: on Aries the driver finds one. */
#define GNI_PTAG_USER_START 3
#define GNI_PTAG_USER_END 253
#define GNI_FIND_ALLOC_PTAG 255

/* --- Modes of a communication domain. */
#define GNI_CDM_MODE_FORK_NOCOPY 0x00000001
#define GNI_CDM_MODE_FORK_FULLCOPY 0x00000002
#define GNI_CDM_MODE_FORK_PARTCOPY 0x00000004
#define GNI_CDM_MODE_ERR_NO_KILL 0x00000008  /* no failed transaction ends the job */
#define GNI_CDM_MODE_ERR_ALL_KILL 0x00000010 /* each does; without both, those that no event can report */
#define GNI_CDM_MODE_FAST_DATAGRAM_POLL 0x00000020
#define GNI_CDM_MODE_BTE_SINGLE_CHANNEL 0x00000040 /* one BTE channel in place of three */
#define GNI_CDM_MODE_USE_PCI_IOMMU 0x00000080
#define GNI_CDM_MODE_MDD_DEDICATED 0x00000100 /* registrations count against the MDDs of the node */
#define GNI_CDM_MODE_MDD_SHARED 0x00000200    /* the default */
#define GNI_CDM_MODE_DUAL_EVENTS 0x00001000   /* posts may ask for LOCAL and GLOBAL events */
#define GNI_CDM_MODE_DLA_ENABLE_FORWARDING 0x00004000
#define GNI_CDM_MODE_DLA_DISABLE_FORWARDING 0x00008000
#define GNI_CDM_MODE_FMA_DEDICATED 0x00010000 /* the default: an FMA descriptor of its own */
#define GNI_CDM_MODE_FMA_SHARED 0x00020000
#define GNI_CDM_MODE_CACHED_AMO_ENABLED 0x00040000
#define GNI_CDM_MODE_CQ_NIC_LOCAL_PLACEMENT 0x00080000
#define GNI_CDM_MODE_FLBTE_DISABLE 0x00100000
#define GNI_CDM_MODE_FMA_SMALL_WINDOW 0x00200000
#define GNI_CDM_MODE_MASK 0x0fffffff

/* --- Datagrams. */
#define GNI_DATAGRAM_MAXSIZE 128

typedef enum gni_post_state {
  GNI_POST_PENDING,
  GNI_POST_COMPLETED,
  GNI_POST_ERROR,
  GNI_POST_TIMEOUT,
  GNI_POST_TERMINATED,
  GNI_POST_REMOTE_DATA
} gni_post_state_t;

/* --- Flags of registered memory. */
#define GNI_MEM_READWRITE 0x00000000
#define GNI_MEM_READ_ONLY 0x00000001 /* to others; it may still be the source of puts */
#define GNI_MEM_USE_VMDH 0x00000002
#define GNI_MEM_USE_GART 0x00000004
#define GNI_MEM_PHYS_CONT 0x00000008
#define GNI_MEM_PHYS_SEGMENTS 0x00000010
#define GNI_MEM_STRICT_PI_ORDERING 0x00000020
#define GNI_MEM_PI_FLUSH 0x00000040
#define GNI_MEM_MDD_CLONE 0x00000080
#define GNI_MEM_RELAXED_PI_ORDERING 0x00000100
#define GNI_MEM_RESERVE_REGION 0x00000200
#define GNI_MEM_UPDATE_REGION 0x00000400
#define GNI_MEM_MDD_SHARED 0x00000800
#define GNI_MEM_MDD_DEDICATED 0x00001000
#define GNI_MEM_CUDA 0x01000000

typedef struct gni_mem_segment {
  uint64_t address;
  uint64_t length;
} gni_mem_segment_t;

/* --- Modes of completion queues. */
#define GNI_CQ_NOBLOCK 0x00000000
#define GNI_CQ_BLOCKING 0x00000001
#define GNI_CQ_PHYS_PAGES 0x00000004
/* Nobody looks: it swallows events, so that their senders see no error. */
#define GNI_CQ_UNMANAGED 0x00000008

/* --- Posts. */
/* Clients fill in values of this type: the last makes room for any garbage, which is then refused. So below.
 */
typedef enum gni_post_type {
  GNI_POST_RDMA_PUT = 1,
  GNI_POST_RDMA_GET,
  GNI_POST_FMA_PUT,
  GNI_POST_FMA_PUT_W_SYNCFLAG,
  GNI_POST_FMA_GET,
  GNI_POST_AMO,
  GNI_POST_CQWRITE,
  GNI_POST_CE,
  GNI_POST_FMA_GET_W_FLAG,
  GNI_POST_AMO_W_FLAG,
  AQ_GNI_POST_WIDEST_ = 0x7fffffff
} gni_post_type_t;

/* Which events a post makes. */
#define GNI_CQMODE_SILENT 0x0000
#define GNI_CQMODE_LOCAL_EVENT 0x0001  /* the local buffer is the user's again */
#define GNI_CQMODE_GLOBAL_EVENT 0x0002 /* the data can be seen at the target, or has come from there */
#define GNI_CQMODE_REMOTE_EVENT 0x0004 /* in the queue of the target's registration */
#define GNI_CQMODE_DUAL_EVENTS (GNI_CQMODE_LOCAL_EVENT | GNI_CQMODE_GLOBAL_EVENT)

/* How packets find their way. All but IN_ORDER are without order, between posts and within one. */
#define GNI_DLVMODE_PERFORMANCE 0x0000
#define GNI_DLVMODE_NO_ADAPT 0x0001
#define GNI_DLVMODE_NO_HASH 0x0002
#define GNI_DLVMODE_NO_RADAPT 0x0004
#define GNI_DLVMODE_IN_ORDER (GNI_DLVMODE_NO_ADAPT | GNI_DLVMODE_NO_HASH)
#define GNI_DLVMODE_MNON_HASH GNI_DLVMODE_IN_ORDER
#define GNI_DLVMODE_NMIN_HASH 0x0008
#define GNI_DLVMODE_MIN_HASH 0x0010
#define GNI_DLVMODE_ADAPTIVE0 GNI_DLVMODE_PERFORMANCE
#define GNI_DLVMODE_ADAPTIVE1 0x0020
#define GNI_DLVMODE_ADAPTIVE2 0x0040
#define GNI_DLVMODE_ADAPTIVE3 0x0080
#define GNI_DLVMODE_ORDERED_TAIL 0x0100

/* rdma_mode. */
#define GNI_RDMAMODE_PHYS_ADDR 0x0001 /* for the kernel: refused */
#define GNI_RDMAMODE_FENCE 0x0002 /* later RDMA posts wait until this one and all before it are answered */
#define GNI_RDMAMODE_GETWC_DIS 0x0004

/* What a post is to do. It stays where it is, and its buffers too, until its last event was taken. */
typedef struct gni_post_descriptor {
  void* next_descr; /* of a chain: the next gni_ct_..._post_descriptor_t */
  void* prev_descr;
  uint64_t post_id;          /* the user's */
  uint64_t status;           /* written when an event is taken: a gni_return_t */
  uint16_t cq_mode_complete; /* written likewise: which event it was */
  gni_post_type_t type;
  uint16_t cq_mode;
  uint16_t dlvr_mode;
  uint64_t local_addr;
  gni_mem_handle_t local_mem_hndl;
  uint64_t remote_addr;
  gni_mem_handle_t remote_mem_hndl;
  uint64_t length;
  uint16_t rdma_mode;
  gni_cq_handle_t src_cq_hndl; /* of RDMA: in place of the endpoint's; NULL: the endpoint's */
  uint64_t sync_flag_value;
  uint64_t sync_flag_addr;
  gni_fma_cmd_type_t amo_cmd;
  uint64_t first_operand;
  uint64_t second_operand;
  uint64_t cqwrite_value; /* of which the lower 48 bits travel */
  uint32_t ce_cmd; /* of the collective engine, which is not offered: GNI_POST_CE is GNI_RC_ILLEGAL_OP */
  uint32_t ce_mode;
  uint64_t ce_red_id;
} gni_post_descriptor_t;

/* Further parts of a chain, hung to next_descr of the first one: all of the type of the first. */
typedef struct gni_ct_put_post_descriptor {
  void* next_descr;
  gni_ep_handle_t ep_hndl;
  uint64_t remote_addr;
  gni_mem_handle_t remote_mem_hndl;
  uint64_t local_addr;
  uint64_t length;
} gni_ct_put_post_descriptor_t;

typedef struct gni_ct_get_post_descriptor {
  void* next_descr;
  gni_ep_handle_t ep_hndl;
  uint64_t remote_addr;
  gni_mem_handle_t remote_mem_hndl;
  uint64_t local_addr;
  gni_mem_handle_t local_mem_hndl;
  uint64_t length;
} gni_ct_get_post_descriptor_t;

typedef struct gni_ct_cqw_post_descriptor {
  void* next_descr;
  gni_ep_handle_t ep_hndl;
  gni_mem_handle_t remote_mem_hndl;
  uint64_t cqwrite_value;
} gni_ct_cqw_post_descriptor_t;

/* --- Short messages. */
#define GNI_SMSG_MAX_SIZE 65535
#define GNI_SMSG_ANY_TAG 0xFF
#define FMA_SMSG_MAX_RETRANS_DEFAULT 10

typedef enum gni_smsg_type {
  GNI_SMSG_TYPE_INVALID = 0,
  GNI_SMSG_TYPE_MBOX,
  GNI_SMSG_TYPE_MBOX_AUTO_RETRANSMIT,
  AQ_GNI_SMSG_TYPE_WIDEST_ = 0x7fffffff
} gni_smsg_type_t;

typedef struct gni_smsg_attr {
  gni_smsg_type_t msg_type;
  void* msg_buffer; /* registered as mem_hndl, by one process */
  uint32_t buff_size;
  gni_mem_handle_t mem_hndl;
  uint32_t mbox_offset; /* of the pair's mailbox in it */
  uint16_t mbox_maxcredit;
  uint32_t msg_maxsize; /* header and data */
} gni_smsg_attr_t;

/* --- Shared message queues. */
#define GNI_MSGQ_MSG_SZ_MAX 128
#define GNI_MSGQ_NODE_INSTS_MAX 48
#define GNI_MSGQ_MODE_BLOCKING 0x01

/* Returns nonzero to be called for the next message as well. */
typedef int gni_msgq_rcv_cb_func(uint32_t snd_id, uint32_t snd_pe, void* msg, uint8_t msg_tag, void* cb_data);

typedef struct gni_msgq_attr {
  uint32_t max_msg_sz;
  uint32_t smsg_q_sz; /* messages under way to one node */
  uint32_t rcv_pool_sz;
  uint32_t num_msgq_eps; /* nodes that it may be connected to */
  uint32_t nloc_insts;
  uint8_t modes;
  uint32_t rcv_cq_sz;
} gni_msgq_attr_t;

typedef struct gni_msgq_rem_inst {
  uint32_t id;
  gni_mem_handle_t mdh;
  uint64_t mdh_off;
} gni_msgq_rem_inst_t;

typedef struct gni_msgq_ep_attr {
  uint32_t pe_addr;
  uint32_t max_msg_sz;
  uint32_t smsg_q_sz;
  uint32_t num_insts;
  gni_msgq_rem_inst_t insts[GNI_MSGQ_NODE_INSTS_MAX];
} gni_msgq_ep_attr_t;

#endif
