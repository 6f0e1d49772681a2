/* Memory of a neighbour that is not contiguous: what vis.h copies at once.
 *
 * Inline code finds the neighbour and copies one piece of a list. Several pieces, and strided elements, are
 * one call whose arguments mostly fit into registers: to gather them in memory costs as much as a piece.
 * Functions that answer 0 leave everything to the library.
 */
#ifndef AQUEDUCT_DETAIL_VIS_NEIGHBOUR_H_
#define AQUEDUCT_DETAIL_VIS_NEIGHBOUR_H_

#include "aqueduct/detail/attributes.h"
#include "aqueduct/detail/copy.h"
#include "aqueduct/detail/reach.h"
#include "gasnet_fwd.h"

AQ_BEGIN_C_

/* Copy pieces that both sides have alike, to or from the memory that `peer` describes, and answer 1. If the
 * pieces do not all lie in that, or are not alike, they answer 0 and may have copied some of them; the
 * functions behind vis.h then do it all, or report the error. */
AQ_API_ int aq_vis_put_memvecs_(const struct aq_peer_view_* peer, gex_Memvec_t const dst_list[],
                                gex_Memvec_t const src_list[], size_t count);
AQ_API_ int aq_vis_get_memvecs_(const struct aq_peer_view_* peer, gex_Memvec_t const dst_list[],
                                gex_Memvec_t const src_list[], size_t count);
AQ_API_ int aq_vis_put_pieces_(const struct aq_peer_view_* peer, void* const dst_list[],
                               void* const src_list[], size_t count, size_t nbytes);
AQ_API_ int aq_vis_get_pieces_(const struct aq_peer_view_* peer, void* const dst_list[],
                               void* const src_list[], size_t count, size_t nbytes);
AQ_API_ int aq_vis_put_elements_(const struct aq_peer_view_* peer, void* dst, const ptrdiff_t dst_strides[],
                                 const void* src, const ptrdiff_t src_strides[], size_t elem_size,
                                 const size_t count[], size_t levels);
AQ_API_ int aq_vis_get_elements_(const struct aq_peer_view_* peer, void* dst, const ptrdiff_t dst_strides[],
                                 const void* src, const ptrdiff_t src_strides[], size_t elem_size,
                                 const size_t count[], size_t levels);

AQ_END_C_

/* The neighbour whose memory a put, or a get, of pieces may copy to or from at once. NULL if there is none:
 * not in debug clients, whose arguments the library checks, and no puts once a peer is to hear of their
 * arrival. */
AQ_ALWAYS_INLINE_ const struct aq_peer_view_* aq_piece_peer_(gex_TM_t tm, gex_Rank_t rank) {
#if !defined(GASNET_DEBUG)
  const struct aq_peer_view_* peer;
  if (tm != GEX_TM_INVALID && aq_peer_(tm, rank, &peer) && peer->size_ != 0) return peer;
#endif
  (void)tm, (void)rank;
  return NULL;
}
AQ_ALWAYS_INLINE_ const struct aq_peer_view_* aq_piece_target_(gex_TM_t tm, gex_Rank_t rank) {
  return __atomic_load_n(&aq_world_.puts_signal_, __ATOMIC_RELAXED) ? NULL : aq_piece_peer_(tm, rank);
}

/* Try to copy to or from a neighbour, and say whether they have. */
AQ_ALWAYS_INLINE_ int aq_put_piece_(const struct aq_peer_view_* peer, void* destination, const void* source,
                                    size_t nbytes) {
  void* to;
  if (!aq_reach_peer_(peer, destination, nbytes, &to)) return 0;
  aq_copy_(to, source, nbytes);
  return 1;
}
AQ_ALWAYS_INLINE_ int aq_get_piece_(const struct aq_peer_view_* peer, void* destination, const void* source,
                                    size_t nbytes) {
  void* from;
  if (!aq_reach_peer_(peer, source, nbytes, &from)) return 0;
  aq_copy_(destination, from, nbytes);
  return 1;
}

AQ_ALWAYS_INLINE_ int aq_put_vector_(gex_TM_t tm, gex_Rank_t rank, size_t dst_count,
                                     gex_Memvec_t const dst_list[], size_t src_count,
                                     gex_Memvec_t const src_list[]) {
  const struct aq_peer_view_* const peer = aq_piece_target_(tm, rank);
  if (!peer || dst_count != src_count) return 0;
  if (dst_count != 1) return aq_vis_put_memvecs_(peer, dst_list, src_list, dst_count);
  return dst_list[0].gex_len == src_list[0].gex_len &&
         aq_put_piece_(peer, dst_list[0].gex_addr, src_list[0].gex_addr, dst_list[0].gex_len);
}
AQ_ALWAYS_INLINE_ int aq_get_vector_(gex_TM_t tm, gex_Rank_t rank, size_t dst_count,
                                     gex_Memvec_t const dst_list[], size_t src_count,
                                     gex_Memvec_t const src_list[]) {
  const struct aq_peer_view_* const peer = aq_piece_peer_(tm, rank);
  if (!peer || dst_count != src_count) return 0;
  if (dst_count != 1) return aq_vis_get_memvecs_(peer, dst_list, src_list, dst_count);
  return dst_list[0].gex_len == src_list[0].gex_len &&
         aq_get_piece_(peer, dst_list[0].gex_addr, src_list[0].gex_addr, dst_list[0].gex_len);
}

AQ_ALWAYS_INLINE_ int aq_put_indexed_(gex_TM_t tm, gex_Rank_t rank, size_t dst_count, void* const dst_list[],
                                      size_t dst_len, size_t src_count, void* const src_list[],
                                      size_t src_len) {
  const struct aq_peer_view_* const peer = aq_piece_target_(tm, rank);
  if (!peer || dst_count != src_count || dst_len != src_len) return 0;
  if (dst_count != 1) return aq_vis_put_pieces_(peer, dst_list, src_list, dst_count, dst_len);
  return aq_put_piece_(peer, dst_list[0], src_list[0], dst_len);
}
AQ_ALWAYS_INLINE_ int aq_get_indexed_(gex_TM_t tm, gex_Rank_t rank, size_t dst_count, void* const dst_list[],
                                      size_t dst_len, size_t src_count, void* const src_list[],
                                      size_t src_len) {
  const struct aq_peer_view_* const peer = aq_piece_peer_(tm, rank);
  if (!peer || dst_count != src_count || dst_len != src_len) return 0;
  if (dst_count != 1) return aq_vis_get_pieces_(peer, dst_list, src_list, dst_count, dst_len);
  return aq_get_piece_(peer, dst_list[0], src_list[0], dst_len);
}

AQ_ALWAYS_INLINE_ int aq_put_strided_(gex_TM_t tm, gex_Rank_t rank, void* dst, const ptrdiff_t dst_strides[],
                                      const void* src, const ptrdiff_t src_strides[], size_t elem_size,
                                      const size_t count[], size_t levels) {
  const struct aq_peer_view_* const peer = aq_piece_target_(tm, rank);
  return peer && aq_vis_put_elements_(peer, dst, dst_strides, src, src_strides, elem_size, count, levels);
}
AQ_ALWAYS_INLINE_ int aq_get_strided_(gex_TM_t tm, gex_Rank_t rank, void* dst, const ptrdiff_t dst_strides[],
                                      const void* src, const ptrdiff_t src_strides[], size_t elem_size,
                                      const size_t count[], size_t levels) {
  const struct aq_peer_view_* const peer = aq_piece_peer_(tm, rank);
  return peer && aq_vis_get_elements_(peer, dst, dst_strides, src, src_strides, elem_size, count, levels);
}

#endif
