/* Active messages: limits, tokens, and the calls behind the gex_AM_Request* and gex_AM_Reply* families
 * (am_arity.h).
 *
 * A request runs a handler at the peer when the peer polls; the handler may answer with one reply, whose
 * handler may send nothing. Short: arguments only. Medium: a payload that the handler sees in a buffer of the
 * library until it returns. Long: a payload that is in the peer's bound segment before its handler runs.
 *
 * Requests may be made by any thread that is not in a handler; they poll. Replies may be made once, by the
 * request handler that holds the token. All return 0, or, only with GEX_FLAG_IMMEDIATE, non-zero if nothing
 * was sent for want of resources. `lc` says when the payload may be reused: GEX_EVENT_NOW, GEX_EVENT_GROUP
 * (requests only; then gex_NBI_Wait(GEX_EC_AM)), or the address of an event. A rank outside the team, an
 * unregistered handler index, a payload over the limit, a destination outside the peer's segment, a request
 * from a handler, a second reply: each ends the job.
 */
#ifndef AQUEDUCT_AM_H_
#define AQUEDUCT_AM_H_

#include "aqueduct/detail/attributes.h"
#include "aqueduct/endpoint.h"
#include "aqueduct/thread_mode.h"
#include "gasnet_fwd.h"

typedef struct {
  gex_Rank_t gex_srcrank;          /* the sender's rank in the job */
  gex_EP_t gex_ep;                 /* where the message arrived */
  const gex_AM_Entry_t* gex_entry; /* the running handler's registration; owned by the library */
  int gex_is_req;                  /* 1 in a request handler, 0 in a reply handler */
  int gex_is_long;                 /* 1 in a handler called as Long, otherwise 0 */
} gex_Token_Info_t;

AQ_BEGIN_C_

/* Fills in the fields named by `mask` (and perhaps others) and returns the set of those that are valid: all
 * that were asked for. In the handler that the token was given to. */
AQ_API_ gex_TI_t gex_Token_Info(gex_Token_t token, gex_Token_Info_t* info, gex_TI_t mask);

/* The most arguments a message can carry: 16. Any time. */
AQ_API_ unsigned int gex_AM_MaxArgs(void);

/* The largest payload of a message between this endpoint and `rank`, in either direction; the least over all
 * ranks for GEX_RANK_INVALID. `lc`: GEX_EVENT_NOW, GEX_EVENT_GROUP, or any other pointer, NULL too, for an
 * event of the client. Constant for the job, at least 512, never larger for more arguments. Any thread, also
 * in handlers. */
AQ_API_ size_t gex_AM_MaxRequestMedium(gex_TM_t tm, gex_Rank_t rank, const gex_Event_t* lc, gex_Flags_t flags,
                                       unsigned int nargs);
AQ_API_ size_t gex_AM_MaxReplyMedium(gex_TM_t tm, gex_Rank_t rank, const gex_Event_t* lc, gex_Flags_t flags,
                                     unsigned int nargs);
AQ_API_ size_t gex_AM_MaxRequestLong(gex_TM_t tm, gex_Rank_t rank, const gex_Event_t* lc, gex_Flags_t flags,
                                     unsigned int nargs);
AQ_API_ size_t gex_AM_MaxReplyLong(gex_TM_t tm, gex_Rank_t rank, const gex_Event_t* lc, gex_Flags_t flags,
                                   unsigned int nargs);

/* The same for the reply to a request, in its handler. */
AQ_API_ size_t gex_Token_MaxReplyMedium(gex_Token_t token, const gex_Event_t* lc, gex_Flags_t flags,
                                        unsigned int nargs);
AQ_API_ size_t gex_Token_MaxReplyLong(gex_Token_t token, const gex_Event_t* lc, gex_Flags_t flags,
                                      unsigned int nargs);

/* The least of those limits over all peers, arguments, lc and flags (other than AM_PREPARE_LEAST_*). Any
 * time: before gex_Client_Init for the conduit that a job started now would get.
 *
 *   size_t gex_AM_LUBRequestMedium(void), gex_AM_LUBReplyMedium(void), gex_AM_LUBRequestLong(void),
 *   gex_AM_LUBReplyLong(void)
 *
 * They are, for a client that was compiled like this, of requests and replies alike: */
AQ_API_ size_t aq_lub_medium_(uint32_t client_config);
AQ_API_ size_t aq_lub_long_(uint32_t client_config);

/* What the numbered families call. `args` holds nargs values; NULL if there are none. */
AQ_API_ int aq_am_request_short_(gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler, gex_Flags_t flags,
                                 unsigned int nargs, const gex_AM_Arg_t* args);
AQ_API_ int aq_am_request_medium_(gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler, const void* source,
                                  size_t nbytes, gex_Event_t* lc, gex_Flags_t flags, unsigned int nargs,
                                  const gex_AM_Arg_t* args);
AQ_API_ int aq_am_request_long_(gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler, const void* source,
                                size_t nbytes, void* destination, gex_Event_t* lc, gex_Flags_t flags,
                                unsigned int nargs, const gex_AM_Arg_t* args);
AQ_API_ int aq_am_reply_short_(gex_Token_t token, gex_AM_Index_t handler, gex_Flags_t flags,
                               unsigned int nargs, const gex_AM_Arg_t* args);
AQ_API_ int aq_am_reply_medium_(gex_Token_t token, gex_AM_Index_t handler, const void* source, size_t nbytes,
                                gex_Event_t* lc, gex_Flags_t flags, unsigned int nargs,
                                const gex_AM_Arg_t* args);
AQ_API_ int aq_am_reply_long_(gex_Token_t token, gex_AM_Index_t handler, const void* source, size_t nbytes,
                              void* destination, gex_Event_t* lc, gex_Flags_t flags, unsigned int nargs,
                              const gex_AM_Arg_t* args);

AQ_END_C_

AQ_INLINE_ size_t gex_AM_LUBRequestMedium(void) { return aq_lub_medium_(AQ_CLIENT_CONFIG_); }
AQ_INLINE_ size_t gex_AM_LUBReplyMedium(void) { return aq_lub_medium_(AQ_CLIENT_CONFIG_); }
AQ_INLINE_ size_t gex_AM_LUBRequestLong(void) { return aq_lub_long_(AQ_CLIENT_CONFIG_); }
AQ_INLINE_ size_t gex_AM_LUBReplyLong(void) { return aq_lub_long_(AQ_CLIENT_CONFIG_); }

#endif
