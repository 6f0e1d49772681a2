/* Messages in two steps, for payloads that the client writes where they are sent from.
 *
 * A Prepare call finds room for a message and a buffer of at least `least` and at most `most` bytes:
 * client_buf itself if it is not NULL, otherwise one of the library, aligned for any type, contents
 * undefined. The client writes the payload there, and a Commit call (am_commit_arity.h) of the same kind
 * sends the first nbytes of it; a Cancel call gives it up. To a neighbour, the library's buffer for a Medium
 * payload is the place where the peer's handler will read it.
 *
 * Prepare may be called where the corresponding gex_AM_Request or gex_AM_Reply may. Between it and the Commit
 * or Cancel, which the same thread must call, that thread may make no call that communicates or polls.
 * `least` may be at most what gex_AM_Max* and gex_Token_Max* answer with GEX_FLAG_AM_PREPARE_LEAST_CLIENT or
 * _ALLOC. `lc`: NULL with the library's buffer, otherwise as for messages in one step; the event is valid
 * after the Commit. A Long message's destination may be NULL at first and given with the Commit; otherwise
 * both must be the same. With GEX_FLAG_IMMEDIATE Prepare may return GEX_AM_SRCDESC_NO_OP, and nothing was
 * prepared. Everything that breaks these rules ends the job.
 */
#ifndef AQUEDUCT_AM_NEGOTIATED_H_
#define AQUEDUCT_AM_NEGOTIATED_H_

#include "aqueduct/detail/attributes.h"
#include "gasnet_fwd.h"

/* The beginning of what a gex_AM_SrcDesc_t points to. */
struct aq_source_descriptor_ {
  void* address_;
  size_t size_;
};

/* The buffer of a prepared message, and the most bytes that may be committed. */
AQ_INLINE_ void* gex_AM_SrcDescAddr(gex_AM_SrcDesc_t sd) { return sd->address_; }
AQ_INLINE_ size_t gex_AM_SrcDescSize(gex_AM_SrcDesc_t sd) { return sd->size_; }

AQ_BEGIN_C_

AQ_API_ gex_AM_SrcDesc_t gex_AM_PrepareRequestMedium(gex_TM_t tm, gex_Rank_t rank, const void* client_buf,
                                                     size_t least, size_t most, gex_Event_t* lc,
                                                     gex_Flags_t flags, unsigned int nargs);
AQ_API_ gex_AM_SrcDesc_t gex_AM_PrepareReplyMedium(gex_Token_t token, const void* client_buf, size_t least,
                                                   size_t most, gex_Event_t* lc, gex_Flags_t flags,
                                                   unsigned int nargs);
AQ_API_ gex_AM_SrcDesc_t gex_AM_PrepareRequestLong(gex_TM_t tm, gex_Rank_t rank, const void* client_buf,
                                                   size_t least, size_t most, void* destination,
                                                   gex_Event_t* lc, gex_Flags_t flags, unsigned int nargs);
AQ_API_ gex_AM_SrcDesc_t gex_AM_PrepareReplyLong(gex_Token_t token, const void* client_buf, size_t least,
                                                 size_t most, void* destination, gex_Event_t* lc,
                                                 gex_Flags_t flags, unsigned int nargs);

/* Always 0. Flags must be 0. */
AQ_API_ int gex_AM_CancelRequestMedium(gex_AM_SrcDesc_t sd, gex_Flags_t flags);
AQ_API_ int gex_AM_CancelReplyMedium(gex_AM_SrcDesc_t sd, gex_Flags_t flags);
AQ_API_ int gex_AM_CancelRequestLong(gex_AM_SrcDesc_t sd, gex_Flags_t flags);
AQ_API_ int gex_AM_CancelReplyLong(gex_AM_SrcDesc_t sd, gex_Flags_t flags);

/* What the numbered families call. `args` holds nargs values; NULL if there are none. */
AQ_API_ int aq_am_commit_request_medium_(gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes,
                                         gex_Flags_t flags, unsigned int nargs, const gex_AM_Arg_t* args);
AQ_API_ int aq_am_commit_reply_medium_(gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes,
                                       gex_Flags_t flags, unsigned int nargs, const gex_AM_Arg_t* args);
AQ_API_ int aq_am_commit_request_long_(gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes,
                                       void* destination, gex_Flags_t flags, unsigned int nargs,
                                       const gex_AM_Arg_t* args);
AQ_API_ int aq_am_commit_reply_long_(gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes,
                                     void* destination, gex_Flags_t flags, unsigned int nargs,
                                     const gex_AM_Arg_t* args);

AQ_END_C_

#endif
