/* Vector, indexed and strided put and get in GASNet-1: as vis.h, over all ranks of the job, complete on
 * return, by a handle (_nb), or with the thread's implicit operations (_nbi).
 *
 * Strides are of type size_t here, in bytes, and count[0] is the number of contiguous bytes; count[1] to
 * count[stridelevels] are the numbers of pieces at each level.
 */
#ifndef AQUEDUCT_LEGACY_VIS_H_
#define AQUEDUCT_LEGACY_VIS_H_

#include "aqueduct/detail/attributes.h"
#include "aqueduct/detail/call_site.h"
#include "aqueduct/legacy/job.h"
#include "aqueduct/legacy/types.h"
#include "aqueduct/vis.h"
#include "gasnet_vis.h"

/* clang-format off */

#define AQ_MEMVECS_(list) ((const gex_Memvec_t*)(const gasnet_memvec_t*)(list))

#define gasnet_putv_bulk(node, dstcount, dstlist, srccount, srclist) \
  ((void)gex_VIS_VectorPutBlocking(aq_legacy_team_(), node, dstcount, AQ_MEMVECS_(dstlist), srccount, \
                                   AQ_MEMVECS_(srclist), 0))
#define gasnet_putv_nb_bulk(node, dstcount, dstlist, srccount, srclist) \
  gex_VIS_VectorPutNB(aq_legacy_team_(), node, dstcount, AQ_MEMVECS_(dstlist), srccount, \
                      AQ_MEMVECS_(srclist), 0)
#define gasnet_putv_nbi_bulk(node, dstcount, dstlist, srccount, srclist) \
  ((void)gex_VIS_VectorPutNBI(aq_legacy_team_(), node, dstcount, AQ_MEMVECS_(dstlist), srccount, \
                              AQ_MEMVECS_(srclist), 0))
#define gasnet_getv_bulk(dstcount, dstlist, node, srccount, srclist) \
  ((void)gex_VIS_VectorGetBlocking(aq_legacy_team_(), dstcount, AQ_MEMVECS_(dstlist), node, srccount, \
                                   AQ_MEMVECS_(srclist), 0))
#define gasnet_getv_nb_bulk(dstcount, dstlist, node, srccount, srclist) \
  gex_VIS_VectorGetNB(aq_legacy_team_(), dstcount, AQ_MEMVECS_(dstlist), node, srccount, \
                      AQ_MEMVECS_(srclist), 0)
#define gasnet_getv_nbi_bulk(dstcount, dstlist, node, srccount, srclist) \
  ((void)gex_VIS_VectorGetNBI(aq_legacy_team_(), dstcount, AQ_MEMVECS_(dstlist), node, srccount, \
                              AQ_MEMVECS_(srclist), 0))

#define gasnet_puti_bulk(node, dstcount, dstlist, dstlen, srccount, srclist, srclen) \
  ((void)gex_VIS_IndexedPutBlocking(aq_legacy_team_(), node, dstcount, dstlist, dstlen, srccount, srclist, \
                                    srclen, 0))
#define gasnet_puti_nb_bulk(node, dstcount, dstlist, dstlen, srccount, srclist, srclen) \
  gex_VIS_IndexedPutNB(aq_legacy_team_(), node, dstcount, dstlist, dstlen, srccount, srclist, srclen, 0)
#define gasnet_puti_nbi_bulk(node, dstcount, dstlist, dstlen, srccount, srclist, srclen) \
  ((void)gex_VIS_IndexedPutNBI(aq_legacy_team_(), node, dstcount, dstlist, dstlen, srccount, srclist, srclen, 0))
#define gasnet_geti_bulk(dstcount, dstlist, dstlen, node, srccount, srclist, srclen) \
  ((void)gex_VIS_IndexedGetBlocking(aq_legacy_team_(), dstcount, dstlist, dstlen, node, srccount, srclist, \
                                    srclen, 0))
#define gasnet_geti_nb_bulk(dstcount, dstlist, dstlen, node, srccount, srclist, srclen) \
  gex_VIS_IndexedGetNB(aq_legacy_team_(), dstcount, dstlist, dstlen, node, srccount, srclist, srclen, 0)
#define gasnet_geti_nbi_bulk(dstcount, dstlist, dstlen, node, srccount, srclist, srclen) \
  ((void)gex_VIS_IndexedGetNBI(aq_legacy_team_(), dstcount, dstlist, dstlen, node, srccount, srclist, srclen, 0))

/* Functions, so that `count` is evaluated once. `answer`: what becomes of the result. */
#define AQ_DEFINE_LEGACY_STRIDED_(result, answer, suffix, form)                                               \
  AQ_INLINE_ result gasnet_puts_##suffix(gasnet_node_t node, void* dstaddr, const size_t dststrides[],      \
                                         void* srcaddr, const size_t srcstrides[], const size_t count[],    \
                                         size_t stridelevels) {                                             \
    answer (gex_VIS_StridedPut##form)(aq_legacy_team_(), node, dstaddr, (const ptrdiff_t*)dststrides, \
                                              srcaddr, (const ptrdiff_t*)srcstrides, count[0], count + 1,   \
                                              stridelevels, 0);                                             \
  }                                                                                                         \
  AQ_INLINE_ result gasnet_gets_##suffix(void* dstaddr, const size_t dststrides[], gasnet_node_t node,      \
                                         void* srcaddr, const size_t srcstrides[], const size_t count[],    \
                                         size_t stridelevels) {                                             \
    answer (gex_VIS_StridedGet##form)(aq_legacy_team_(), dstaddr, (const ptrdiff_t*)dststrides, node, \
                                              srcaddr, (const ptrdiff_t*)srcstrides, count[0], count + 1,   \
                                              stridelevels, 0);                                             \
  }
AQ_DEFINE_LEGACY_STRIDED_(void, (void), bulk, Blocking)
AQ_DEFINE_LEGACY_STRIDED_(gasnet_handle_t, return, nb_bulk, NB)
AQ_DEFINE_LEGACY_STRIDED_(void, (void), nbi_bulk, NBI)

#ifdef AQ_AT_
#define gasnet_puts_bulk(...) AQ_AT_(gasnet_puts_bulk(__VA_ARGS__))
#define gasnet_puts_nb_bulk(...) AQ_AT_(gasnet_puts_nb_bulk(__VA_ARGS__))
#define gasnet_puts_nbi_bulk(...) AQ_AT_(gasnet_puts_nbi_bulk(__VA_ARGS__))
#define gasnet_gets_bulk(...) AQ_AT_(gasnet_gets_bulk(__VA_ARGS__))
#define gasnet_gets_nb_bulk(...) AQ_AT_(gasnet_gets_nb_bulk(__VA_ARGS__))
#define gasnet_gets_nbi_bulk(...) AQ_AT_(gasnet_gets_nbi_bulk(__VA_ARGS__))
#endif

/* clang-format on */

#endif
