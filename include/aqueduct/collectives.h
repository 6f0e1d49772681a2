/* Broadcast and reductions over a team.
 *
 * All members make the same calls in the same order, with equal arguments except for addresses, user_op and
 * user_cdata; a debug client is told where they differ. Several may be in progress at once. Each returns an
 * event; when it is done, the source may be reused and the destination holds the result; nothing is said
 * about other ranks. Buffers may lie anywhere in memory and must stay as they are until then. Flags must be
 * 0. One thread per team at a time; not in handlers.
 */
#ifndef AQUEDUCT_COLLECTIVES_H_
#define AQUEDUCT_COLLECTIVES_H_

#include "aqueduct/detail/attributes.h"
#include "aqueduct/detail/call_site.h"
#include "gasnet_fwd.h"

AQ_BEGIN_C_

/* Copies `nbytes` from `src` of the root to `dst` of every member; on the root the two may be the same. `src`
 * of others does not matter. */
AQ_API_ gex_Event_t gex_Coll_BroadcastNB(gex_TM_t tm, gex_Rank_t root, void* dst, const void* src,
                                         size_t nbytes, gex_Flags_t flags);

/* Combine the vectors of `dt_cnt` elements at `src` of all members, element by element, with an operation:
 * into `dst` of the root (others' do not matter), or of every member. src and dst may be the same, in a
 * reduction to all then on every member.
 *
 * Built-in types take GEX_OP_ADD, MULT, MIN, MAX, and integers also AND, OR, XOR. All types, GEX_DT_USER
 * among them, take GEX_OP_USER and GEX_OP_USER_NC: then user_op is called, on any thread that enters the
 * library, with user_cdata; it may make no call that a handler-safe lock excludes. GEX_OP_USER_NC and the
 * others are applied in the order of ranks where that matters. The same arguments give the same result, to
 * the bit, and a reduction to all the same on every member. */
AQ_API_ gex_Event_t gex_Coll_ReduceToOneNB(gex_TM_t tm, gex_Rank_t root, void* dst, const void* src,
                                           gex_DT_t dt, size_t dt_sz, size_t dt_cnt, gex_OP_t op,
                                           gex_Coll_ReduceFn_t user_op, void* user_cdata, gex_Flags_t flags);
AQ_API_ gex_Event_t gex_Coll_ReduceToAllNB(gex_TM_t tm, void* dst, const void* src, gex_DT_t dt, size_t dt_sz,
                                           size_t dt_cnt, gex_OP_t op, gex_Coll_ReduceFn_t user_op,
                                           void* user_cdata, gex_Flags_t flags);

AQ_END_C_

#ifdef AQ_AT_
#define gex_Coll_BroadcastNB(...) AQ_AT_(gex_Coll_BroadcastNB(__VA_ARGS__))
#define gex_Coll_ReduceToOneNB(...) AQ_AT_(gex_Coll_ReduceToOneNB(__VA_ARGS__))
#define gex_Coll_ReduceToAllNB(...) AQ_AT_(gex_Coll_ReduceToAllNB(__VA_ARGS__))
#endif

#endif
