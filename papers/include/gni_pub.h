/* uGNI: the user's interface to Cray's Gemini and Aries networks, as far as a runtime for one-sided
 * communication needs it.
 *
 * A process makes a communication domain (CDM) and attaches it to a device, which gives it a NIC handle and
 * an address. It makes completion queues (CQ), registers memory, and for every peer makes an endpoint (EP)
 * that it binds to the peer's address and instance id. Then it posts: small puts, gets and atomics through
 * the FMA window, by its own stores; larger ones through the BTE, which moves them by itself. The target's
 * process has no part in it; if the post asks for it, an event appears in the queue of the target's
 * registration.
 *
 * Order: there is none, unless both posts are GNI_DLVMODE_IN_ORDER and go to the same peer.
 *
 * Threads: calls about one NIC must not overlap, except GNI_CqTestEvent, which any thread may call any time.
 * None blocks, except those with Wait in their names, and GNI_MsgqProgress with a timeout.
 *
 * Bad input: a handle that is stale, of another process, of another kind or garbage, and a null pointer where
 * a result belongs, are GNI_RC_INVALID_PARAM in every call. What is wrong with a remote registration is found
 * at the target: the post is accepted and its event says so.
 *
 * Addresses and device: there is one device, number 0. The address of a process is its rank in the job.
 *
 * docs/ugni.md in the sources says how everything is settled that the documents at hand leave open.
 */
#ifndef AQUEDUCT_GNI_PUB_H_
#define AQUEDUCT_GNI_PUB_H_

#include "gni_entries.h"
#include "gni_types.h"

AQ_BEGIN_C_

/* Texts for gni_return_t. */
AQ_API_DATA_ const char* gni_err_str[];

/* --- Devices. */
AQ_API_ gni_return_t GNI_GetDeviceType(gni_nic_device_t* type);
AQ_API_ gni_return_t GNI_GetNumLocalDevices(int* devices);
AQ_API_ gni_return_t GNI_GetLocalDeviceIds(int length, int* device_ids);

/* --- Communication domains. `inst_id` is the user's name for this process among those with the same tag and
 * cookie, by convention its rank. Destroying a domain closes whatever is open in it.
 *
 * GNI_CdmAttach: `device_id` is 0, or -1 for any. ERROR_RESOURCE: no FMA descriptor is left for a domain that
 * wants its own; INVALID_STATE: it is attached already; NO_MATCH: there is no such device. */
AQ_API_ gni_return_t GNI_CdmCreate(uint32_t inst_id, uint8_t ptag, uint32_t cookie, uint32_t modes,
                                   gni_cdm_handle_t* cdm);
AQ_API_ gni_return_t GNI_CdmAttach(gni_cdm_handle_t cdm, uint32_t device_id, uint32_t* local_addr,
                                   gni_nic_handle_t* nic);
AQ_API_ gni_return_t GNI_CdmDestroy(gni_cdm_handle_t cdm);
AQ_API_ gni_return_t GNI_CdmGetNicAddress(uint32_t device_id, uint32_t* address, uint32_t* cpu_id);

/* --- Endpoints. `src_cq` gets the LOCAL and GLOBAL events of what is posted; NULL: only silent posts and
 * datagrams. An unbound endpoint can do nothing but exchange datagrams with anybody.
 *
 * GNI_EpBind: INVALID_PARAM if it is bound, or the address is outside of the job.
 * GNI_EpUnbind, GNI_EpDestroy: NOT_DONE while something that was posted is under way, or its events are not
 * taken.
 * GNI_EpSetEventData: what events of later posts carry: LOCAL ones `local_event` (until then the endpoint's
 * remote_id), GLOBAL and REMOTE ones `remote_event` (until then the domain's inst_id). */
AQ_API_ gni_return_t GNI_EpCreate(gni_nic_handle_t nic, gni_cq_handle_t src_cq, gni_ep_handle_t* ep);
AQ_API_ gni_return_t GNI_EpSetEventData(gni_ep_handle_t ep, uint32_t local_event, uint32_t remote_event);
AQ_API_ gni_return_t GNI_EpBind(gni_ep_handle_t ep, uint32_t remote_addr, uint32_t remote_id);
AQ_API_ gni_return_t GNI_EpUnbind(gni_ep_handle_t ep);
AQ_API_ gni_return_t GNI_EpIdle(gni_ep_handle_t ep); /* what GNI_EpUnbind would return */
AQ_API_ gni_return_t GNI_EpDestroy(gni_ep_handle_t ep);

/* --- Datagrams: two endpoints exchange up to GNI_DATAGRAM_MAXSIZE bytes each. Both post; `in_data` is
 * copied, `out_buf` is filled when the exchange is complete. A bound endpoint exchanges with the instance it
 * is bound to, an unbound one with the first bound one that comes.
 *
 * Posting: ERROR_RESOURCE while another one of this endpoint is not over; SIZE_ERROR for too many bytes. An
 * id of all ones is INVALID_PARAM. Testing and waiting: NO_MATCH if there is none (with that id); SIZE_ERROR
 * if `out_buf` was too small for what came. A state other than PENDING is told once, and ends it. Wait:
 * TIMEOUT; a timeout of 0 is INVALID_PARAM, of all ones forever. A cancelled one is over with TERMINATED;
 * NO_MATCH if there is none, or it is complete. Probing finds one that is over: NO_MATCH if none is. */
AQ_API_ gni_return_t GNI_EpPostData(gni_ep_handle_t ep, void* in_data, uint16_t data_len, void* out_buf,
                                    uint16_t buf_size);
AQ_API_ gni_return_t GNI_EpPostDataWId(gni_ep_handle_t ep, void* in_data, uint16_t data_len, void* out_buf,
                                       uint16_t buf_size, uint64_t datagram_id);
AQ_API_ gni_return_t GNI_EpPostDataTest(gni_ep_handle_t ep, gni_post_state_t* state, uint32_t* remote_addr,
                                        uint32_t* remote_id);
AQ_API_ gni_return_t GNI_EpPostDataTestById(gni_ep_handle_t ep, uint64_t datagram_id, gni_post_state_t* state,
                                            uint32_t* remote_addr, uint32_t* remote_id);
AQ_API_ gni_return_t GNI_EpPostDataWait(gni_ep_handle_t ep, uint32_t timeout_ms, gni_post_state_t* state,
                                        uint32_t* remote_addr, uint32_t* remote_id);
AQ_API_ gni_return_t GNI_EpPostDataWaitById(gni_ep_handle_t ep, uint64_t datagram_id, uint32_t timeout_ms,
                                            gni_post_state_t* state, uint32_t* remote_addr,
                                            uint32_t* remote_id);
AQ_API_ gni_return_t GNI_EpPostDataCancel(gni_ep_handle_t ep);
AQ_API_ gni_return_t GNI_EpPostDataCancelById(gni_ep_handle_t ep, uint64_t datagram_id);
AQ_API_ gni_return_t GNI_PostDataProbe(gni_nic_handle_t nic, uint32_t* remote_addr, uint32_t* remote_id);
AQ_API_ gni_return_t GNI_PostDataProbeById(gni_nic_handle_t nic, uint64_t* datagram_id);
AQ_API_ gni_return_t GNI_PostDataProbeWaitById(gni_nic_handle_t nic, uint32_t timeout_ms,
                                               uint64_t* datagram_id);

/* --- Memory. `dst_cq` gets the REMOTE events of what lands there, and CQ writes through the handle; it may
 * be NULL. `vmdh_index` is -1: virtual handles are not offered.
 *
 * INVALID_PARAM also for no bytes and memory that is not there; ERROR_RESOURCE: the table is full; deregister
 * something and try again. GNI_MemDeregister: NOT_DONE never: what is under way for the memory fails. */
AQ_API_ gni_return_t GNI_MemRegister(gni_nic_handle_t nic, uint64_t address, uint64_t length,
                                     gni_cq_handle_t dst_cq, uint32_t flags, uint32_t vmdh_index,
                                     gni_mem_handle_t* mem);
AQ_API_ gni_return_t GNI_MemRegisterSegments(gni_nic_handle_t nic, gni_mem_segment_t* segments,
                                             uint32_t segments_count, gni_cq_handle_t dst_cq, uint32_t flags,
                                             uint32_t vmdh_index, gni_mem_handle_t* mem);
AQ_API_ gni_return_t GNI_MemDeregister(gni_nic_handle_t nic, gni_mem_handle_t* mem);

/* --- Completion queues. A queue serves either what this process posts or what others send here; the first
 * use decides, and the other one is INVALID_PARAM then. `delay_count` must be 0, `handler` NULL: interrupts
 * are not offered.
 *
 * GNI_CqDestroy: ERROR_RESOURCE while an endpoint, a registration or a message queue uses it.
 * GNI_CqGetEvent: NOT_DONE: none; TRANSACTION_ERROR: the entry's transaction has failed; ERROR_RESOURCE: the
 * queue was full when events came, which are lost. That is told once; the next calls return what there was
 * before, and the queue is usable again.
 * GNI_CqWaitEvent: INVALID_PARAM unless it is GNI_CQ_BLOCKING; TIMEOUT.
 * GNI_CqTestEvent: whether there is one; takes nothing.
 * GNI_CqVectorWaitEvent, GNI_CqVectorMonitor: the same of several; the latter takes nothing.
 * GNI_CqErrorStr: SIZE_ERROR if the text does not fit. GNI_CqErrorRecoverable: 1 if the same post may work.
 */
AQ_API_ gni_return_t GNI_CqCreate(gni_nic_handle_t nic, uint32_t entry_count, uint32_t delay_count,
                                  gni_cq_mode_t mode, void (*handler)(gni_cq_entry_t*, void*), void* context,
                                  gni_cq_handle_t* cq);
AQ_API_ gni_return_t GNI_CqDestroy(gni_cq_handle_t cq);
AQ_API_ gni_return_t GNI_CqGetEvent(gni_cq_handle_t cq, gni_cq_entry_t* entry);
AQ_API_ gni_return_t GNI_CqWaitEvent(gni_cq_handle_t cq, uint64_t timeout_ms, gni_cq_entry_t* entry);
AQ_API_ gni_return_t GNI_CqTestEvent(gni_cq_handle_t cq);
AQ_API_ gni_return_t GNI_CqVectorWaitEvent(gni_cq_handle_t* cqs, uint32_t count, uint64_t timeout_ms,
                                           gni_cq_entry_t* entry, uint32_t* which);
AQ_API_ gni_return_t GNI_CqVectorMonitor(gni_cq_handle_t* cqs, uint32_t count, uint64_t timeout_ms,
                                         uint32_t* which);
AQ_API_ gni_return_t GNI_CqErrorStr(gni_cq_entry_t entry, void* buffer, uint32_t length);
AQ_API_ gni_return_t GNI_CqErrorRecoverable(gni_cq_entry_t entry, uint32_t* recoverable);

/* --- Posts. All of them: INVALID_PARAM for an unbound endpoint, a type that does not belong to the call, an
 * event without a queue for it, LOCAL and GLOBAL events in a domain without DUAL_EVENTS, a local registration
 * that does not hold the local buffer; ERROR_RESOURCE: no transfer request is free, take events and try
 * again.
 *
 * Transfer requests: a source queue has one for each of its entries, or for each two of them with
 * DUAL_EVENTS. A post holds one until its last event was passed to GNI_GetCompleted; a silent one until it is
 * done.
 *
 * GNI_PostRdma: RDMA_PUT and RDMA_GET of at least one byte; both buffers are registered.
 * GNI_PostFma: FMA_PUT (of any size, also 0), FMA_PUT_W_SYNCFLAG, FMA_GET, AMO, and the latter two _W_FLAG,
 * which write a flag of four bytes behind their result. The source of a put needs no registration, the
 * destination of a get or fetching AMO does. A put has left its buffer when the call returns.
 * GNI_PostCqWrite: sends 48 bits to the queue of a registration, and nothing else.
 * GNI_CtPostFma, GNI_CtPostCqWrite: a chain of them, with one event for all.
 *
 * ALIGNMENT_ERROR: the remote address and the length of a get are multiples of 4, addresses of an AMO of its
 * operand, a sync flag of 8. SIZE_ERROR: a put with sync flag of more than 1 MiB, an AMO whose length is not
 * its operand's. */
AQ_API_ gni_return_t GNI_PostRdma(gni_ep_handle_t ep, gni_post_descriptor_t* descriptor);
AQ_API_ gni_return_t GNI_PostFma(gni_ep_handle_t ep, gni_post_descriptor_t* descriptor);
AQ_API_ gni_return_t GNI_PostCqWrite(gni_ep_handle_t ep, gni_post_descriptor_t* descriptor);
AQ_API_ gni_return_t GNI_CtPostFma(gni_ep_handle_t ep, gni_post_descriptor_t* descriptor);
AQ_API_ gni_return_t GNI_CtPostCqWrite(gni_ep_handle_t ep, gni_post_descriptor_t* descriptor);

/* The descriptor that an event of type POST is about, from the queue of its source: once for each event.
 * DESCRIPTOR_ERROR: there is none (any more); TRANSACTION_ERROR: it has failed, the descriptor is returned.
 */
AQ_API_ gni_return_t GNI_GetCompleted(gni_cq_handle_t cq, gni_cq_entry_t entry,
                                      gni_post_descriptor_t** descriptor);

/* --- Short messages, through a mailbox for each pair in registered memory of both sides. Messages of a pair
 * are handed to the user in order, but an event may come before its message can be had, and a message may be
 * had before its event: after every event call GNI_SmsgGetNext until NOT_DONE.
 *
 * GNI_SmsgInit: INVALID_PARAM if the sides differ in type, credits or size, or a mailbox does not fit.
 * GNI_SmsgSend: NOT_DONE: no credits; ERROR_RESOURCE: it is too long, or no transfer request is free. When
 * the message has arrived an event of type SMSG with its id comes to the endpoint's queue. GNI_SmsgGetNext:
 * NOT_DONE: none; INVALID_STATE: the last one was not released. With a tag, NO_MATCH: the next one has
 * another; `*tag` may be GNI_SMSG_ANY_TAG and says then which it has. GNI_SmsgRelease: INVALID_STATE if there
 * is nothing to release. */
AQ_API_ gni_return_t GNI_SmsgBufferSizeNeeded(gni_smsg_attr_t* local, unsigned int* size);
AQ_API_ gni_return_t GNI_SmsgInit(gni_ep_handle_t ep, gni_smsg_attr_t* local, gni_smsg_attr_t* remote);
AQ_API_ gni_return_t GNI_SmsgSetDeliveryMode(gni_nic_handle_t nic, uint16_t dlvr_mode);
AQ_API_ gni_return_t GNI_SmsgSetMaxRetrans(gni_nic_handle_t nic, uint16_t max_retrans);
AQ_API_ gni_return_t GNI_SmsgSend(gni_ep_handle_t ep, void* header, uint32_t header_length, void* data,
                                  uint32_t data_length, uint32_t msg_id);
AQ_API_ gni_return_t GNI_SmsgSendWTag(gni_ep_handle_t ep, void* header, uint32_t header_length, void* data,
                                      uint32_t data_length, uint32_t msg_id, uint8_t tag);
AQ_API_ gni_return_t GNI_SmsgGetNext(gni_ep_handle_t ep, void** header);
AQ_API_ gni_return_t GNI_SmsgGetNextWTag(gni_ep_handle_t ep, void** header, uint8_t* tag);
AQ_API_ gni_return_t GNI_SmsgRelease(gni_ep_handle_t ep);

/* --- Shared message queues: one for all peers, so that memory does not grow with their number. Both sides
 * fetch their attributes for the other's address, exchange them and connect.
 *
 * GNI_MsgqInit: ERROR_RESOURCE: the domain has one already. GNI_MsgqSend: NOT_DONE: no credits; SIZE_ERROR:
 * too long; NO_MATCH: not connected. GNI_MsgqProgress runs the callback for what has come: NOT_DONE: nothing;
 * INVALID_STATE: it is called from the callback. GNI_MsgqIdle: NOT_DONE while messages are under way. */
AQ_API_ gni_return_t GNI_MsgqInit(gni_nic_handle_t nic, gni_msgq_rcv_cb_func* receive, void* cb_data,
                                  gni_cq_handle_t snd_cq, gni_msgq_attr_t* attrs, gni_msgq_handle_t* msgq);
AQ_API_ gni_return_t GNI_MsgqRelease(gni_msgq_handle_t msgq);
AQ_API_ gni_return_t GNI_MsgqIdle(gni_msgq_handle_t msgq);
AQ_API_ gni_return_t GNI_MsgqGetConnAttrs(gni_msgq_handle_t msgq, uint32_t pe_addr, gni_msgq_ep_attr_t* attrs,
                                          uint32_t* attrs_size);
AQ_API_ gni_return_t GNI_MsgqConnect(gni_msgq_handle_t msgq, uint32_t pe_addr, gni_msgq_ep_attr_t* attrs);
AQ_API_ gni_return_t GNI_MsgqConnRelease(gni_msgq_handle_t msgq, uint32_t pe_addr);
AQ_API_ gni_return_t GNI_MsgqSend(gni_msgq_handle_t msgq, gni_ep_handle_t ep, void* header,
                                  uint32_t header_length, void* message, uint32_t message_length,
                                  uint32_t msg_id, uint8_t tag);
AQ_API_ gni_return_t GNI_MsgqProgress(gni_msgq_handle_t msgq, uint32_t timeout_ms);
AQ_API_ gni_return_t GNI_MsgqSize(gni_msgq_attr_t* attrs, uint32_t* size);

AQ_END_C_

#endif
