/* Active messages in GASNet-1: as am.h, over all ranks of the job. The numbered forms are in am_arity.h.
 *
 * The payload may be changed when a call returns, also of LongAsync, which GASNet-1 would allow to take
 * longer. All return GASNET_OK.
 */
#ifndef AQUEDUCT_LEGACY_AM_H_
#define AQUEDUCT_LEGACY_AM_H_

#include "aqueduct/am.h"
#include "aqueduct/detail/attributes.h"
#include "aqueduct/detail/call_site.h"
#include "aqueduct/legacy/am_arity.h"
#include "aqueduct/legacy/types.h"

AQ_BEGIN_C_

/* The sender of the message whose handler holds the token. */
AQ_API_ int gasnet_AMGetMsgSource(gasnet_token_t token, gasnet_node_t* source_p);

/* The lesser of the limits for requests and for replies. Any time, as gex_AM_LUBRequestMedium. */
AQ_INLINE_ size_t gasnet_AMMaxMedium(void) { return gex_AM_LUBRequestMedium(); }

/* `numargs` (0 to 16) arguments of type int follow the named ones. */
AQ_API_ int gasnet_AMRequestShort(gasnet_node_t node, gasnet_handler_t handler, int numargs, ...);
AQ_API_ int gasnet_AMRequestMedium(gasnet_node_t node, gasnet_handler_t handler, void* source, size_t nbytes,
                                   int numargs, ...);
AQ_API_ int gasnet_AMRequestLong(gasnet_node_t node, gasnet_handler_t handler, void* source, size_t nbytes,
                                 void* destination, int numargs, ...);
AQ_API_ int gasnet_AMRequestLongAsync(gasnet_node_t node, gasnet_handler_t handler, void* source,
                                      size_t nbytes, void* destination, int numargs, ...);
AQ_API_ int gasnet_AMReplyShort(gasnet_token_t token, gasnet_handler_t handler, int numargs, ...);
AQ_API_ int gasnet_AMReplyMedium(gasnet_token_t token, gasnet_handler_t handler, void* source, size_t nbytes,
                                 int numargs, ...);
AQ_API_ int gasnet_AMReplyLong(gasnet_token_t token, gasnet_handler_t handler, void* source, size_t nbytes,
                               void* destination, int numargs, ...);

AQ_END_C_

#define gasnet_AMMaxArgs() ((size_t)gex_AM_MaxArgs())
#define gasnet_AMMaxLongRequest() gex_AM_LUBRequestLong()
#define gasnet_AMMaxLongReply() gex_AM_LUBReplyLong()

#ifdef AQ_AT_
#define gasnet_AMGetMsgSource(...) AQ_AT_(gasnet_AMGetMsgSource(__VA_ARGS__))
#define gasnet_AMRequestShort(...) AQ_AT_(gasnet_AMRequestShort(__VA_ARGS__))
#define gasnet_AMRequestMedium(...) AQ_AT_(gasnet_AMRequestMedium(__VA_ARGS__))
#define gasnet_AMRequestLong(...) AQ_AT_(gasnet_AMRequestLong(__VA_ARGS__))
#define gasnet_AMRequestLongAsync(...) AQ_AT_(gasnet_AMRequestLongAsync(__VA_ARGS__))
#define gasnet_AMReplyShort(...) AQ_AT_(gasnet_AMReplyShort(__VA_ARGS__))
#define gasnet_AMReplyMedium(...) AQ_AT_(gasnet_AMReplyMedium(__VA_ARGS__))
#define gasnet_AMReplyLong(...) AQ_AT_(gasnet_AMReplyLong(__VA_ARGS__))
#endif

#endif
