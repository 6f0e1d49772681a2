/* Put, get and fill in GASNet-1: as rma.h, over all ranks of the job.
 *
 * The source of a put may be changed when the call returns, except of the non-blocking _bulk forms, which
 * leave that to the operation's completion. The forms of get differ in name only. There is no alignment to
 * respect. Operations without a handle in their name (_nbi) are the thread's implicit ones (sync.h).
 */
#ifndef AQUEDUCT_LEGACY_MEMORY_H_
#define AQUEDUCT_LEGACY_MEMORY_H_

#include "aqueduct/detail/attributes.h"
#include "aqueduct/detail/call_site.h"
#include "aqueduct/legacy/job.h"
#include "aqueduct/legacy/types.h"
#include "aqueduct/rma.h"
#include "aqueduct/rma_value.h"

/* clang-format off */

#define gasnet_put(node, dest, src, nbytes) \
  ((void)gex_RMA_PutBlocking(aq_legacy_team_(), node, dest, src, nbytes, 0))
#define gasnet_put_bulk(node, dest, src, nbytes) gasnet_put(node, dest, src, nbytes)
#define gasnet_put_nb(node, dest, src, nbytes) \
  gex_RMA_PutNB(aq_legacy_team_(), node, dest, src, nbytes, GEX_EVENT_NOW, 0)
#define gasnet_put_nb_bulk(node, dest, src, nbytes) \
  gex_RMA_PutNB(aq_legacy_team_(), node, dest, src, nbytes, GEX_EVENT_DEFER, 0)
#define gasnet_put_nbi(node, dest, src, nbytes) \
  ((void)gex_RMA_PutNBI(aq_legacy_team_(), node, dest, src, nbytes, GEX_EVENT_NOW, 0))
#define gasnet_put_nbi_bulk(node, dest, src, nbytes) \
  ((void)gex_RMA_PutNBI(aq_legacy_team_(), node, dest, src, nbytes, GEX_EVENT_DEFER, 0))

#define gasnet_get(dest, node, src, nbytes) \
  ((void)gex_RMA_GetBlocking(aq_legacy_team_(), dest, node, src, nbytes, 0))
#define gasnet_get_bulk(dest, node, src, nbytes) gasnet_get(dest, node, src, nbytes)
#define gasnet_get_nb(dest, node, src, nbytes) \
  gex_RMA_GetNB(aq_legacy_team_(), dest, node, src, nbytes, 0)
#define gasnet_get_nb_bulk(dest, node, src, nbytes) gasnet_get_nb(dest, node, src, nbytes)
#define gasnet_get_nbi(dest, node, src, nbytes) \
  ((void)gex_RMA_GetNBI(aq_legacy_team_(), dest, node, src, nbytes, 0))
#define gasnet_get_nbi_bulk(dest, node, src, nbytes) gasnet_get_nbi(dest, node, src, nbytes)

/* The low-order `nbytes` bytes (1 to 8) of an integer. */
#define gasnet_put_val(node, dest, value, nbytes) \
  ((void)gex_RMA_PutBlockingVal(aq_legacy_team_(), node, dest, value, nbytes, 0))
#define gasnet_put_nb_val(node, dest, value, nbytes) \
  gex_RMA_PutNBVal(aq_legacy_team_(), node, dest, value, nbytes, 0)
#define gasnet_put_nbi_val(node, dest, value, nbytes) \
  ((void)gex_RMA_PutNBIVal(aq_legacy_team_(), node, dest, value, nbytes, 0))
#define gasnet_get_val(node, src, nbytes) \
  gex_RMA_GetBlockingVal(aq_legacy_team_(), node, src, nbytes, 0)

/* clang-format on */

AQ_BEGIN_C_

/* Starts to fetch a value, and waits for it: each handle once, by the thread that got it. */
AQ_API_ gasnet_valget_handle_t gasnet_get_nb_val(gasnet_node_t node, void* src, size_t nbytes);
AQ_API_ gasnet_register_value_t gasnet_wait_syncnb_valget(gasnet_valget_handle_t handle);

/* Sets each of `nbytes` bytes of a node's segment to `val`, converted to unsigned char. */
AQ_API_ void gasnet_memset(gasnet_node_t node, void* dest, int val, size_t nbytes);
AQ_API_ gasnet_handle_t gasnet_memset_nb(gasnet_node_t node, void* dest, int val, size_t nbytes);
AQ_API_ void gasnet_memset_nbi(gasnet_node_t node, void* dest, int val, size_t nbytes);

AQ_END_C_

#ifdef AQ_AT_
#define gasnet_get_nb_val(...) AQ_AT_(gasnet_get_nb_val(__VA_ARGS__))
#define gasnet_wait_syncnb_valget(...) AQ_AT_(gasnet_wait_syncnb_valget(__VA_ARGS__))
#define gasnet_memset(...) AQ_AT_(gasnet_memset(__VA_ARGS__))
#define gasnet_memset_nb(...) AQ_AT_(gasnet_memset_nb(__VA_ARGS__))
#define gasnet_memset_nbi(...) AQ_AT_(gasnet_memset_nbi(__VA_ARGS__))
#endif

#endif
