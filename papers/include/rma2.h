/* RMA: remote memory access of EXTOLL, version 2 of the interface.
 *
 * A process opens a port, registers memory, which gives it network logical addresses (NLA), and connects to
 * ports of others, which gives handles. Then it posts commands. Three units of the cards work on them: the
 * requester of the initiator, the responder of the target (gets and locks), and the completer of whoever the
 * data come to (puts: the target; gets and locks: the initiator). Each puts a notification into the queue of
 * its port when it is done, if the command asks for it:
 *
 *                requester                   responder               completer
 *   puts         the data have been read     -                       at the target: they are in memory
 *   gets, locks  the command has left        at the target: done     at the initiator: the result is here
 *
 * Protection: an NLA is good for the port that its memory was registered at, and for the registered bytes
 * alone. A command that finds none there writes and reads nothing.
 *
 * Order: none between commands, but a notification comes after what it tells of.
 *
 * Errors: what is wrong at home is the code of the call. What is wrong at the target, or on the way there, is
 * a notification at the initiator with rma2_noti_get_error, if the command asked for any notification.
 *
 * Threads: any thread may call anything; each call is atomic.
 *
 * Bad input: ports, handles and regions that are closed, of another process or garbage are INV_PORT,
 * INV_HANDLE and WRONG_ARG; a null pointer where a result belongs is WRONG_ARG.
 *
 * Nodes: the id of a node is the rank of its process in the job. docs/extoll.md says how everything is
 * settled that the sources at hand leave open.
 */
#ifndef AQUEDUCT_RMA2_H_
#define AQUEDUCT_RMA2_H_

#include <stddef.h>
#include <stdint.h>

#include "aqueduct/detail/attributes.h"

AQ_BEGIN_C_

typedef enum {
  RMA2_SUCCESS = 0,
  RMA2_ERR_ERROR = -1,
  RMA2_ERR_INV_HANDLE = -2,
  RMA2_ERR_INV_PORT = -3,
  RMA2_ERR_INV_VALUE = -4,  /* a size, alignment, lock, unit or option that there is not */
  RMA2_ERR_NO_ROUTE = -5,   /* outside of the job, or gone */
  RMA2_ERR_PORTS_USED = -6, /* no port is left */
  RMA2_ERR_NO_MEM = -7,     /* memory cannot be registered */
  RMA2_NO_NOTI = -9,        /* there is no notification */
  RMA2_ERR_POLL_EXCEEDED = -10,
  RMA2_ERR_WRONG_ARG = -11,   /* bad region, NLA, notification or pointer */
  RMA2_ERR_NOT_YET = -12,     /* not offered */
  RMA2_ERR_NO_DESC_MEM = -13, /* too many commands are under way, or a queue is full: try again */
  RMA2_ERR_NO_MATCH = -15,
  RMA2_ERR_WRONG_CMD = -16,
  RMA2_ERR_NO_DEVICE = -17, /* the process is in no job */
  RMA2_ERR_NO_CONNECT = -18,
  RMA2_ERR_INVALID_VERSION = -22,
  RMA2_ERR_IOCTL = -23,
  RMA2_ERR_MMAP = -24,
  RMA2_ERR_FD = -25,
  RMA2_ERR_MAP = -26,
  RMA2_ERR_DOUBLE_MAP = 27,
  RMA2_ERR_NO_TABLE = 28,
  RMA2_ERR_NOT_FREE = 29, /* in use by commands that are under way */
  RMA2_ERR_PART = 30,
  RMA2_ERR_ATU = 31,
  RMA2_ERR_MLOCKLIMIT = 32
} RMA2_ERROR;

typedef uint16_t RMA2_Nodeid;
typedef uint16_t RMA2_VPID;
typedef uint64_t RMA2_NLA;
typedef uint8_t RMA2_Class;

/* They name objects and are no addresses. */
typedef struct aq_rma2_port_* RMA2_Port;
typedef struct aq_rma2_handle_* RMA2_Handle;
typedef struct aq_rma2_region_ RMA2_Region;

/* Units, and the notifications that a command asks for. */
typedef enum {
  RMA2_NO_NOTIFICATION = 0,
  RMA2_REQUESTER_NOTIFICATION = 1,
  RMA2_RESPONDER_NOTIFICATION = 2,
  RMA2_COMPLETER_NOTIFICATION = 4,
  RMA2_REQCOMPL_NOTIFICATION = 5,
  RMA2_RESPCOMPL_NOTIFICATION = 6,
  RMA2_ALL_NOTIFICATIONS = 7
} RMA2_Notification_Spec;

typedef enum {
  RMA2_CONN_PHYSICAL = 0, /* not offered */
  RMA2_CONN_TC0 = 0,
  RMA2_CONN_TC1 = 1,
  RMA2_CONN_TC2 = 2,
  RMA2_CONN_TC3 = 3,
  RMA2_CONN_RRA = 4, /* not offered */
  RMA2_CONN_IRQ = 8, /* not offered */
  RMA2_CONN_TE = 16, /* addresses are NLAs */
  RMA2_CONN_DEFAULT = 16
} RMA2_Connection_Options;

typedef enum {
  RMA2_BT_GET = 0,
  RMA2_QW_GET = 1,
  RMA2_BT_PUT = 2,
  RMA2_QW_PUT = 3,
  RMA2_NOTIFICATION_PUT = 5,
  RMA2_IMMEDIATE_PUT = 6,
  RMA2_PUTS = 7, /* for matching: any put, also immediate */
  RMA2_GET_BT_RSP = 10,
  RMA2_GET_QW_RSP = 11,
  RMA2_LOCK_REQ = 12,
  RMA2_LOCK_RSP = 13,
  RMA2_GETS = 14, /* for matching: gets and their responses */
  RMA2_ANY = 15   /* for matching */
} RMA2_Command;

typedef enum {
  RMA2_CMD_DEFAULT = 0,
  RMA2_CMD_MC = 1, /* these are not offered */
  RMA2_CMD_NTR = 2,
  RMA2_CMD_ERA = 4,
  RMA2_CMD_EWA = 8
} RMA2_Command_Modifier;

typedef enum { RMA2_NOTI_RRA = 1, RMA2_NOTI_IRQ = 2, RMA2_NOTI_TE = 4 } RMA2_Notification_Modifier;

/* Where an error occurred. */
#define RMA2_ERROR_REQ 1
#define RMA2_ERROR_RESP 2
#define RMA2_ERROR_CMPL 4

#define RMA2_MAX_SIZE 8388608 /* bytes of a command */
#define RMA2_LOCKS 16384      /* of a unit of a port */
#define RMA2_PAGE_SIZE 4096

#define RMA2_CLASS_ANY ((RMA2_Class)0xff)
#define RMA2_NODEID_ANY ((RMA2_Nodeid)0xffff)
#define RMA2_VPID_ANY ((RMA2_VPID)0xffff)
#define RMA2_LOCK_ANY 0xffffffffu
#define RMA2_ANY_NLA (~(RMA2_NLA)0)
#define RMA2_DEFAULT_FLAG 0
#define RMA2_BLOCK_FLAG 1
#define RMA2_MATCH_LAST_NLA_FLAG 2 /* the NLA is that of the last byte */

/* As the card writes it. The functions below take it apart.
 *   0  the local NLA; the value of a notification put; of a lock 23..0 number, 31..24 result, 63..32 value
 *   1  22..0 size - 1, or class, or the lock's unit | 30..23 VPID | 47..32 node | 50..48 unit | 54..51
 * command |
 *      60..55 mode | 63..61 error */
typedef struct {
  uint64_t word[2];
} RMA2_Notification;

/* A text for a code; for what is none, "unknown". */
AQ_API_ const char* rma2_strerror(RMA2_ERROR code);

/* --- Ports. The first rma2_open or velo2_open of a process joins its job. PORTS_USED: none is left. VPIDs
 * are numbered from 0; those of RMA and VELO are not the same.
 *
 * rma2_close: NOT_FREE while commands of the port, or of others with its memory, are under way. Else closes
 * its handles and regions, and drops its notifications. */
AQ_API_ RMA2_ERROR rma2_open(RMA2_Port* port);
AQ_API_ RMA2_ERROR rma2_close(RMA2_Port port);
AQ_API_ RMA2_Nodeid rma2_get_nodeid(RMA2_Port port);   /* 0xffff: it is no port */
AQ_API_ RMA2_VPID rma2_get_vpid(RMA2_Port port);       /* 0xffff: it is no port */
AQ_API_ RMA2_Nodeid rma2_get_node_num(RMA2_Port port); /* how many nodes there are; 0: it is no port */

/* --- Handles. NO_ROUTE: outside of the job; INV_VALUE: no VPID of users; NOT_YET: options without TE, or
 * with RRA or IRQ. Traffic classes make no difference. */
AQ_API_ RMA2_ERROR rma2_connect(RMA2_Port port, RMA2_Nodeid node, RMA2_VPID vpid,
                                RMA2_Connection_Options options, RMA2_Handle* handle);
AQ_API_ RMA2_ERROR rma2_disconnect(RMA2_Port port, RMA2_Handle handle);

/* --- Memory. The NLA of a byte is that of the region's first byte plus its offset; it lies in its page as
 * the byte does. NO_MEM: it cannot be registered. INV_VALUE: no bytes, or an offset behind them.
 * rma2_unregister: NOT_FREE while the network moves bytes from or to it; NLAs of what is gone are never given
 * again. */
AQ_API_ RMA2_ERROR rma2_register(RMA2_Port port, void* address, size_t size, RMA2_Region** region);
AQ_API_ RMA2_ERROR rma2_unregister(RMA2_Port port, RMA2_Region* region);
AQ_API_ RMA2_ERROR rma2_get_nla(RMA2_Region* region, size_t offset, RMA2_NLA* nla);
AQ_API_ RMA2_ERROR rma2_get_va(RMA2_Region* region, size_t offset, void** address);
AQ_API_ RMA2_ERROR rma2_get_size(RMA2_Region* region, size_t* size);
AQ_API_ RMA2_ERROR rma2_get_page_count(RMA2_Region* region, size_t* pages);

/* --- Commands. The first region or NLA is local memory, which is the network's until the requester's (puts)
 * or completer's (gets) notification; `remote` is an NLA of the target.
 *
 * INV_VALUE: no bytes, or more than RMA2_MAX_SIZE; for qw, a size or address that is no multiple of 8; a
 * responder's notification of a put; a count that is not 1 to 8; a lock or unit that there is not. WRONG_ARG:
 * not memory of this port. NOT_YET: a modifier. NO_DESC_MEM: try again. NO_ROUTE: the peer is gone.
 *
 * Immediate: `count` bytes, the lower ones of `value`. Notification: nothing but the completer's
 * notification at the target, with class and value. Lock: unit 0 is the target's completer, 1 its responder,
 * each with RMA2_LOCKS of its own, which are 0 when the port is opened: if the lock is not more than
 * `compare`, `add` is added. The completer's notification has the lock after that, and whether it was. */
AQ_API_ RMA2_ERROR rma2_post_put_bt(RMA2_Port port, RMA2_Handle handle, RMA2_Region* region, uint32_t offset,
                                    uint32_t size, RMA2_NLA remote, RMA2_Notification_Spec notifications,
                                    RMA2_Command_Modifier modifier);
AQ_API_ RMA2_ERROR rma2_post_put_qw(RMA2_Port port, RMA2_Handle handle, RMA2_Region* region, uint32_t offset,
                                    uint32_t size, RMA2_NLA remote, RMA2_Notification_Spec notifications,
                                    RMA2_Command_Modifier modifier);
AQ_API_ RMA2_ERROR rma2_post_get_bt(RMA2_Port port, RMA2_Handle handle, RMA2_Region* region, uint32_t offset,
                                    uint32_t size, RMA2_NLA remote, RMA2_Notification_Spec notifications,
                                    RMA2_Command_Modifier modifier);
AQ_API_ RMA2_ERROR rma2_post_get_qw(RMA2_Port port, RMA2_Handle handle, RMA2_Region* region, uint32_t offset,
                                    uint32_t size, RMA2_NLA remote, RMA2_Notification_Spec notifications,
                                    RMA2_Command_Modifier modifier);
AQ_API_ RMA2_ERROR rma2_post_put_bt_direct(RMA2_Port port, RMA2_Handle handle, RMA2_NLA local, uint32_t size,
                                           RMA2_NLA remote, RMA2_Notification_Spec notifications,
                                           RMA2_Command_Modifier modifier);
AQ_API_ RMA2_ERROR rma2_post_put_qw_direct(RMA2_Port port, RMA2_Handle handle, RMA2_NLA local, uint32_t size,
                                           RMA2_NLA remote, RMA2_Notification_Spec notifications,
                                           RMA2_Command_Modifier modifier);
AQ_API_ RMA2_ERROR rma2_post_get_bt_direct(RMA2_Port port, RMA2_Handle handle, RMA2_NLA local, uint32_t size,
                                           RMA2_NLA remote, RMA2_Notification_Spec notifications,
                                           RMA2_Command_Modifier modifier);
AQ_API_ RMA2_ERROR rma2_post_get_qw_direct(RMA2_Port port, RMA2_Handle handle, RMA2_NLA local, uint32_t size,
                                           RMA2_NLA remote, RMA2_Notification_Spec notifications,
                                           RMA2_Command_Modifier modifier);
AQ_API_ RMA2_ERROR rma2_post_immediate_put(RMA2_Port port, RMA2_Handle handle, uint32_t count, uint64_t value,
                                           RMA2_NLA remote, RMA2_Notification_Spec notifications,
                                           RMA2_Command_Modifier modifier);
AQ_API_ RMA2_ERROR rma2_post_notification(RMA2_Port port, RMA2_Handle handle, RMA2_Class noti_class,
                                          uint64_t value, RMA2_Notification_Spec notifications,
                                          RMA2_Command_Modifier modifier);
AQ_API_ RMA2_ERROR rma2_post_lock(RMA2_Port port, RMA2_Handle handle, uint32_t unit, uint32_t lock,
                                  int32_t compare, int32_t add, RMA2_Notification_Spec notifications,
                                  RMA2_Command_Modifier modifier);

/* --- Notifications. One that was found is the caller's until rma2_noti_free, at the latest until the port
 * is closed; those that do not match stay in the queue, in their order. NO_NOTI: none (that matches).
 * rma2_noti_free: WRONG_ARG if it is none, or free already.
 *
 * Matching: `unit` are units, or'ed; each other argument may be the wildcard of its kind. */
AQ_API_ RMA2_ERROR rma2_noti_probe(RMA2_Port port, RMA2_Notification** notification);
AQ_API_ RMA2_ERROR rma2_noti_get_block(RMA2_Port port, RMA2_Notification** notification);
AQ_API_ RMA2_ERROR rma2_noti_match(RMA2_Port port, RMA2_Command command, RMA2_Nodeid node, RMA2_VPID vpid,
                                   RMA2_Notification_Spec unit, RMA2_NLA nla, int flags,
                                   RMA2_Notification** notification);
AQ_API_ RMA2_ERROR rma2_noti_noti_match(RMA2_Port port, RMA2_Class noti_class, RMA2_Nodeid node,
                                        RMA2_VPID vpid, RMA2_Notification** notification);
AQ_API_ RMA2_ERROR rma2_noti_noti_match_block(RMA2_Port port, RMA2_Class noti_class, RMA2_Nodeid node,
                                              RMA2_VPID vpid, RMA2_Notification** notification);
AQ_API_ RMA2_ERROR rma2_noti_lock_match(RMA2_Port port, uint32_t lock, RMA2_Nodeid node, RMA2_VPID vpid,
                                        RMA2_Notification** notification);
AQ_API_ RMA2_ERROR rma2_noti_lock_match_block(RMA2_Port port, uint32_t lock, RMA2_Nodeid node, RMA2_VPID vpid,
                                              RMA2_Notification** notification);
AQ_API_ RMA2_ERROR rma2_noti_dup(const RMA2_Notification* input, RMA2_Notification* output);
AQ_API_ RMA2_ERROR rma2_noti_free(RMA2_Port port, RMA2_Notification* notification);

/* The queue of a port has room for so many bytes, 16 for each notification. Those that find no room wait,
 * and whoever causes them is told to try again. */
AQ_API_ uint32_t rma2_get_queue_size(RMA2_Port port); /* 0: it is no port */
AQ_API_ RMA2_ERROR rma2_set_queue_size(RMA2_Port port, uint32_t bytes);

AQ_API_ RMA2_Command rma2_noti_get_cmd(const RMA2_Notification* notification);
AQ_API_ RMA2_Notification_Spec rma2_noti_get_notification_type(const RMA2_Notification* notification);
AQ_API_ RMA2_Notification_Modifier rma2_noti_get_mode(const RMA2_Notification* notification);
AQ_API_ uint8_t rma2_noti_get_error(const RMA2_Notification* notification);
AQ_API_ RMA2_Nodeid rma2_noti_get_remote_nodeid(const RMA2_Notification* notification);
AQ_API_ RMA2_VPID rma2_noti_get_remote_vpid(const RMA2_Notification* notification);
AQ_API_ uint64_t rma2_noti_get_local_address(const RMA2_Notification* notification);
AQ_API_ uint32_t rma2_noti_get_size(const RMA2_Notification* notification);
AQ_API_ uint32_t rma2_noti_get_lock_value(const RMA2_Notification* notification);
AQ_API_ uint32_t rma2_noti_get_lock_number(const RMA2_Notification* notification);
AQ_API_ uint8_t rma2_noti_get_lock_result(const RMA2_Notification* notification);
AQ_API_ uint64_t rma2_noti_get_notiput_payload(const RMA2_Notification* notification);
AQ_API_ uint8_t rma2_noti_get_notiput_class(const RMA2_Notification* notification);

AQ_END_C_

#endif
