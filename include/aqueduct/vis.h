/* Put and get of memory that is not contiguous: vector, indexed, strided.
 *
 * The destination of a put and the source of a get are remote, and must lie in the segment bound to the
 * endpoint (tm, rank); the other side may lie anywhere. Both sides are sequences of bytes, in the order of
 * the list or with the first stride varying fastest, and must have the same number of them. No byte of the
 * destination may overlap another one or the source; sources may overlap themselves. What is outside the
 * segment, a rank outside the team or different numbers of bytes end the job.
 *
 * Blocking, NB and NBI as for gex_RMA_*. Buffers and lists must stay valid until the operation is complete.
 * Flags: GEX_FLAG_IMMEDIATE (GEX_EVENT_NO_OP or non-zero: nothing was done); GEX_FLAG_ENABLE_LEAF_LC (NB: the
 * event of a put has a leaf for local completion, gex_Event_QueryLeaf; NBI: GEX_EC_LC). Any thread, not in
 * handlers; the calls may poll.
 *
 * Where both sides have the same pieces, and the remote one is a neighbour's segment, one piece is copied
 * here and several by one call that does nothing else. Everything else goes into the library.
 */
#ifndef AQUEDUCT_VIS_H_
#define AQUEDUCT_VIS_H_

#include "aqueduct/detail/attributes.h"
#include "aqueduct/detail/vis_neighbour.h"
#include "gasnet_fwd.h"

/* The longest payload of a peer completion. */
#define GEX_VIS_MAX_PEERCOMPLETION ((size_t)256)

AQ_BEGIN_C_

/* What is behind the inline functions below. */
AQ_API_ gex_Event_t aq_vis_vector_put_nb_(gex_TM_t tm, gex_Rank_t rank, size_t dst_count,
                                          gex_Memvec_t const dst_list[], size_t src_count,
                                          gex_Memvec_t const src_list[], gex_Flags_t flags);
AQ_API_ int aq_vis_vector_put_nbi_(gex_TM_t tm, gex_Rank_t rank, size_t dst_count,
                                   gex_Memvec_t const dst_list[], size_t src_count,
                                   gex_Memvec_t const src_list[], gex_Flags_t flags);
AQ_API_ int aq_vis_vector_put_blocking_(gex_TM_t tm, gex_Rank_t rank, size_t dst_count,
                                        gex_Memvec_t const dst_list[], size_t src_count,
                                        gex_Memvec_t const src_list[], gex_Flags_t flags);
AQ_API_ gex_Event_t aq_vis_vector_get_nb_(gex_TM_t tm, size_t dst_count, gex_Memvec_t const dst_list[],
                                          gex_Rank_t rank, size_t src_count, gex_Memvec_t const src_list[],
                                          gex_Flags_t flags);
AQ_API_ int aq_vis_vector_get_nbi_(gex_TM_t tm, size_t dst_count, gex_Memvec_t const dst_list[],
                                   gex_Rank_t rank, size_t src_count, gex_Memvec_t const src_list[],
                                   gex_Flags_t flags);
AQ_API_ int aq_vis_vector_get_blocking_(gex_TM_t tm, size_t dst_count, gex_Memvec_t const dst_list[],
                                        gex_Rank_t rank, size_t src_count, gex_Memvec_t const src_list[],
                                        gex_Flags_t flags);
AQ_API_ gex_Event_t aq_vis_indexed_put_nb_(gex_TM_t tm, gex_Rank_t rank, size_t dst_count,
                                           void* const dst_list[], size_t dst_len, size_t src_count,
                                           void* const src_list[], size_t src_len, gex_Flags_t flags);
AQ_API_ int aq_vis_indexed_put_nbi_(gex_TM_t tm, gex_Rank_t rank, size_t dst_count, void* const dst_list[],
                                    size_t dst_len, size_t src_count, void* const src_list[], size_t src_len,
                                    gex_Flags_t flags);
AQ_API_ int aq_vis_indexed_put_blocking_(gex_TM_t tm, gex_Rank_t rank, size_t dst_count,
                                         void* const dst_list[], size_t dst_len, size_t src_count,
                                         void* const src_list[], size_t src_len, gex_Flags_t flags);
AQ_API_ gex_Event_t aq_vis_indexed_get_nb_(gex_TM_t tm, size_t dst_count, void* const dst_list[],
                                           size_t dst_len, gex_Rank_t rank, size_t src_count,
                                           void* const src_list[], size_t src_len, gex_Flags_t flags);
AQ_API_ int aq_vis_indexed_get_nbi_(gex_TM_t tm, size_t dst_count, void* const dst_list[], size_t dst_len,
                                    gex_Rank_t rank, size_t src_count, void* const src_list[], size_t src_len,
                                    gex_Flags_t flags);
AQ_API_ int aq_vis_indexed_get_blocking_(gex_TM_t tm, size_t dst_count, void* const dst_list[],
                                         size_t dst_len, gex_Rank_t rank, size_t src_count,
                                         void* const src_list[], size_t src_len, gex_Flags_t flags);

AQ_API_ gex_Event_t aq_vis_strided_put_nb_(gex_TM_t tm, gex_Rank_t rank, void* dst,
                                           const ptrdiff_t dst_strides[], void* src,
                                           const ptrdiff_t src_strides[], size_t elem_size,
                                           const size_t count[], size_t levels, gex_Flags_t flags);
AQ_API_ int aq_vis_strided_put_nbi_(gex_TM_t tm, gex_Rank_t rank, void* dst, const ptrdiff_t dst_strides[],
                                    void* src, const ptrdiff_t src_strides[], size_t elem_size,
                                    const size_t count[], size_t levels, gex_Flags_t flags);
AQ_API_ int aq_vis_strided_put_blocking_(gex_TM_t tm, gex_Rank_t rank, void* dst,
                                         const ptrdiff_t dst_strides[], void* src,
                                         const ptrdiff_t src_strides[], size_t elem_size,
                                         const size_t count[], size_t levels, gex_Flags_t flags);
AQ_API_ gex_Event_t aq_vis_strided_get_nb_(gex_TM_t tm, void* dst, const ptrdiff_t dst_strides[],
                                           gex_Rank_t rank, void* src, const ptrdiff_t src_strides[],
                                           size_t elem_size, const size_t count[], size_t levels,
                                           gex_Flags_t flags);
AQ_API_ int aq_vis_strided_get_nbi_(gex_TM_t tm, void* dst, const ptrdiff_t dst_strides[], gex_Rank_t rank,
                                    void* src, const ptrdiff_t src_strides[], size_t elem_size,
                                    const size_t count[], size_t levels, gex_Flags_t flags);
AQ_API_ int aq_vis_strided_get_blocking_(gex_TM_t tm, void* dst, const ptrdiff_t dst_strides[],
                                         gex_Rank_t rank, void* src, const ptrdiff_t src_strides[],
                                         size_t elem_size, const size_t count[], size_t levels,
                                         gex_Flags_t flags);

/* When all of this thread's next gex_VIS_*Put* has arrived, its target runs `handler`, which must be
 * registered there for Medium replies without arguments, with a copy of `nbytes` bytes from `source` (0:
 * none). The source must stay valid until that put is complete, locally complete at least. Handler 0 takes
 * back an earlier call. That put must not have GEX_FLAG_IMMEDIATE. Flags must be 0. Deprecated in the
 * specification. */
AQ_API_ void gex_VIS_SetPeerCompletionHandler(gex_AM_Index_t handler, const void* source, size_t nbytes,
                                              gex_Flags_t flags);

AQ_END_C_

/* Lists of pieces, each with its own length. Entries without bytes are ignored, as are their addresses. */
AQ_ALWAYS_INLINE_ gex_Event_t gex_VIS_VectorPutNB(gex_TM_t tm, gex_Rank_t rank, size_t dst_count,
                                                  gex_Memvec_t const dst_list[], size_t src_count,
                                                  gex_Memvec_t const src_list[], gex_Flags_t flags) {
  if (aq_put_vector_(tm, rank, dst_count, dst_list, src_count, src_list)) return GEX_EVENT_INVALID;
  return aq_vis_vector_put_nb_(tm, rank, dst_count, dst_list, src_count, src_list, flags);
}
AQ_ALWAYS_INLINE_ int gex_VIS_VectorPutNBI(gex_TM_t tm, gex_Rank_t rank, size_t dst_count,
                                           gex_Memvec_t const dst_list[], size_t src_count,
                                           gex_Memvec_t const src_list[], gex_Flags_t flags) {
  if (aq_put_vector_(tm, rank, dst_count, dst_list, src_count, src_list)) return 0;
  return aq_vis_vector_put_nbi_(tm, rank, dst_count, dst_list, src_count, src_list, flags);
}
AQ_ALWAYS_INLINE_ int gex_VIS_VectorPutBlocking(gex_TM_t tm, gex_Rank_t rank, size_t dst_count,
                                                gex_Memvec_t const dst_list[], size_t src_count,
                                                gex_Memvec_t const src_list[], gex_Flags_t flags) {
  if (aq_put_vector_(tm, rank, dst_count, dst_list, src_count, src_list)) return 0;
  return aq_vis_vector_put_blocking_(tm, rank, dst_count, dst_list, src_count, src_list, flags);
}
AQ_ALWAYS_INLINE_ gex_Event_t gex_VIS_VectorGetNB(gex_TM_t tm, size_t dst_count,
                                                  gex_Memvec_t const dst_list[], gex_Rank_t rank,
                                                  size_t src_count, gex_Memvec_t const src_list[],
                                                  gex_Flags_t flags) {
  if (aq_get_vector_(tm, rank, dst_count, dst_list, src_count, src_list)) return GEX_EVENT_INVALID;
  return aq_vis_vector_get_nb_(tm, dst_count, dst_list, rank, src_count, src_list, flags);
}
AQ_ALWAYS_INLINE_ int gex_VIS_VectorGetNBI(gex_TM_t tm, size_t dst_count, gex_Memvec_t const dst_list[],
                                           gex_Rank_t rank, size_t src_count, gex_Memvec_t const src_list[],
                                           gex_Flags_t flags) {
  if (aq_get_vector_(tm, rank, dst_count, dst_list, src_count, src_list)) return 0;
  return aq_vis_vector_get_nbi_(tm, dst_count, dst_list, rank, src_count, src_list, flags);
}
AQ_ALWAYS_INLINE_ int gex_VIS_VectorGetBlocking(gex_TM_t tm, size_t dst_count, gex_Memvec_t const dst_list[],
                                                gex_Rank_t rank, size_t src_count,
                                                gex_Memvec_t const src_list[], gex_Flags_t flags) {
  if (aq_get_vector_(tm, rank, dst_count, dst_list, src_count, src_list)) return 0;
  return aq_vis_vector_get_blocking_(tm, dst_count, dst_list, rank, src_count, src_list, flags);
}

/* Lists of addresses of pieces that all have the same length, which may differ between the two sides. */
AQ_ALWAYS_INLINE_ gex_Event_t gex_VIS_IndexedPutNB(gex_TM_t tm, gex_Rank_t rank, size_t dst_count,
                                                   void* const dst_list[], size_t dst_len, size_t src_count,
                                                   void* const src_list[], size_t src_len,
                                                   gex_Flags_t flags) {
  if (aq_put_indexed_(tm, rank, dst_count, dst_list, dst_len, src_count, src_list, src_len))
    return GEX_EVENT_INVALID;
  return aq_vis_indexed_put_nb_(tm, rank, dst_count, dst_list, dst_len, src_count, src_list, src_len, flags);
}
AQ_ALWAYS_INLINE_ int gex_VIS_IndexedPutNBI(gex_TM_t tm, gex_Rank_t rank, size_t dst_count,
                                            void* const dst_list[], size_t dst_len, size_t src_count,
                                            void* const src_list[], size_t src_len, gex_Flags_t flags) {
  if (aq_put_indexed_(tm, rank, dst_count, dst_list, dst_len, src_count, src_list, src_len)) return 0;
  return aq_vis_indexed_put_nbi_(tm, rank, dst_count, dst_list, dst_len, src_count, src_list, src_len, flags);
}
AQ_ALWAYS_INLINE_ int gex_VIS_IndexedPutBlocking(gex_TM_t tm, gex_Rank_t rank, size_t dst_count,
                                                 void* const dst_list[], size_t dst_len, size_t src_count,
                                                 void* const src_list[], size_t src_len, gex_Flags_t flags) {
  if (aq_put_indexed_(tm, rank, dst_count, dst_list, dst_len, src_count, src_list, src_len)) return 0;
  return aq_vis_indexed_put_blocking_(tm, rank, dst_count, dst_list, dst_len, src_count, src_list, src_len,
                                      flags);
}
AQ_ALWAYS_INLINE_ gex_Event_t gex_VIS_IndexedGetNB(gex_TM_t tm, size_t dst_count, void* const dst_list[],
                                                   size_t dst_len, gex_Rank_t rank, size_t src_count,
                                                   void* const src_list[], size_t src_len,
                                                   gex_Flags_t flags) {
  if (aq_get_indexed_(tm, rank, dst_count, dst_list, dst_len, src_count, src_list, src_len))
    return GEX_EVENT_INVALID;
  return aq_vis_indexed_get_nb_(tm, dst_count, dst_list, dst_len, rank, src_count, src_list, src_len, flags);
}
AQ_ALWAYS_INLINE_ int gex_VIS_IndexedGetNBI(gex_TM_t tm, size_t dst_count, void* const dst_list[],
                                            size_t dst_len, gex_Rank_t rank, size_t src_count,
                                            void* const src_list[], size_t src_len, gex_Flags_t flags) {
  if (aq_get_indexed_(tm, rank, dst_count, dst_list, dst_len, src_count, src_list, src_len)) return 0;
  return aq_vis_indexed_get_nbi_(tm, dst_count, dst_list, dst_len, rank, src_count, src_list, src_len, flags);
}
AQ_ALWAYS_INLINE_ int gex_VIS_IndexedGetBlocking(gex_TM_t tm, size_t dst_count, void* const dst_list[],
                                                 size_t dst_len, gex_Rank_t rank, size_t src_count,
                                                 void* const src_list[], size_t src_len, gex_Flags_t flags) {
  if (aq_get_indexed_(tm, rank, dst_count, dst_list, dst_len, src_count, src_list, src_len)) return 0;
  return aq_vis_indexed_get_blocking_(tm, dst_count, dst_list, dst_len, rank, src_count, src_list, src_len,
                                      flags);
}

/* Elements of `elem_size` contiguous bytes at regular distances: element (i0, i1, ...) of count[0] * count[1]
 * * ... lies at dst + i0 * dst_strides[0] + i1 * dst_strides[1] + ... bytes, and likewise for src. Strides
 * may be negative, and 0 on the source's side. Without levels it is a contiguous copy of one element. If
 * elem_size or any count is 0 nothing is done, whatever the other arguments are. The arrays are consumed at
 * once. */
AQ_ALWAYS_INLINE_ gex_Event_t gex_VIS_StridedPutNB(gex_TM_t tm, gex_Rank_t rank, void* dst,
                                                   const ptrdiff_t dst_strides[], void* src,
                                                   const ptrdiff_t src_strides[], size_t elem_size,
                                                   const size_t count[], size_t levels, gex_Flags_t flags) {
  if (aq_put_strided_(tm, rank, dst, dst_strides, src, src_strides, elem_size, count, levels))
    return GEX_EVENT_INVALID;
  return aq_vis_strided_put_nb_(tm, rank, dst, dst_strides, src, src_strides, elem_size, count, levels,
                                flags);
}
AQ_ALWAYS_INLINE_ int gex_VIS_StridedPutNBI(gex_TM_t tm, gex_Rank_t rank, void* dst,
                                            const ptrdiff_t dst_strides[], void* src,
                                            const ptrdiff_t src_strides[], size_t elem_size,
                                            const size_t count[], size_t levels, gex_Flags_t flags) {
  if (aq_put_strided_(tm, rank, dst, dst_strides, src, src_strides, elem_size, count, levels)) return 0;
  return aq_vis_strided_put_nbi_(tm, rank, dst, dst_strides, src, src_strides, elem_size, count, levels,
                                 flags);
}
AQ_ALWAYS_INLINE_ int gex_VIS_StridedPutBlocking(gex_TM_t tm, gex_Rank_t rank, void* dst,
                                                 const ptrdiff_t dst_strides[], void* src,
                                                 const ptrdiff_t src_strides[], size_t elem_size,
                                                 const size_t count[], size_t levels, gex_Flags_t flags) {
  if (aq_put_strided_(tm, rank, dst, dst_strides, src, src_strides, elem_size, count, levels)) return 0;
  return aq_vis_strided_put_blocking_(tm, rank, dst, dst_strides, src, src_strides, elem_size, count, levels,
                                      flags);
}
AQ_ALWAYS_INLINE_ gex_Event_t gex_VIS_StridedGetNB(gex_TM_t tm, void* dst, const ptrdiff_t dst_strides[],
                                                   gex_Rank_t rank, void* src, const ptrdiff_t src_strides[],
                                                   size_t elem_size, const size_t count[], size_t levels,
                                                   gex_Flags_t flags) {
  if (aq_get_strided_(tm, rank, dst, dst_strides, src, src_strides, elem_size, count, levels))
    return GEX_EVENT_INVALID;
  return aq_vis_strided_get_nb_(tm, dst, dst_strides, rank, src, src_strides, elem_size, count, levels,
                                flags);
}
AQ_ALWAYS_INLINE_ int gex_VIS_StridedGetNBI(gex_TM_t tm, void* dst, const ptrdiff_t dst_strides[],
                                            gex_Rank_t rank, void* src, const ptrdiff_t src_strides[],
                                            size_t elem_size, const size_t count[], size_t levels,
                                            gex_Flags_t flags) {
  if (aq_get_strided_(tm, rank, dst, dst_strides, src, src_strides, elem_size, count, levels)) return 0;
  return aq_vis_strided_get_nbi_(tm, dst, dst_strides, rank, src, src_strides, elem_size, count, levels,
                                 flags);
}
AQ_ALWAYS_INLINE_ int gex_VIS_StridedGetBlocking(gex_TM_t tm, void* dst, const ptrdiff_t dst_strides[],
                                                 gex_Rank_t rank, void* src, const ptrdiff_t src_strides[],
                                                 size_t elem_size, const size_t count[], size_t levels,
                                                 gex_Flags_t flags) {
  if (aq_get_strided_(tm, rank, dst, dst_strides, src, src_strides, elem_size, count, levels)) return 0;
  return aq_vis_strided_get_blocking_(tm, dst, dst_strides, rank, src, src_strides, elem_size, count, levels,
                                      flags);
}

#endif
