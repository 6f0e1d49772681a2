#include "far.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "checks.hpp"
#include "exported.hpp"
#include "shmem.h"

namespace aqshmem {
namespace {

UnderWay default_under_way;
std::mutex contexts_lock;
std::vector<shmem_ctx_t> contexts;

/// Puts of one thread are implicit operations; those of several are events of the context.
void put(shmem_ctx_t ctx, int pe, void* target, const void* source, std::size_t bytes, gex_Event_t* local) {
  const auto rank = static_cast<gex_Rank_t>(pe);
  const Inside inside;
  if (!job.is_threaded) {
    gex_RMA_PutNBI(job.world, rank, target, source, bytes, local, 0);
  } else {
    static_cast<UnderWay*>(ctx->far_)->add(gex_RMA_PutNB(job.world, rank, target, source, bytes, local, 0));
  }
}

gex_AM_Index_t bell = 0;
void on_bell(gex_Token_t) {}

gex_OP_t as_gex(int operation) {
  static constexpr gex_OP_t kPlain[] = {GEX_OP_GET, GEX_OP_SET,  GEX_OP_SWAP, GEX_OP_FCAS,
                                        GEX_OP_ADD, GEX_OP_FADD, GEX_OP_AND,  GEX_OP_FAND,
                                        GEX_OP_OR,  GEX_OP_FOR,  GEX_OP_XOR,  GEX_OP_FXOR};
  return kPlain[operation];
}

}  // namespace

void look_after_many() {
  thread_local unsigned until_look = 0;
  if (++until_look % 64 != 0) return;
  const Inside inside;
  gasnet_AMPoll();
}

void register_bell() {
  gex_AM_Entry_t entry{};
  entry.gex_fnptr = reinterpret_cast<gex_AM_Fn_t>(on_bell);
  entry.gex_flags = GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST;
  entry.gex_name = "shmem_bell";
  gex_EP_RegisterHandlers(job.endpoint, &entry, 1);
  bell = entry.gex_index;
}

void ring(int pe) {
  if (job.rings && pe != job.me) gex_AM_RequestShort0(job.world, static_cast<gex_Rank_t>(pe), bell, 0);
}

void UnderWay::add(gex_Event_t event) {
  if (event == GEX_EVENT_INVALID) return;
  std::vector<gex_Event_t> done;
  {
    const std::lock_guard guard(lock_);
    events_.push_back(event);
    // A program that never asks for completion must not fill the memory.
    if (events_.size() >= 4096) done.swap(events_);
  }
  if (!done.empty()) gex_Event_WaitAll(done.data(), done.size(), 0);
}

void UnderWay::complete() {
  std::vector<gex_Event_t> mine;
  {
    const std::lock_guard guard(lock_);
    mine.swap(events_);
  }
  if (!mine.empty()) gex_Event_WaitAll(mine.data(), mine.size(), 0);
}

void complete(shmem_ctx_t ctx) {
  if (!job.has_far) return;
  if (!job.is_threaded) {
    const Inside inside;
    gex_NBI_Wait(GEX_EC_ALL, 0);
  } else if (ctx) {
    static_cast<UnderWay*>(ctx->far_)->complete();
  } else {
    default_under_way.complete();
    std::vector<shmem_ctx_t> all;
    {
      const std::lock_guard guard(contexts_lock);
      all = contexts;
    }
    for (shmem_ctx_t one : all) {
      if (!(one->options_ & SHMEM_CTX_PRIVATE)) static_cast<UnderWay*>(one->far_)->complete();
    }
  }
}

shmem_ctx_t make_context(shmem_team_* team, const int* members, long options) {
  auto ctx = std::make_unique<shmem_ctx_>(shmem_ctx_{members, team, options, new UnderWay});
  const std::lock_guard guard(contexts_lock);
  contexts.push_back(ctx.get());
  return ctx.release();
}

void destroy_context(shmem_ctx_t ctx) {
  {
    const std::lock_guard guard(contexts_lock);
    const auto found = std::find(contexts.begin(), contexts.end(), ctx);
    if (found == contexts.end()) fail("shmem_ctx_destroy: this is no context, or was destroyed already");
    contexts.erase(found);
  }
  complete(ctx);
  delete static_cast<UnderWay*>(ctx->far_);
  delete ctx;
}

void destroy_contexts_of(shmem_team_* team) {
  std::vector<shmem_ctx_t> doomed;
  {
    const std::lock_guard guard(contexts_lock);
    for (shmem_ctx_t ctx : contexts) {
      if (ctx->team_ == team) doomed.push_back(ctx);
    }
  }
  for (shmem_ctx_t ctx : doomed) destroy_context(ctx);
}

void* owner_address(const char* call, const void* address, std::size_t bytes, int pe) {
  check_range(call, address, bytes, pe);
  return reinterpret_cast<void*>(job.owner_segments[static_cast<std::size_t>(pe)] + segment_offset(address));
}

}  // namespace aqshmem

using namespace aqshmem;

shmem_ctx_ aqshmem_ctx_default_ = {nullptr, &aqshmem_team_world_, 0, &default_under_way};

extern "C" {

void aqshmem_put_far_(shmem_ctx_t ctx, void* dest, const void* source, size_t nbytes, int pe) {
  if (nbytes == 0) return;
  void* const target = owner_address("a put", dest, nbytes, pe);
  if (char* const to = here(dest, pe)) {
    check_overlap("a put", to, source, nbytes);
    std::memmove(to, source, nbytes);
    ring(pe);
    look_now_and_then();
  } else {
    put(ctx, pe, target, source, nbytes, GEX_EVENT_NOW);
  }
}

void aqshmem_put_nbi_far_(shmem_ctx_t ctx, void* dest, const void* source, size_t nbytes, int pe) {
  if (nbytes == 0) return;
  void* const target = owner_address("a put", dest, nbytes, pe);
  if (char* const to = here(dest, pe)) {
    check_overlap("a put", to, source, nbytes);
    std::memmove(to, source, nbytes);
    ring(pe);
    look_now_and_then();
  } else {
    put(ctx, pe, target, source, nbytes, GEX_EVENT_DEFER);
  }
}

void aqshmem_get_far_(shmem_ctx_t, void* dest, const void* source, size_t nbytes, int pe) {
  if (nbytes == 0) return;
  void* const target = owner_address("a get", source, nbytes, pe);
  if (char* const from = here(source, pe)) {
    check_overlap("a get", dest, from, nbytes);
    std::memmove(dest, from, nbytes);
    look_now_and_then();
  } else {
    const Inside inside;
    gex_RMA_GetBlocking(job.world, dest, static_cast<gex_Rank_t>(pe), target, nbytes, 0);
  }
}

void aqshmem_get_nbi_far_(shmem_ctx_t ctx, void* dest, const void* source, size_t nbytes, int pe) {
  if (nbytes == 0) return;
  void* const target = owner_address("a get", source, nbytes, pe);
  if (char* const from = here(source, pe)) {
    check_overlap("a get", dest, from, nbytes);
    std::memmove(dest, from, nbytes);
    look_now_and_then();
  } else if (!job.is_threaded) {
    const Inside inside;
    gex_RMA_GetNBI(job.world, dest, static_cast<gex_Rank_t>(pe), target, nbytes, 0);
  } else {
    static_cast<UnderWay*>(ctx->far_)->add(
        gex_RMA_GetNB(job.world, dest, static_cast<gex_Rank_t>(pe), target, nbytes, 0));
  }
}

uint64_t aqshmem_atomic_far_(shmem_ctx_t ctx, int operation, size_t nbytes, void* dest, uint64_t operand,
                             uint64_t cond, void* fetch, int pe) {
  void* const target = owner_address("an atomic", dest, nbytes, pe);
  check_alignment("an atomic", dest, nbytes);
  if (char* const word = here(dest, pe)) {
    const uint64_t before = aqshmem_apply_(word, operation, nbytes, operand, cond);
    if (operation != AQSHMEM_FETCH_) ring(pe);
    look_now_and_then();
    if (fetch) std::memcpy(fetch, &before, nbytes);
    return before;
  }
  const gex_OP_t opcode = as_gex(operation);
  const bool fetches = operation == AQSHMEM_FETCH_ || opcode >= GEX_OP_FAND;
  // A compare-and-swap takes the value to compare with first.
  const uint64_t first = operation == AQSHMEM_COMPARE_SWAP_ ? cond : operand;
  uint64_t before = 0;
  void* const result = fetch ? fetch : &before;
  const auto rank = static_cast<gex_Rank_t>(pe);
  const auto start = [&](auto nbi) -> gex_Event_t {
    if (nbytes == 4) {
      auto* const to = static_cast<uint32_t*>(result);
      if constexpr (nbi)
        return gex_AD_OpNBI_U32(job.words32, to, rank, target, opcode, static_cast<uint32_t>(first),
                                static_cast<uint32_t>(operand), 0),
               GEX_EVENT_INVALID;
      else
        return gex_AD_OpNB_U32(job.words32, to, rank, target, opcode, static_cast<uint32_t>(first),
                               static_cast<uint32_t>(operand), 0);
    }
    auto* const to = static_cast<uint64_t*>(result);
    if constexpr (nbi)
      return gex_AD_OpNBI_U64(job.words64, to, rank, target, opcode, first, operand, 0), GEX_EVENT_INVALID;
    else
      return gex_AD_OpNB_U64(job.words64, to, rank, target, opcode, first, operand, 0);
  };
  const Inside inside;
  if (fetches && !fetch) {
    gex_Event_Wait(start(std::false_type{}));
    return before;
  }
  if (!job.is_threaded) {
    start(std::true_type{});
  } else {
    static_cast<UnderWay*>(ctx->far_)->add(start(std::false_type{}));
  }
  return 0;
}
}
