/* VELO: the small messages of EXTOLL (virtualized engine for low overhead), version 2 of the interface.
 *
 * A process opens a port, which gives it a virtual process id (VPID) at its node, and a mailbox: a ring of
 * slots of 64 bytes. Others connect to (node, VPID) and send messages of up to VELO2_MAX_MSG_SIZE bytes, each
 * with a tag of 8 bits and a message type of 2. A connection is an address and nothing else.
 *
 * Slots: one holds up to 56 bytes of a message and, in its last 8 bytes, a status word that is written last;
 * the bytes lie right below it, rounded up to whole quadwords. A longer message takes several slots.
 *
 * Order: messages from one port to another arrive in the order in which they were sent, each once.
 *
 * Flow control: velo2_send never waits. Without a credit for its target it returns VELO2_RET_TRY_AGAIN, and
 * nothing was sent. Credits come back when messages are in the mailbox of their target; slots are free again
 * when the target has received what was in them and written its read pointer back (commit). velo2_recv and
 * velo2_probe_recv see to that by themselves. A process that takes messages with velo2_recv_complete must
 * call velo2_recv_commit every now and then: if it forgets, its mailbox fills, its senders are pushed back
 * with TRY_AGAIN, and nothing is lost.
 *
 * Threads: any thread may call anything; each call is atomic.
 *
 * Bad input: a port or connection that is closed, of another process or garbage is VELO2_RET_ERROR, and so is
 * a null pointer where a result belongs (but for those that are said to be optional).
 *
 * Nodes: the id of a node is the rank of its process in the job. docs/extoll.md says how everything is
 * settled that the sources at hand leave open.
 */
#ifndef AQUEDUCT_VELO2_H_
#define AQUEDUCT_VELO2_H_

#include <stdint.h>

#include "aqueduct/detail/attributes.h"

AQ_BEGIN_C_

typedef enum velo2_ret {
  VELO2_RET_SUCCESS = 0,
  VELO2_RET_ERROR,        /* bad handle or pointer; no port is left; the peer is gone */
  VELO2_RET_NO_MSG,       /* there is no message */
  VELO2_RET_NO_MATCH,     /* the next message is of another type; it stays */
  VELO2_RET_ERR_FDOPEN,   /* there is no device: the process is in no job */
  VELO2_RET_ERR_MMAP,     /* there is no memory for a mailbox */
  VELO2_RET_INVALID_MBOX, /* there is no such mailbox */
  VELO2_RET_INVALID_NODE, /* there is no such node */
  VELO2_RET_TRY_AGAIN,    /* no credit; nothing was sent */
  VELO2_RET_INV_MTT,      /* there is no such message type */
  VELO2_RET_INV_MSG       /* too long, or longer than the buffer */
} velo2_ret_t;

typedef uint16_t velo2_nodeid_t;
typedef uint16_t velo2_vpid_t;

/* What they hold is the library's. */
typedef struct velo2_port {
  uint64_t handle;
} velo2_port_t;
typedef struct velo2_connection {
  uint64_t handle;
} velo2_connection_t;

#define VELO2_MAX_MSG_SIZE 120
#define VELO2_SLOT_SIZE 64
#define VELO2_SLOT_PAYLOAD 56
#define VELO2_MAX_MTT 3
#define VELO2_MTT_ANY 0xff /* for velo2_recv */
#define VELO2_MAX_VPID 251 /* those above belong to the driver */

/* A source id: 8 bits of VPID, 16 of node. */
#define VELO2_ADDR_PACK(node, vpid) (((uint32_t)((vpid)&0xff) << 16) | (uint32_t)((node)&0xffff))
#define VELO2_ADDR_NODE(id) ((velo2_nodeid_t)((id)&0xffff))
#define VELO2_ADDR_VPID(id) ((velo2_vpid_t)(((id) >> 16) & 0xff))

/* A text for a return code; for what is none, "unknown". */
AQ_API_ const char* velo2_strerror(velo2_ret_t code);

/* --- Ports. The first velo2_open or rma2_open of a process joins its job (ERR_FDOPEN: there is none). The
 * first VPID of a process is 0. ERROR: no port is left; ERR_MMAP: no memory.
 *
 * velo2_close drops what is in the mailbox and closes the port's connections; what was sent arrives. */
AQ_API_ velo2_ret_t velo2_open(velo2_port_t* port);
AQ_API_ velo2_ret_t velo2_close(velo2_port_t* port);
AQ_API_ velo2_nodeid_t velo2_get_nodeid(const velo2_port_t* port); /* 0xffff: it is no port */
AQ_API_ velo2_vpid_t velo2_get_vpid(const velo2_port_t* port);     /* 0xffff: it is no port */

/* --- Connections: whether somebody has opened that port is not asked. INVALID_NODE: outside of the job;
 * INVALID_MBOX: not a VPID of users. */
AQ_API_ velo2_ret_t velo2_connect(velo2_port_t* port, velo2_connection_t* connection, velo2_nodeid_t node,
                                  velo2_vpid_t vpid);
AQ_API_ velo2_ret_t velo2_disconnect(velo2_port_t* port, velo2_connection_t* connection);

/* --- Sending: `message` is the caller's again when the call returns. A length of 0 is a message, too.
 * TRY_AGAIN: no credit. INV_MTT: `mtt` is more than VELO2_MAX_MTT. INV_MSG: longer than the device takes.
 *
 * What became of earlier messages is told once by a later call, which sends nothing: INVALID_MBOX: one came
 * to a VPID that nobody had opened, and was dropped; ERROR: one was lost. A peer that is gone is ERROR from
 * then on.
 *
 * velo2_wait_send returns when there is a credit for the connection, or a failure to tell. */
AQ_API_ velo2_ret_t velo2_send(velo2_connection_t* connection, const void* message, unsigned length,
                               uint8_t tag, uint8_t mtt);
AQ_API_ velo2_ret_t velo2_wait_send(velo2_connection_t* connection);

/* --- Receiving, with the commits that it needs. `length`, `source`, `tag` (and `mtt`) are results and
 * optional. velo2_recv waits for a message; if it is not of type `mtt` it stays, and the call returns
 * NO_MATCH. velo2_probe_recv does not wait: NO_MSG. If the message is longer than `size` it stays, `length`
 * says how long it is, and the call returns INV_MSG. */
AQ_API_ velo2_ret_t velo2_recv(velo2_port_t* port, void* buffer, unsigned size, uint32_t* length,
                               uint32_t* source, uint8_t* tag, uint8_t mtt);
AQ_API_ velo2_ret_t velo2_probe_recv(velo2_port_t* port, void* buffer, unsigned size, uint32_t* length,
                                     uint32_t* source, uint8_t* tag, uint8_t* mtt);

/* --- Receiving in steps: velo2_check says what is next (results are optional; NO_MSG), velo2_wait waits for
 * that, velo2_recv_complete copies it, all of it, and frees its slots in this process, velo2_recv_commit
 * tells the device. */
AQ_API_ velo2_ret_t velo2_check(velo2_port_t* port, uint32_t* source, uint32_t* length, uint8_t* tag,
                                uint8_t* mtt);
AQ_API_ velo2_ret_t velo2_wait(velo2_port_t* port);
AQ_API_ velo2_ret_t velo2_recv_complete(velo2_port_t* port, void* buffer);
AQ_API_ velo2_ret_t velo2_recv_commit(velo2_port_t* port);

AQ_END_C_

#endif
