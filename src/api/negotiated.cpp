#include "core/negotiated.hpp"

#include "api/face.hpp"
#include "api/payload_canary.hpp"
#include "trace/trace.hpp"

using namespace aqueduct;
using namespace aqueduct::api;
using conduit::Category;

namespace {

constexpr bool kReply = true;

template <Category kCategory>
[[gnu::noinline]] gex_AM_SrcDesc_t request_unusual(const char* where, gex_TM_t tm, gex_Rank_t rank,
                                                   const core::Intent& intent) {
  core::Prepared* const prepared =
      core::prepare_request(where, core::this_thread(where), kCategory, peer(where, tm, rank), intent);
  if (is_debug_call()) place_canary(prepared, intent);
  return prepared;
}

template <Category kCategory>
[[gnu::always_inline]] inline gex_AM_SrcDesc_t request(const char* where, gex_TM_t tm, gex_Rank_t rank,
                                                       const void* client_buffer, std::size_t least,
                                                       std::size_t most, void* destination, gex_Event_t* lc,
                                                       gex_Flags_t flags, unsigned nargs) {
  const auto intent = [&] {  // where it is needed: in memory it costs more than in registers
    return core::Intent{client_buffer, least, most, destination, lc, flags, nargs};
  };
  if (core::Thread* thread = current_context.thread; thread && !is_debug_call()) [[likely]] {
    if (core::Prepared* plain = core::prepare_plain<kCategory>(*thread, usual_rank(tm, rank), intent()))
        [[likely]]
      return plain;
  }
  return request_unusual<kCategory>(where, tm, rank, intent());
}

gex_AM_SrcDesc_t reply(const char* where, Category category, gex_Token_t token, const core::Intent& intent) {
  if (!token) fatal(where, "the token is NULL");
  core::Prepared* const prepared =
      core::prepare_reply(where, core::this_thread(where), category, core::from_handle(token), intent);
  if (is_debug_call()) [[unlikely]]
    place_canary(prepared, intent);
  return prepared;
}

[[gnu::noinline]] int commit(const char* where, Category category, bool is_reply, gex_AM_SrcDesc_t sd,
                             const core::Commitment& commitment) {
  if (trace::on(trace::Category::kMessage)) [[unlikely]] {
    trace::note(trace::Category::kMessage, where, commitment.bytes,
                "for handler %u, %u arguments, %zu bytes to %p", commitment.handler, commitment.nargs,
                commitment.bytes, commitment.destination);
  }
  core::Thread& thread = core::this_thread(where);
  if (is_debug_call()) [[unlikely]]
    look_for_canary(where, thread, sd, commitment.bytes);
  return core::commit(where, thread, category, is_reply, sd, commitment);
}

template <Category kCategory>
[[gnu::always_inline]] inline int commit_request(const char* where, gex_AM_SrcDesc_t sd,
                                                 gex_AM_Index_t handler, std::size_t bytes, void* destination,
                                                 gex_Flags_t flags, unsigned nargs,
                                                 const gex_AM_Arg_t* args) {
  const auto commitment = [&] { return core::Commitment{handler, bytes, destination, flags, nargs, args}; };
  const auto otherwise = [&] { return commit(where, kCategory, !kReply, sd, commitment()); };
  core::Thread* const thread = current_context.thread;
  if (!thread) [[unlikely]]
    return otherwise();
  return core::commit_plain<kCategory>(where, *thread, sd, commitment(), otherwise);
}

int cancel(const char* where, Category category, bool is_reply, gex_AM_SrcDesc_t sd, gex_Flags_t flags) {
  if (flags) fatal(where, "flags must be 0");
  core::cancel(where, core::this_thread(where), category, is_reply, sd);
  return GASNET_OK;
}

}  // namespace

extern "C" {

gex_AM_SrcDesc_t gex_AM_PrepareRequestMedium(gex_TM_t tm, gex_Rank_t rank, const void* client_buf,
                                             size_t least, size_t most, gex_Event_t* lc, gex_Flags_t flags,
                                             unsigned nargs) {
  return request<Category::kMedium>("gex_AM_PrepareRequestMedium", tm, rank, client_buf, least, most, nullptr,
                                    lc, flags, nargs);
}
gex_AM_SrcDesc_t gex_AM_PrepareReplyMedium(gex_Token_t token, const void* client_buf, size_t least,
                                           size_t most, gex_Event_t* lc, gex_Flags_t flags, unsigned nargs) {
  return reply("gex_AM_PrepareReplyMedium", Category::kMedium, token,
               {client_buf, least, most, nullptr, lc, flags, nargs});
}
gex_AM_SrcDesc_t gex_AM_PrepareRequestLong(gex_TM_t tm, gex_Rank_t rank, const void* client_buf, size_t least,
                                           size_t most, void* destination, gex_Event_t* lc, gex_Flags_t flags,
                                           unsigned nargs) {
  return request<Category::kLong>("gex_AM_PrepareRequestLong", tm, rank, client_buf, least, most, destination,
                                  lc, flags, nargs);
}
gex_AM_SrcDesc_t gex_AM_PrepareReplyLong(gex_Token_t token, const void* client_buf, size_t least, size_t most,
                                         void* destination, gex_Event_t* lc, gex_Flags_t flags,
                                         unsigned nargs) {
  return reply("gex_AM_PrepareReplyLong", Category::kLong, token,
               {client_buf, least, most, destination, lc, flags, nargs});
}

int aq_am_commit_request_medium_(gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes,
                                 gex_Flags_t flags, unsigned nargs, const gex_AM_Arg_t* args) {
  return commit_request<Category::kMedium>("gex_AM_CommitRequestMedium", sd, handler, nbytes, nullptr, flags,
                                           nargs, args);
}
int aq_am_commit_reply_medium_(gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes, gex_Flags_t flags,
                               unsigned nargs, const gex_AM_Arg_t* args) {
  return commit("gex_AM_CommitReplyMedium", Category::kMedium, kReply, sd,
                {handler, nbytes, nullptr, flags, nargs, args});
}
int aq_am_commit_request_long_(gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes, void* destination,
                               gex_Flags_t flags, unsigned nargs, const gex_AM_Arg_t* args) {
  return commit_request<Category::kLong>("gex_AM_CommitRequestLong", sd, handler, nbytes, destination, flags,
                                         nargs, args);
}
int aq_am_commit_reply_long_(gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes, void* destination,
                             gex_Flags_t flags, unsigned nargs, const gex_AM_Arg_t* args) {
  return commit("gex_AM_CommitReplyLong", Category::kLong, kReply, sd,
                {handler, nbytes, destination, flags, nargs, args});
}

int gex_AM_CancelRequestMedium(gex_AM_SrcDesc_t sd, gex_Flags_t flags) {
  return cancel("gex_AM_CancelRequestMedium", Category::kMedium, !kReply, sd, flags);
}
int gex_AM_CancelReplyMedium(gex_AM_SrcDesc_t sd, gex_Flags_t flags) {
  return cancel("gex_AM_CancelReplyMedium", Category::kMedium, kReply, sd, flags);
}
int gex_AM_CancelRequestLong(gex_AM_SrcDesc_t sd, gex_Flags_t flags) {
  return cancel("gex_AM_CancelRequestLong", Category::kLong, !kReply, sd, flags);
}
int gex_AM_CancelReplyLong(gex_AM_SrcDesc_t sd, gex_Flags_t flags) {
  return cancel("gex_AM_CancelReplyLong", Category::kLong, kReply, sd, flags);
}
}
