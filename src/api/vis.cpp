#include "extended/vis/vis.hpp"

#include "api/completion.hpp"
#include "api/face.hpp"
#include "api/nearby.hpp"
#include "extended/vis/neighbour.hpp"
#include "extended/vis/signal.hpp"
#include "gasnet_vis.h"
#include "trace/trace.hpp"

using namespace aqueduct;
namespace vis = extended::vis;
using extended::OpKind;
using extended::Pending;
using extended::Started;

static_assert(GEX_VIS_MAX_PEERCOMPLETION == vis::kMostSignalBytes);

namespace {

// What all calls have in common.
struct VisCall {
  const char* where;
  OpKind kind;
  gex_TM_t tm;
  gex_Rank_t rank;
  gex_Flags_t flags;
};

// One transfer of any form, which begins by form(thread, transfer, pending); an empty one has no need of its
// target.
template <class Form>
Started start(core::Thread& thread, const VisCall& call, const Form& form, Pending& pending) {
  const auto begin = [&](Pending& counted) {
    if (form.is_empty()) return Started::kDone;
    const core::Peer peer = api::peer(call.where, call.tm, call.rank);
    const auto category = call.kind == OpKind::kPut ? trace::Category::kPut : trace::Category::kGet;
    if (trace::on(category)) [[unlikely]] {
      trace::timeline::describe(peer.rank, form.bytes());
      trace::note(category, call.where, form.bytes(), "with rank %u, %zu bytes", peer.rank, form.bytes());
    }
    return form(thread,
                vis::VisTransfer{call.where, call.kind, peer.rank, call.flags, peer.remote, peer.local},
                counted);
  };
  if (call.kind == OpKind::kGet || !vis::has_signal(thread)) return begin(pending);
  // The peer may be told only when everything has arrived there, which is known only when it is complete
  // here.
  const vis::PeerSignal signal = vis::take_signal(thread);
  if (call.flags & GEX_FLAG_IMMEDIATE) {
    fatal(call.where, "GEX_FLAG_IMMEDIATE may not be combined with a peer completion handler");
  }
  Pending own{0};
  begin(own);
  core::wait_until(
      thread, core::Scope::kAll, [&] { return own.load(std::memory_order_acquire) == 0; },
      extended::TransferSubject{observe::TransferKind::kPut, api::peer(call.where, call.tm, call.rank).rank,
                                call.where});
  vis::send_signal(call.where, thread, api::peer(call.where, call.tm, call.rank).rank, signal);
  return Started::kDone;
}

struct Vector {
  vis::MemvecList to, from;
  bool is_empty() const { return to.count == 0 && from.count == 0; }
  std::size_t bytes() const { return to.bytes(); }
  Started operator()(core::Thread& thread, const vis::VisTransfer& transfer, Pending& pending) const {
    return vis::start_vector(thread, transfer, to, from, pending);
  }
  template <OpKind kKind>
  bool copy_near(const aq_peer_view_& peer) const {
    return to.count == from.count && vis::copy_memvecs<kKind>(peer, to.entries, from.entries, to.count);
  }
};
struct Indexed {
  vis::IndexedList to, from;
  bool is_empty() const { return to.bytes() == 0 && from.bytes() == 0; }
  std::size_t bytes() const { return to.bytes(); }
  Started operator()(core::Thread& thread, const vis::VisTransfer& transfer, Pending& pending) const {
    return vis::start_indexed(thread, transfer, to, from, pending);
  }
  template <OpKind kKind>
  bool copy_near(const aq_peer_view_& peer) const {
    return to.count == from.count && to.length == from.length &&
           vis::copy_pieces<kKind>(peer, to.entries, from.entries, to.count, to.length);
  }
};
struct Strided {
  vis::StridedTransfer shape;
  bool is_empty() const { return shape.is_empty(); }
  std::size_t bytes() const { return shape.bytes(); }
  Started operator()(core::Thread& thread, const vis::VisTransfer& transfer, Pending& pending) const {
    return vis::start_strided(thread, transfer, shape, pending);
  }
  template <OpKind kKind>
  bool copy_near(const aq_peer_view_& peer) const {
    return vis::copy_elements<kKind>(peer, shape);
  }
};

// What is known of the peer's memory, if a transfer with it can be copied without more ado: none
// of the checks of debug clients, no handler that runs on this thread, and no peer completions of puts.
template <OpKind kKind>
[[gnu::always_inline]] inline const aq_peer_view_* near_peer(gex_TM_t tm, gex_Rank_t rank) {
  if (tm == GEX_TM_INVALID || api::is_pair(tm) || api::is_debug_call()) return nullptr;
  core::Thread* const thread = core::current_thread();
  if (!thread || thread->handling) return nullptr;
  if (kKind == OpKind::kPut && __atomic_load_n(&aq_world_.puts_signal_, __ATOMIC_RELAXED)) return nullptr;
  const aq_team_view_& team = core::from_handle(tm)->near;
  return rank < team.size_ ? &team.peers_[rank] : nullptr;
}

template <OpKind kKind, class Form>
[[gnu::always_inline]] inline bool copied_at_once(const VisCall& call, const Form& form) {
  const aq_peer_view_* const peer = near_peer<kKind>(call.tm, call.rank);
  if (!peer || !form.template copy_near<kKind>(*peer)) return false;
  core::look_now_and_then(*core::current_thread());
  return true;
}
template <class Form>
[[gnu::always_inline]] inline bool copied_at_once(const VisCall& call, const Form& form) {
  return call.kind == OpKind::kPut ? copied_at_once<OpKind::kPut>(call, form)
                                   : copied_at_once<OpKind::kGet>(call, form);
}

template <class Form>
auto starting(const VisCall& call, const Form& form) {
  return [&](core::Thread& thread, Pending& pending) { return start(thread, call, form, pending); };
}

// What is not copied at once goes out of line, by value: so that the arguments of the others need not be
// gathered in memory.
template <class Form>
[[gnu::noinline]] int start_blocking(VisCall call, Form form) {
  return api::blocking(call.where, starting(call, form));
}
template <class Form>
[[gnu::noinline]] gex_Event_t start_explicit(VisCall call, Form form) {
  return api::explicit_event(call.where, call.kind, starting(call, form));
}
template <class Form>
[[gnu::noinline]] int start_implicit(VisCall call, Form form) {
  return api::implicit(call.where, call.kind, starting(call, form));
}

template <class Form>
[[gnu::always_inline]] inline int blocking(const VisCall& call, const Form& form) {
  return copied_at_once(call, form) ? GASNET_OK : start_blocking(call, form);
}
template <class Form>
[[gnu::always_inline]] inline gex_Event_t explicit_event(const VisCall& call, const Form& form) {
  return copied_at_once(call, form) ? GEX_EVENT_INVALID : start_explicit(call, form);
}
template <class Form>
[[gnu::always_inline]] inline int implicit(const VisCall& call, const Form& form) {
  return copied_at_once(call, form) ? GASNET_OK : start_implicit(call, form);
}

}  // namespace

extern "C" {

int aq_vis_put_memvecs_(const aq_peer_view_* peer, gex_Memvec_t const dst_list[],
                        gex_Memvec_t const src_list[], size_t count) {
  return vis::copy_memvecs<OpKind::kPut>(*peer, dst_list, src_list, count);
}
int aq_vis_get_memvecs_(const aq_peer_view_* peer, gex_Memvec_t const dst_list[],
                        gex_Memvec_t const src_list[], size_t count) {
  return vis::copy_memvecs<OpKind::kGet>(*peer, dst_list, src_list, count);
}
int aq_vis_put_pieces_(const aq_peer_view_* peer, void* const dst_list[], void* const src_list[],
                       size_t count, size_t nbytes) {
  return vis::copy_pieces<OpKind::kPut>(*peer, dst_list, src_list, count, nbytes);
}
int aq_vis_get_pieces_(const aq_peer_view_* peer, void* const dst_list[], void* const src_list[],
                       size_t count, size_t nbytes) {
  return vis::copy_pieces<OpKind::kGet>(*peer, dst_list, src_list, count, nbytes);
}
int aq_vis_put_elements_(const aq_peer_view_* peer, void* dst, const ptrdiff_t dst_strides[], const void* src,
                         const ptrdiff_t src_strides[], size_t elem_size, const size_t count[],
                         size_t levels) {
  return vis::copy_elements<OpKind::kPut>(*peer,
                                          {dst, dst_strides, src, src_strides, elem_size, count, levels});
}
int aq_vis_get_elements_(const aq_peer_view_* peer, void* dst, const ptrdiff_t dst_strides[], const void* src,
                         const ptrdiff_t src_strides[], size_t elem_size, const size_t count[],
                         size_t levels) {
  return vis::copy_elements<OpKind::kGet>(*peer,
                                          {dst, dst_strides, src, src_strides, elem_size, count, levels});
}

gex_Event_t aq_vis_vector_put_nb_(gex_TM_t tm, gex_Rank_t rank, size_t dst_count,
                                  gex_Memvec_t const dst_list[], size_t src_count,
                                  gex_Memvec_t const src_list[], gex_Flags_t flags) {
  return explicit_event({"gex_VIS_VectorPutNB", OpKind::kPut, tm, rank, flags},
                        Vector{{dst_list, dst_count}, {src_list, src_count}});
}
int aq_vis_vector_put_nbi_(gex_TM_t tm, gex_Rank_t rank, size_t dst_count, gex_Memvec_t const dst_list[],
                           size_t src_count, gex_Memvec_t const src_list[], gex_Flags_t flags) {
  return implicit({"gex_VIS_VectorPutNBI", OpKind::kPut, tm, rank, flags},
                  Vector{{dst_list, dst_count}, {src_list, src_count}});
}
int aq_vis_vector_put_blocking_(gex_TM_t tm, gex_Rank_t rank, size_t dst_count, gex_Memvec_t const dst_list[],
                                size_t src_count, gex_Memvec_t const src_list[], gex_Flags_t flags) {
  return blocking({"gex_VIS_VectorPutBlocking", OpKind::kPut, tm, rank, flags},
                  Vector{{dst_list, dst_count}, {src_list, src_count}});
}
gex_Event_t aq_vis_vector_get_nb_(gex_TM_t tm, size_t dst_count, gex_Memvec_t const dst_list[],
                                  gex_Rank_t rank, size_t src_count, gex_Memvec_t const src_list[],
                                  gex_Flags_t flags) {
  return explicit_event({"gex_VIS_VectorGetNB", OpKind::kGet, tm, rank, flags},
                        Vector{{dst_list, dst_count}, {src_list, src_count}});
}
int aq_vis_vector_get_nbi_(gex_TM_t tm, size_t dst_count, gex_Memvec_t const dst_list[], gex_Rank_t rank,
                           size_t src_count, gex_Memvec_t const src_list[], gex_Flags_t flags) {
  return implicit({"gex_VIS_VectorGetNBI", OpKind::kGet, tm, rank, flags},
                  Vector{{dst_list, dst_count}, {src_list, src_count}});
}
int aq_vis_vector_get_blocking_(gex_TM_t tm, size_t dst_count, gex_Memvec_t const dst_list[], gex_Rank_t rank,
                                size_t src_count, gex_Memvec_t const src_list[], gex_Flags_t flags) {
  return blocking({"gex_VIS_VectorGetBlocking", OpKind::kGet, tm, rank, flags},
                  Vector{{dst_list, dst_count}, {src_list, src_count}});
}

gex_Event_t aq_vis_indexed_put_nb_(gex_TM_t tm, gex_Rank_t rank, size_t dst_count, void* const dst_list[],
                                   size_t dst_len, size_t src_count, void* const src_list[], size_t src_len,
                                   gex_Flags_t flags) {
  return explicit_event({"gex_VIS_IndexedPutNB", OpKind::kPut, tm, rank, flags},
                        Indexed{{dst_list, dst_count, dst_len}, {src_list, src_count, src_len}});
}
int aq_vis_indexed_put_nbi_(gex_TM_t tm, gex_Rank_t rank, size_t dst_count, void* const dst_list[],
                            size_t dst_len, size_t src_count, void* const src_list[], size_t src_len,
                            gex_Flags_t flags) {
  return implicit({"gex_VIS_IndexedPutNBI", OpKind::kPut, tm, rank, flags},
                  Indexed{{dst_list, dst_count, dst_len}, {src_list, src_count, src_len}});
}
int aq_vis_indexed_put_blocking_(gex_TM_t tm, gex_Rank_t rank, size_t dst_count, void* const dst_list[],
                                 size_t dst_len, size_t src_count, void* const src_list[], size_t src_len,
                                 gex_Flags_t flags) {
  return blocking({"gex_VIS_IndexedPutBlocking", OpKind::kPut, tm, rank, flags},
                  Indexed{{dst_list, dst_count, dst_len}, {src_list, src_count, src_len}});
}
gex_Event_t aq_vis_indexed_get_nb_(gex_TM_t tm, size_t dst_count, void* const dst_list[], size_t dst_len,
                                   gex_Rank_t rank, size_t src_count, void* const src_list[], size_t src_len,
                                   gex_Flags_t flags) {
  return explicit_event({"gex_VIS_IndexedGetNB", OpKind::kGet, tm, rank, flags},
                        Indexed{{dst_list, dst_count, dst_len}, {src_list, src_count, src_len}});
}
int aq_vis_indexed_get_nbi_(gex_TM_t tm, size_t dst_count, void* const dst_list[], size_t dst_len,
                            gex_Rank_t rank, size_t src_count, void* const src_list[], size_t src_len,
                            gex_Flags_t flags) {
  return implicit({"gex_VIS_IndexedGetNBI", OpKind::kGet, tm, rank, flags},
                  Indexed{{dst_list, dst_count, dst_len}, {src_list, src_count, src_len}});
}
int aq_vis_indexed_get_blocking_(gex_TM_t tm, size_t dst_count, void* const dst_list[], size_t dst_len,
                                 gex_Rank_t rank, size_t src_count, void* const src_list[], size_t src_len,
                                 gex_Flags_t flags) {
  return blocking({"gex_VIS_IndexedGetBlocking", OpKind::kGet, tm, rank, flags},
                  Indexed{{dst_list, dst_count, dst_len}, {src_list, src_count, src_len}});
}

gex_Event_t aq_vis_strided_put_nb_(gex_TM_t tm, gex_Rank_t rank, void* dst, const ptrdiff_t dst_strides[],
                                   void* src, const ptrdiff_t src_strides[], size_t elem_size,
                                   const size_t count[], size_t levels, gex_Flags_t flags) {
  return explicit_event({"gex_VIS_StridedPutNB", OpKind::kPut, tm, rank, flags},
                        Strided{{dst, dst_strides, src, src_strides, elem_size, count, levels}});
}
int aq_vis_strided_put_nbi_(gex_TM_t tm, gex_Rank_t rank, void* dst, const ptrdiff_t dst_strides[], void* src,
                            const ptrdiff_t src_strides[], size_t elem_size, const size_t count[],
                            size_t levels, gex_Flags_t flags) {
  return implicit({"gex_VIS_StridedPutNBI", OpKind::kPut, tm, rank, flags},
                  Strided{{dst, dst_strides, src, src_strides, elem_size, count, levels}});
}
int aq_vis_strided_put_blocking_(gex_TM_t tm, gex_Rank_t rank, void* dst, const ptrdiff_t dst_strides[],
                                 void* src, const ptrdiff_t src_strides[], size_t elem_size,
                                 const size_t count[], size_t levels, gex_Flags_t flags) {
  return blocking({"gex_VIS_StridedPutBlocking", OpKind::kPut, tm, rank, flags},
                  Strided{{dst, dst_strides, src, src_strides, elem_size, count, levels}});
}
gex_Event_t aq_vis_strided_get_nb_(gex_TM_t tm, void* dst, const ptrdiff_t dst_strides[], gex_Rank_t rank,
                                   void* src, const ptrdiff_t src_strides[], size_t elem_size,
                                   const size_t count[], size_t levels, gex_Flags_t flags) {
  return explicit_event({"gex_VIS_StridedGetNB", OpKind::kGet, tm, rank, flags},
                        Strided{{dst, dst_strides, src, src_strides, elem_size, count, levels}});
}
int aq_vis_strided_get_nbi_(gex_TM_t tm, void* dst, const ptrdiff_t dst_strides[], gex_Rank_t rank, void* src,
                            const ptrdiff_t src_strides[], size_t elem_size, const size_t count[],
                            size_t levels, gex_Flags_t flags) {
  return implicit({"gex_VIS_StridedGetNBI", OpKind::kGet, tm, rank, flags},
                  Strided{{dst, dst_strides, src, src_strides, elem_size, count, levels}});
}
int aq_vis_strided_get_blocking_(gex_TM_t tm, void* dst, const ptrdiff_t dst_strides[], gex_Rank_t rank,
                                 void* src, const ptrdiff_t src_strides[], size_t elem_size,
                                 const size_t count[], size_t levels, gex_Flags_t flags) {
  return blocking({"gex_VIS_StridedGetBlocking", OpKind::kGet, tm, rank, flags},
                  Strided{{dst, dst_strides, src, src_strides, elem_size, count, levels}});
}

void gex_VIS_SetPeerCompletionHandler(gex_AM_Index_t handler, const void* source, size_t nbytes,
                                      gex_Flags_t) {
  constexpr const char* kWhere = "gex_VIS_SetPeerCompletionHandler";
  core::Thread& thread = core::this_thread(kWhere);
  api::not_in_handler(kWhere, thread);
  if (handler != 0 && handler < GEX_AM_INDEX_BASE)
    fatal(kWhere, "handler %u is not one of the client's", handler);
  if (nbytes > GEX_VIS_MAX_PEERCOMPLETION) {
    fatal(kWhere, "nbytes is %zu; at most %zu bytes can be sent", nbytes, GEX_VIS_MAX_PEERCOMPLETION);
  }
  vis::state(thread).signal = {handler, source, nbytes};
  __atomic_store_n(&aq_world_.puts_signal_, 1, __ATOMIC_RELAXED);
}
}
