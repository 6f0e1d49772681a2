#include "extended/rma.hpp"

#include "api/completion.hpp"
#include "api/face.hpp"
#include "api/nearby.hpp"
#include "extended/device/device_rma.hpp"
#include "trace/trace.hpp"

using namespace aqueduct;
using extended::OpKind;
using extended::Pending;
using extended::Started;

namespace {

// A put or get as the client described it.
struct RmaCall {
  OpKind kind;
  const char* where;
  gex_TM_t tm;
  gex_Rank_t rank;
  void* to;
  const void* from;
  std::size_t bytes;
  gex_Flags_t flags;
  conduit::Reuse reuse = conduit::Reuse::kAtReturn;  // of the source of a put
};

// An offset flag means that the address is counted from the start of the segment of that side's endpoint.
template <class Pointer>
Pointer at_offset(core::Thread& thread, gex_EP_Location_t owner, Pointer address) {
  return reinterpret_cast<Pointer>(
      reinterpret_cast<std::uintptr_t>(address) +
      thread.rank.objects().segment_of(owner.gex_rank, owner.gex_ep_index).base_);
}

trace::timeline::Local local_of(const conduit::Reuse& reuse) {
  if (reuse.unreleased != nullptr) return trace::timeline::Local::kCounted;
  return reuse.is_stable ? trace::timeline::Local::kWhenDone : trace::timeline::Local::kAtReturn;
}

// Offsets become addresses, and who looks is told.
[[gnu::always_inline]] inline void prepare(core::Thread& thread, RmaCall& call, const core::Peer& peer) {
  const gex_EP_Location_t target{peer.rank, peer.remote};
  const bool is_put = call.kind == OpKind::kPut;
  const gex_EP_Location_t self{thread.rank.id(), peer.local};
  if (call.flags & (is_put ? GEX_FLAG_PEER_SEG_OFFSET : GEX_FLAG_SELF_SEG_OFFSET)) {
    call.to = at_offset(thread, is_put ? target : self, call.to);
  }
  if (call.flags & (is_put ? GEX_FLAG_SELF_SEG_OFFSET : GEX_FLAG_PEER_SEG_OFFSET)) {
    call.from = at_offset(thread, is_put ? self : target, call.from);
  }
  const trace::Category category = is_put ? trace::Category::kPut : trace::Category::kGet;
  if (trace::on(category)) [[unlikely]] {
    trace::note_transfer(category, call.where, peer.rank, call.to, call.from, call.bytes);
    if (is_put) trace::timeline::describe_local(local_of(call.reuse));
  }
}

// Between endpoints of which one is not the first of its process: either may have its segment on a device.
[[gnu::noinline]] Started start_beyond_first(core::Thread& thread, RmaCall call, const core::Peer& peer,
                                             Pending& pending) {
  namespace device = extended::device_memory;
  prepare(thread, call, peer);
  const bool is_put = call.kind == OpKind::kPut;
  const bool is_device = device::concerns_device(thread, peer, is_put ? call.from : call.to);
  if (is_put) {
    return is_device ? device::start_put(call.where, thread, peer, call.to, call.from, call.bytes, pending,
                                         call.flags, call.reuse)
                     : extended::start_lent_put(call.where, thread, peer.rank, call.to, call.from, call.bytes,
                                                pending, call.flags, peer.remote, call.reuse);
  }
  return is_device ? device::start_get(call.where, thread, peer, call.to, call.from, call.bytes, pending,
                                       call.flags)
                   : extended::start_get(call.where, thread, peer.rank, call.to, call.from, call.bytes,
                                         pending, call.flags, peer.remote);
}

Started start(core::Thread& thread, RmaCall call, Pending& pending) {
  const core::Peer peer = api::peer(call.where, call.tm, call.rank);
  if (!peer.is_primordial()) [[unlikely]]
    return start_beyond_first(thread, call, peer, pending);
  prepare(thread, call, peer);
  if (call.kind == OpKind::kPut) {
    return extended::start_lent_put(call.where, thread, peer.rank, call.to, call.from, call.bytes, pending,
                                    call.flags, 0, call.reuse);
  }
  return extended::start_get(call.where, thread, peer.rank, call.to, call.from, call.bytes, pending,
                             call.flags);
}

auto starting(const RmaCall& call) {
  return [&call](core::Thread& thread, Pending& pending) { return start(thread, call, pending); };
}
int blocking(RmaCall call) {
  call.reuse = conduit::Reuse::kWhenDone;
  return api::blocking(call.where, starting(call));
}
gex_Event_t explicit_event(const RmaCall& call) {
  return api::explicit_event(call.where, call.kind, starting(call));
}
int implicit(const RmaCall& call) { return api::implicit(call.where, call.kind, starting(call)); }

// What the header leaves to the library although it takes no more than a copy.
[[gnu::always_inline]] inline bool put_nearby(gex_TM_t tm, gex_Rank_t rank, void* to, const void* from,
                                              std::size_t bytes, gex_Flags_t flags) {
  return api::done_nearby(tm, rank, to, bytes, flags, [&](void* here) { aq_copy_(here, from, bytes); });
}
[[gnu::always_inline]] inline bool get_nearby(gex_TM_t tm, void* to, gex_Rank_t rank, const void* from,
                                              std::size_t bytes, gex_Flags_t flags) {
  return api::done_nearby(tm, rank, from, bytes, flags, [&](void* here) { aq_copy_(to, here, bytes); });
}
[[gnu::always_inline]] inline bool put_value_nearby(gex_TM_t tm, gex_Rank_t rank, void* to,
                                                    gex_RMA_Value_t value, std::size_t bytes,
                                                    gex_Flags_t flags) {
  if (bytes - 1 >= sizeof value) return false;
  return api::done_nearby(tm, rank, to, bytes, flags,
                          [&](void* here) { aq_store_value_(here, value, bytes); });
}

void check_value_size(const char* where, std::size_t bytes) {
  if (bytes < 1 || bytes > sizeof(gex_RMA_Value_t)) fatal(where, "a value has 1 to 8 bytes, not %zu", bytes);
}

// How the client wants to learn that the source of its put is free, unless it waits for an event of its own.
conduit::Reuse reuse_of(const char* where, gex_Event_t* lc, bool is_implicit) {
  if (!lc) fatal(where, "lc is NULL");
  if (lc == GEX_EVENT_NOW) return conduit::Reuse::kAtReturn;
  if (lc == GEX_EVENT_DEFER) return conduit::Reuse::kWhenDone;
  if (!is_implicit) fatal(where, "lc must be GEX_EVENT_NOW, GEX_EVENT_DEFER or the address of an event");
  if (lc != GEX_EVENT_GROUP) fatal(where, "lc must be GEX_EVENT_NOW, GEX_EVENT_DEFER or GEX_EVENT_GROUP");
  return conduit::Reuse::counted(extended::ops(core::this_thread(where)).current().count(OpKind::kPutSource));
}

}  // namespace

extern "C" {

int aq_put_blocking_(gex_TM_t tm, gex_Rank_t rank, void* to, const void* from, size_t bytes,
                     gex_Flags_t flags) {
  if (put_nearby(tm, rank, to, from, bytes, flags)) return GASNET_OK;
  return blocking({OpKind::kPut, "gex_RMA_PutBlocking", tm, rank, to, from, bytes, flags});
}
gex_Event_t aq_put_nb_(gex_TM_t tm, gex_Rank_t rank, void* to, const void* from, size_t bytes,
                       gex_Event_t* lc, gex_Flags_t flags) {
  if (lc && put_nearby(tm, rank, to, from, bytes, flags)) {
    aq_locally_complete_(lc);
    return GEX_EVENT_INVALID;
  }
  constexpr const char* kWhere = "gex_RMA_PutNB";
  RmaCall call{OpKind::kPut, kWhere, tm, rank, to, from, bytes, flags};
  if (!api::is_clients_event(lc)) {
    call.reuse = reuse_of(kWhere, lc, false);
    return explicit_event(call);
  }
  const gex_Event_t root = api::event_of(kWhere, [&](core::Thread& thread, extended::Operation& operation) {
    call.reuse = conduit::Reuse::counted(operation.count(OpKind::kPutSource));
    return start(thread, call, operation.count(OpKind::kPut));
  });
  const bool is_pending = root != GEX_EVENT_INVALID && root != GEX_EVENT_NO_OP;
  *lc = is_pending ? extended::leaf_of(*extended::from_event(root), root) : GEX_EVENT_INVALID;
  return root;
}
int aq_put_nbi_(gex_TM_t tm, gex_Rank_t rank, void* to, const void* from, size_t bytes, gex_Event_t* lc,
                gex_Flags_t flags) {
  if (lc && put_nearby(tm, rank, to, from, bytes, flags)) return GASNET_OK;
  const conduit::Reuse reuse = reuse_of("gex_RMA_PutNBI", lc, true);
  return implicit({OpKind::kPut, "gex_RMA_PutNBI", tm, rank, to, from, bytes, flags, reuse});
}
int aq_get_blocking_(gex_TM_t tm, void* to, gex_Rank_t rank, void* from, size_t bytes, gex_Flags_t flags) {
  if (get_nearby(tm, to, rank, from, bytes, flags)) return GASNET_OK;
  return blocking({OpKind::kGet, "gex_RMA_GetBlocking", tm, rank, to, from, bytes, flags});
}
gex_Event_t aq_get_nb_(gex_TM_t tm, void* to, gex_Rank_t rank, void* from, size_t bytes, gex_Flags_t flags) {
  if (get_nearby(tm, to, rank, from, bytes, flags)) return GEX_EVENT_INVALID;
  return explicit_event({OpKind::kGet, "gex_RMA_GetNB", tm, rank, to, from, bytes, flags});
}
int aq_get_nbi_(gex_TM_t tm, void* to, gex_Rank_t rank, void* from, size_t bytes, gex_Flags_t flags) {
  if (get_nearby(tm, to, rank, from, bytes, flags)) return GASNET_OK;
  return implicit({OpKind::kGet, "gex_RMA_GetNBI", tm, rank, to, from, bytes, flags});
}

// Values are stored low-order bytes first, as this machine keeps them, so their address is that of the first
// byte.
int aq_put_blocking_val_(gex_TM_t tm, gex_Rank_t rank, void* to, gex_RMA_Value_t value, size_t bytes,
                         gex_Flags_t flags) {
  if (put_value_nearby(tm, rank, to, value, bytes, flags)) return GASNET_OK;
  check_value_size("gex_RMA_PutBlockingVal", bytes);
  return blocking({OpKind::kPut, "gex_RMA_PutBlockingVal", tm, rank, to, &value, bytes, flags});
}
gex_Event_t aq_put_nb_val_(gex_TM_t tm, gex_Rank_t rank, void* to, gex_RMA_Value_t value, size_t bytes,
                           gex_Flags_t flags) {
  if (put_value_nearby(tm, rank, to, value, bytes, flags)) return GEX_EVENT_INVALID;
  check_value_size("gex_RMA_PutNBVal", bytes);
  return explicit_event({OpKind::kPut, "gex_RMA_PutNBVal", tm, rank, to, &value, bytes, flags});
}
int aq_put_nbi_val_(gex_TM_t tm, gex_Rank_t rank, void* to, gex_RMA_Value_t value, size_t bytes,
                    gex_Flags_t flags) {
  if (put_value_nearby(tm, rank, to, value, bytes, flags)) return GASNET_OK;
  check_value_size("gex_RMA_PutNBIVal", bytes);
  return implicit({OpKind::kPut, "gex_RMA_PutNBIVal", tm, rank, to, &value, bytes, flags});
}
gex_RMA_Value_t aq_get_blocking_val_(gex_TM_t tm, gex_Rank_t rank, void* from, size_t bytes,
                                     gex_Flags_t flags) {
  gex_RMA_Value_t found = 0;
  if (bytes - 1 < sizeof found && api::done_nearby(tm, rank, from, bytes, flags,
                                                   [&](void* here) { found = aq_load_value_(here, bytes); }))
    return found;
  check_value_size("gex_RMA_GetBlockingVal", bytes);
  gex_RMA_Value_t value = 0;
  blocking(
      {OpKind::kGet, "gex_RMA_GetBlockingVal", tm, rank, &value, from, bytes, flags & ~GEX_FLAG_IMMEDIATE});
  return value;
}
}
