#include "core/negotiated.hpp"

#include "api/face.hpp"
#include "api/payload_canary.hpp"
#include "trace/trace.hpp"

using namespace aqueduct;
using namespace aqueduct::api;
using am::Category;

namespace {

template <Category kCategory>
constexpr const char* kPrepareRequest =
    kCategory == Category::kMedium ? "gex_AM_PrepareRequestMedium" : "gex_AM_PrepareRequestLong";
template <Category kCategory>
constexpr const char* kCommitRequest =
    kCategory == Category::kMedium ? "gex_AM_CommitRequestMedium" : "gex_AM_CommitRequestLong";

gex_AM_SrcDesc_t prepare_any(const char* where, Category category, gex_TM_t tm, gex_Rank_t rank,
                             const core::Intent& intent) {
  core::Prepared* const prepared =
      core::prepare_request(where, core::this_thread(where), category, peer(where, tm, rank), intent);
  if (is_debug_call()) place_canary(prepared, intent);
  return prepared;
}

/// The fast path; null if it takes more.
template <Category kCategory>
[[gnu::always_inline]] inline gex_AM_SrcDesc_t prepare_fast(gex_TM_t tm, gex_Rank_t rank,
                                                            const core::Intent& intent) {
  core::Thread* const thread = core::current_thread();
  if (!thread || is_debug_call()) [[unlikely]]
    return nullptr;
  return core::prepare_plain<kCategory>(*thread, fast_path_rank(tm, rank), intent);
}

gex_AM_SrcDesc_t reply(const char* where, Category category, gex_Token_t token, const core::Intent& intent) {
  if (!token) fatal(where, "the token is NULL");
  core::Prepared* const prepared =
      core::prepare_reply(where, core::this_thread(where), category, core::from_handle(token), intent);
  if (is_debug_call()) [[unlikely]]
    place_canary(prepared, intent);
  return prepared;
}

[[gnu::cold]] void describe_commit(const core::Prepared& prepared, bool is_reply,
                                   const core::Commitment& commitment) {
  const RankId target = is_reply && prepared.token ? prepared.token->origin.source : prepared.peer.rank;
  trace::timeline::describe_message(
      target, commitment.bytes,
      trace::timeline::message_key(prepared.marker.rank.id(), target, is_reply, commitment.handler,
                                   commitment.args, commitment.nargs, commitment.bytes),
      commitment.handler, commitment.nargs);
}

[[gnu::noinline]] int commit(const char* where, Category category, bool is_reply, gex_AM_SrcDesc_t sd,
                             const core::Commitment& commitment) {
  const trace::timeline::Slice slice(where, trace::timeline::Kind::kSend);
  if (trace::on(trace::Category::kMessage)) [[unlikely]] {
    if (sd != nullptr) describe_commit(*static_cast<core::Prepared*>(sd), is_reply, commitment);
    trace::note(trace::Category::kMessage, where, commitment.bytes,
                "for handler %u, %u arguments, %zu bytes to %p", commitment.handler, commitment.nargs,
                commitment.bytes, commitment.destination);
  }
  core::Thread& thread = core::this_thread(where);
  if (is_debug_call()) [[unlikely]]
    look_for_canary(where, thread, sd, commitment.bytes);
  return core::commit(where, thread, category, is_reply, sd, commitment);
}

/// Commits a request by the fast path; calls `to_queue` or `otherwise`, last, where there is none.
template <Category kCategory, class ToQueue, class Otherwise>
[[gnu::always_inline]] inline int commit_fast(gex_AM_SrcDesc_t sd, const core::Commitment& commitment,
                                              const ToQueue& to_queue, const Otherwise& otherwise) {
  core::Thread* const thread = core::current_thread();
  if (!thread) [[unlikely]]
    return otherwise();
  core::Prepared& prepared = thread->prepared_request;
  if (!core::is_plain_commit<kCategory>(prepared, sd, commitment)) [[unlikely]]
    return otherwise();
  if (!prepared.is_express) [[unlikely]]
    return to_queue();
  return core::commit_plain<kCategory, true>(kCommitRequest<kCategory>, *thread, commitment);
}

template <Category kCategory>
int commit_to_queue(const core::Commitment& commitment) {
  return core::commit_plain<kCategory, false>(kCommitRequest<kCategory>, *core::current_thread(), commitment);
}

// The slow paths, with the parameters of the calls themselves: whatever a call passes on as
// it got it, it need not keep.

[[gnu::noinline]] gex_AM_SrcDesc_t prepare_any_medium(gex_TM_t tm, gex_Rank_t rank, const void* client_buf,
                                                      size_t least, size_t most, gex_Event_t* lc,
                                                      gex_Flags_t flags, unsigned nargs) {
  return prepare_any(kPrepareRequest<Category::kMedium>, Category::kMedium, tm, rank,
                     {client_buf, least, most, nullptr, lc, flags, nargs});
}
[[gnu::noinline]] gex_AM_SrcDesc_t prepare_any_long(gex_TM_t tm, gex_Rank_t rank, const void* client_buf,
                                                    size_t least, size_t most, void* destination,
                                                    gex_Event_t* lc, gex_Flags_t flags, unsigned nargs) {
  return prepare_any(kPrepareRequest<Category::kLong>, Category::kLong, tm, rank,
                     {client_buf, least, most, destination, lc, flags, nargs});
}

[[gnu::noinline]] int commit_any_medium(gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes,
                                        gex_Flags_t flags, unsigned nargs, const gex_AM_Arg_t* args) {
  return commit(kCommitRequest<Category::kMedium>, Category::kMedium, !kReply, sd,
                {handler, nbytes, nullptr, flags, nargs, args});
}
[[gnu::noinline]] int commit_medium_to_queue(gex_AM_SrcDesc_t, gex_AM_Index_t handler, size_t nbytes,
                                             gex_Flags_t flags, unsigned nargs, const gex_AM_Arg_t* args) {
  return commit_to_queue<Category::kMedium>({handler, nbytes, nullptr, flags, nargs, args});
}
[[gnu::noinline]] int commit_any_long(gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes,
                                      void* destination, gex_Flags_t flags, unsigned nargs,
                                      const gex_AM_Arg_t* args) {
  return commit(kCommitRequest<Category::kLong>, Category::kLong, !kReply, sd,
                {handler, nbytes, destination, flags, nargs, args});
}
[[gnu::noinline]] int commit_long_to_queue(gex_AM_SrcDesc_t, gex_AM_Index_t handler, size_t nbytes,
                                           void* destination, gex_Flags_t flags, unsigned nargs,
                                           const gex_AM_Arg_t* args) {
  return commit_to_queue<Category::kLong>({handler, nbytes, destination, flags, nargs, args});
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
  if (const gex_AM_SrcDesc_t plain = prepare_fast<Category::kMedium>(
          tm, rank, {client_buf, least, most, nullptr, lc, flags, nargs})) [[likely]]
    return plain;
  return prepare_any_medium(tm, rank, client_buf, least, most, lc, flags, nargs);
}
gex_AM_SrcDesc_t gex_AM_PrepareReplyMedium(gex_Token_t token, const void* client_buf, size_t least,
                                           size_t most, gex_Event_t* lc, gex_Flags_t flags, unsigned nargs) {
  return reply("gex_AM_PrepareReplyMedium", Category::kMedium, token,
               {client_buf, least, most, nullptr, lc, flags, nargs});
}
gex_AM_SrcDesc_t gex_AM_PrepareRequestLong(gex_TM_t tm, gex_Rank_t rank, const void* client_buf, size_t least,
                                           size_t most, void* destination, gex_Event_t* lc, gex_Flags_t flags,
                                           unsigned nargs) {
  if (const gex_AM_SrcDesc_t plain = prepare_fast<Category::kLong>(
          tm, rank, {client_buf, least, most, destination, lc, flags, nargs})) [[likely]]
    return plain;
  return prepare_any_long(tm, rank, client_buf, least, most, destination, lc, flags, nargs);
}
gex_AM_SrcDesc_t gex_AM_PrepareReplyLong(gex_Token_t token, const void* client_buf, size_t least, size_t most,
                                         void* destination, gex_Event_t* lc, gex_Flags_t flags,
                                         unsigned nargs) {
  return reply("gex_AM_PrepareReplyLong", Category::kLong, token,
               {client_buf, least, most, destination, lc, flags, nargs});
}

int aq_am_commit_request_medium_(gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes,
                                 gex_Flags_t flags, unsigned nargs, const gex_AM_Arg_t* args) {
  return commit_fast<Category::kMedium>(
      sd, {handler, nbytes, nullptr, flags, nargs, args},
      [&] { return commit_medium_to_queue(sd, handler, nbytes, flags, nargs, args); },
      [&] { return commit_any_medium(sd, handler, nbytes, flags, nargs, args); });
}
int aq_am_commit_reply_medium_(gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes, gex_Flags_t flags,
                               unsigned nargs, const gex_AM_Arg_t* args) {
  return commit("gex_AM_CommitReplyMedium", Category::kMedium, kReply, sd,
                {handler, nbytes, nullptr, flags, nargs, args});
}
int aq_am_commit_request_long_(gex_AM_SrcDesc_t sd, gex_AM_Index_t handler, size_t nbytes, void* destination,
                               gex_Flags_t flags, unsigned nargs, const gex_AM_Arg_t* args) {
  return commit_fast<Category::kLong>(
      sd, {handler, nbytes, destination, flags, nargs, args},
      [&] { return commit_long_to_queue(sd, handler, nbytes, destination, flags, nargs, args); },
      [&] { return commit_any_long(sd, handler, nbytes, destination, flags, nargs, args); });
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
