/* Portals 3.3: one-sided messages with matching at the target, and independent progress.
 *
 * A process opens an interface (NI). It hangs match entries (ME) into the lists of a portal table, and to
 * each a memory descriptor (MD) that says where data lands; whoever puts or gets names a table index, match
 * bits and an offset, and the target's library finds the memory without the target's help. What happened is
 * told by events in queues (EQ).
 *
 * Every function returns one of the codes of portals3_codes.h: PTL_NO_INIT before PtlInit, PTL_SEGV for a
 * null pointer where a result belongs, and a code of its kind for a handle that is stale, foreign or garbage.
 * None blocks except PtlEQWait and PtlEQPoll, and PtlNIFini for as long as the network still uses memory.
 * Any thread may call any of them; each is atomic with respect to the others and to what arrives.
 *
 * docs/portals.md in the sources says how everything is settled that implementations have done differently.
 */
#ifndef AQUEDUCT_PORTALS3_H_
#define AQUEDUCT_PORTALS3_H_

#include "portals3_types.h"

AQ_BEGIN_C_

/* --- The library. May be called repeatedly; the last PtlFini closes what is still open. */
AQ_API_ int PtlInit(int* max_interfaces);
AQ_API_ void PtlFini(void);

/* --- Interfaces. Opening one again returns the same handle; it closes at the same number of PtlNIFini. */
AQ_API_ int PtlNIInit(ptl_interface_t iface, ptl_pid_t pid, ptl_ni_limits_t* desired, ptl_ni_limits_t* actual,
                      ptl_handle_ni_t* ni);
AQ_API_ int PtlNIFini(ptl_handle_ni_t ni);
AQ_API_ int PtlNIStatus(ptl_handle_ni_t ni, ptl_sr_index_t status_register, ptl_sr_value_t* status);
AQ_API_ int PtlNIDist(ptl_handle_ni_t ni, ptl_process_id_t process, unsigned long* distance);
AQ_API_ int PtlNIHandle(ptl_handle_any_t handle, ptl_handle_ni_t* ni);
AQ_API_ int PtlGetUid(ptl_handle_ni_t ni, ptl_uid_t* uid);
AQ_API_ int PtlGetId(ptl_handle_ni_t ni, ptl_process_id_t* id);
AQ_API_ int PtlGetJid(ptl_handle_ni_t ni, ptl_jid_t* jid);

/* --- Match entries. PTL_INS_BEFORE: at the head of the list, or before `base`; PTL_INS_AFTER: tail, after.
 */
AQ_API_ int PtlMEAttach(ptl_handle_ni_t ni, ptl_pt_index_t pt_index, ptl_process_id_t match_id,
                        ptl_match_bits_t match_bits, ptl_match_bits_t ignore_bits, ptl_unlink_t unlink_op,
                        ptl_ins_pos_t position, ptl_handle_me_t* me);
AQ_API_ int PtlMEAttachAny(ptl_handle_ni_t ni, ptl_pt_index_t* pt_index, ptl_process_id_t match_id,
                           ptl_match_bits_t match_bits, ptl_match_bits_t ignore_bits, ptl_unlink_t unlink_op,
                           ptl_handle_me_t* me);
AQ_API_ int PtlMEInsert(ptl_handle_me_t base, ptl_process_id_t match_id, ptl_match_bits_t match_bits,
                        ptl_match_bits_t ignore_bits, ptl_unlink_t unlink_op, ptl_ins_pos_t position,
                        ptl_handle_me_t* me);
AQ_API_ int PtlMEUnlink(ptl_handle_me_t me);

/* --- Memory descriptors: attached to an entry, or bound for initiating only. */
AQ_API_ int PtlMDAttach(ptl_handle_me_t me, ptl_md_t md, ptl_unlink_t unlink_op, ptl_handle_md_t* handle);
AQ_API_ int PtlMDBind(ptl_handle_ni_t ni, ptl_md_t md, ptl_unlink_t unlink_op, ptl_handle_md_t* handle);
AQ_API_ int PtlMDUnlink(ptl_handle_md_t md);
AQ_API_ int PtlMDUpdate(ptl_handle_md_t md, ptl_md_t* old_md, ptl_md_t* new_md, ptl_handle_eq_t testq);

/* --- Event queues. */
AQ_API_ int PtlEQAlloc(ptl_handle_ni_t ni, ptl_size_t count, ptl_eq_handler_t handler, ptl_handle_eq_t* eq);
AQ_API_ int PtlEQFree(ptl_handle_eq_t eq);
AQ_API_ int PtlEQGet(ptl_handle_eq_t eq, ptl_event_t* event);
AQ_API_ int PtlEQWait(ptl_handle_eq_t eq, ptl_event_t* event);
AQ_API_ int PtlEQPoll(ptl_handle_eq_t* eqs, int size, ptl_time_t timeout_ms, ptl_event_t* event, int* which);

/* --- Access control. */
AQ_API_ int PtlACEntry(ptl_handle_ni_t ni, ptl_ac_index_t ac_index, ptl_process_id_t match_id, ptl_uid_t uid,
                       ptl_jid_t jid, ptl_pt_index_t pt_index);

/* --- Moving data. */
AQ_API_ int PtlPut(ptl_handle_md_t md, ptl_ack_req_t ack, ptl_process_id_t target, ptl_pt_index_t pt_index,
                   ptl_ac_index_t ac_index, ptl_match_bits_t match_bits, ptl_size_t remote_offset,
                   ptl_hdr_data_t hdr_data);
AQ_API_ int PtlPutRegion(ptl_handle_md_t md, ptl_size_t local_offset, ptl_size_t length, ptl_ack_req_t ack,
                         ptl_process_id_t target, ptl_pt_index_t pt_index, ptl_ac_index_t ac_index,
                         ptl_match_bits_t match_bits, ptl_size_t remote_offset, ptl_hdr_data_t hdr_data);
AQ_API_ int PtlGet(ptl_handle_md_t md, ptl_process_id_t target, ptl_pt_index_t pt_index,
                   ptl_ac_index_t ac_index, ptl_match_bits_t match_bits, ptl_size_t remote_offset);
AQ_API_ int PtlGetRegion(ptl_handle_md_t md, ptl_size_t local_offset, ptl_size_t length,
                         ptl_process_id_t target, ptl_pt_index_t pt_index, ptl_ac_index_t ac_index,
                         ptl_match_bits_t match_bits, ptl_size_t remote_offset);
AQ_API_ int PtlGetPut(ptl_handle_md_t get_md, ptl_handle_md_t put_md, ptl_process_id_t target,
                      ptl_pt_index_t pt_index, ptl_ac_index_t ac_index, ptl_match_bits_t match_bits,
                      ptl_size_t remote_offset, ptl_hdr_data_t hdr_data);

/* --- Additions to the standard. */

/* Makes the next `threshold` messages to or from a node (PTL_NID_ANY: any) fail; -1u: all, 0: none any more.
 */
AQ_API_ int PtlFailNid(ptl_handle_ni_t ni, ptl_nid_t nid, unsigned int threshold);
/* Texts for people; never null. */
AQ_API_ const char* PtlErrorStr(int code);
AQ_API_ const char* PtlNIFailStr(ptl_handle_ni_t ni, ptl_ni_fail_t fail_type);
AQ_API_ const char* PtlEventKindStr(ptl_event_kind_t kind);

AQ_END_C_

#endif
