#include "core/am.hpp"

#include "api/completion.hpp"
#include "api/face.hpp"
#include "core/negotiated.hpp"
#include "trace/trace.hpp"

using namespace aqueduct;
using namespace aqueduct::api;
using am::Category;
using am::Message;

namespace {

Message make(Category category, bool is_reply, gex_AM_Index_t handler, unsigned nargs,
             const gex_AM_Arg_t* args, const void* payload = nullptr, std::size_t bytes = 0,
             void* destination = nullptr) {
  return {category, is_reply, handler, static_cast<std::uint8_t>(nargs), args, payload, bytes, destination};
}

// What is copied at once has left the client's buffer when a send returns; a long one over a network may have
// not (complete_later()).
void complete_locally(const char* where, gex_Event_t* lc, bool is_reply) {
  if (is_clients_event(lc)) {
    *lc = GEX_EVENT_INVALID;
  } else if (lc != GEX_EVENT_NOW && (is_reply || lc != GEX_EVENT_GROUP)) [[unlikely]] {
    fatal(where, "lc must be GEX_EVENT_NOW%s or the address of an event",
          is_reply ? "" : ", GEX_EVENT_GROUP");
  }
}

// Into the trace, before it is sent.
[[gnu::cold]] void note_message(const char* where, RankId target, const Message& message) {
  const RankId self = core::this_thread(where).rank.id();
  trace::timeline::describe_message(
      target, message.payload_bytes,
      trace::timeline::message_key(self, target, message.is_reply, message.handler, message.args,
                                   message.nargs, message.payload_bytes),
      message.handler, message.nargs,
      message.unreleased != nullptr ? trace::timeline::Local::kCounted : trace::timeline::Local::kAtReturn);
  trace::note(trace::Category::kMessage, where, message.payload_bytes,
              "to rank %u for handler %u, %u arguments, %zu bytes from %p to %p", target, message.handler,
              message.nargs, message.payload_bytes, message.payload, message.destination);
  if (message.nargs) trace::detail("arguments", message.args, message.nargs * sizeof(gex_AM_Arg_t));
  if (message.payload) trace::detail("payload", message.payload, message.payload_bytes);
}

// A message that was not sent has no handler.
int recorded(trace::timeline::Slice& slice, int outcome) {
  if (outcome != GASNET_OK) slice.mark_not_started();
  return outcome;
}

[[gnu::noinline]] int request(const char* where, gex_TM_t tm, gex_Rank_t rank, const Message& message,
                              gex_Flags_t flags) {
  trace::timeline::Slice slice(where, trace::timeline::Kind::kSend);
  if (trace::on(trace::Category::kMessage)) [[unlikely]]
    note_message(where, peer(where, tm, rank).rank, message);
  return recorded(slice,
                  core::send_request(where, core::this_thread(where), peer(where, tm, rank), message, flags));
}

[[gnu::noinline]] int reply(const char* where, gex_Token_t token, const Message& message, gex_Flags_t flags) {
  if (!token) fatal(where, "the token is NULL");
  trace::timeline::Slice slice(where, trace::timeline::Kind::kSend);
  if (trace::on(trace::Category::kMessage)) [[unlikely]]
    note_message(where, core::from_handle(token).origin.source, message);
  return recorded(
      slice, core::send_reply(where, core::this_thread(where), core::from_handle(token), message, flags));
}

// Sends a long message by `send(message)` and leaves its local completion to what lc says, if that may be
// later.
template <class Send>
int complete_later(const char* where, Message message, gex_Event_t* lc, const Send& send) {
  if (lc == GEX_EVENT_NOW) return send(message);
  if (lc == GEX_EVENT_GROUP) {
    message.unreleased =
        &extended::ops(core::this_thread(where)).current().count(extended::OpKind::kMessageSource);
    return send(message);
  }
  int result = GASNET_OK;
  *lc = leaf_event(where, extended::OpKind::kMessageSource, [&](am::Unreleased& unreleased) {
    message.unreleased = &unreleased;
    result = send(message);
  });
  return result;
}

constexpr gex_Flags_t kPrepareFlags = GEX_FLAG_AM_PREPARE_LEAST_CLIENT | GEX_FLAG_AM_PREPARE_LEAST_ALLOC;

// What a message may carry. The same for all peers, arguments and ways of local completion; only a buffer of
// ours may be smaller.
std::size_t largest(const char* where, Category category, gex_Flags_t flags, unsigned nargs) {
  if (nargs > am::kMaxArgs)
    fatal(where, "numargs is %u; a message has at most %u arguments", nargs, am::kMaxArgs);
  if ((flags & kPrepareFlags) == kPrepareFlags)
    fatal(where, "GEX_FLAG_AM_PREPARE_LEAST_CLIENT and _ALLOC exclude each other");
  return core::largest_least(core::this_thread(where).rank, category,
                             !(flags & GEX_FLAG_AM_PREPARE_LEAST_ALLOC));
}

std::size_t largest_for(const char* where, Category category, gex_TM_t tm, gex_Rank_t rank, gex_Flags_t flags,
                        unsigned nargs) {
  if (rank != GEX_RANK_INVALID) {
    (void)peer(where, tm, rank);
  } else if (!is_pair(tm)) {
    (void)team(where, tm);
  }
  return largest(where, category, flags, nargs);
}

}  // namespace

extern "C" {

int aq_am_request_short_(gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler, gex_Flags_t flags,
                         unsigned nargs, const gex_AM_Arg_t* args) {
  const auto otherwise = [&] {
    return request("gex_AM_RequestShort", tm, rank, make(Category::kShort, !kReply, handler, nargs, args),
                   flags);
  };
  core::Thread* const thread = core::current_thread();
  if (!thread) [[unlikely]]
    return otherwise();
  return core::send_short_request(*thread, fast_path_rank(tm, rank), handler, nargs, args, otherwise);
}

int aq_am_request_medium_(gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler, const void* source,
                          size_t nbytes, gex_Event_t* lc, gex_Flags_t flags, unsigned nargs,
                          const gex_AM_Arg_t* args) {
  constexpr const char* kWhere = "gex_AM_RequestMedium";
  complete_locally(kWhere, lc, !kReply);
  const auto otherwise = [&] {
    return request(kWhere, tm, rank, make(Category::kMedium, !kReply, handler, nargs, args, source, nbytes),
                   flags);
  };
  core::Thread* const thread = core::current_thread();
  if (!thread) [[unlikely]]
    return otherwise();
  return core::send_medium_request(*thread, fast_path_rank(tm, rank), handler, nargs, args, source, nbytes,
                                   otherwise);
}

int aq_am_request_long_(gex_TM_t tm, gex_Rank_t rank, gex_AM_Index_t handler, const void* source,
                        size_t nbytes, void* destination, gex_Event_t* lc, gex_Flags_t flags, unsigned nargs,
                        const gex_AM_Arg_t* args) {
  constexpr const char* kWhere = "gex_AM_RequestLong";
  complete_locally(kWhere, lc, !kReply);
  const auto otherwise = [&] {
    return complete_later(
        kWhere, make(Category::kLong, !kReply, handler, nargs, args, source, nbytes, destination), lc,
        [&](const Message& message) { return request(kWhere, tm, rank, message, flags); });
  };
  core::Thread* const thread = core::current_thread();
  if (!thread) [[unlikely]]
    return otherwise();
  return core::send_long_request(*thread, fast_path_rank(tm, rank), handler, nargs, args,
                                 {source, nbytes, destination, nullptr}, otherwise);
}

int aq_am_reply_short_(gex_Token_t token, gex_AM_Index_t handler, gex_Flags_t flags, unsigned nargs,
                       const gex_AM_Arg_t* args) {
  if (core::Thread* thread = core::current_thread();
      thread && token && core::answer_short(*thread, core::from_handle(token), handler, nargs, args))
      [[likely]]
    return GASNET_OK;
  return reply("gex_AM_ReplyShort", token, make(Category::kShort, kReply, handler, nargs, args), flags);
}

int aq_am_reply_medium_(gex_Token_t token, gex_AM_Index_t handler, const void* source, size_t nbytes,
                        gex_Event_t* lc, gex_Flags_t flags, unsigned nargs, const gex_AM_Arg_t* args) {
  constexpr const char* kWhere = "gex_AM_ReplyMedium";
  complete_locally(kWhere, lc, kReply);
  if (core::Thread* thread = core::current_thread();
      thread && token &&
      core::answer_medium(*thread, core::from_handle(token), handler, nargs, args, source, nbytes)) [[likely]]
    return GASNET_OK;
  return reply(kWhere, token, make(Category::kMedium, kReply, handler, nargs, args, source, nbytes), flags);
}

int aq_am_reply_long_(gex_Token_t token, gex_AM_Index_t handler, const void* source, size_t nbytes,
                      void* destination, gex_Event_t* lc, gex_Flags_t flags, unsigned nargs,
                      const gex_AM_Arg_t* args) {
  constexpr const char* kWhere = "gex_AM_ReplyLong";
  complete_locally(kWhere, lc, kReply);
  if (core::Thread* thread = core::current_thread();
      thread && token &&
      core::answer_long(*thread, core::from_handle(token), handler, nargs, args,
                        {source, nbytes, destination, nullptr})) [[likely]]
    return GASNET_OK;
  return complete_later(kWhere,
                        make(Category::kLong, kReply, handler, nargs, args, source, nbytes, destination), lc,
                        [&](const Message& message) { return reply(kWhere, token, message, flags); });
}

unsigned gex_AM_MaxArgs(void) { return am::kMaxArgs; }

size_t gex_AM_MaxRequestMedium(gex_TM_t tm, gex_Rank_t rank, const gex_Event_t*, gex_Flags_t flags,
                               unsigned nargs) {
  return largest_for("gex_AM_MaxRequestMedium", Category::kMedium, tm, rank, flags, nargs);
}
size_t gex_AM_MaxRequestLong(gex_TM_t tm, gex_Rank_t rank, const gex_Event_t*, gex_Flags_t flags,
                             unsigned nargs) {
  return largest_for("gex_AM_MaxRequestLong", Category::kLong, tm, rank, flags, nargs);
}
size_t gex_AM_MaxReplyMedium(gex_TM_t tm, gex_Rank_t rank, const gex_Event_t*, gex_Flags_t flags,
                             unsigned nargs) {
  return largest_for("gex_AM_MaxReplyMedium", Category::kMedium, tm, rank, flags, nargs);
}
size_t gex_AM_MaxReplyLong(gex_TM_t tm, gex_Rank_t rank, const gex_Event_t*, gex_Flags_t flags,
                           unsigned nargs) {
  return largest_for("gex_AM_MaxReplyLong", Category::kLong, tm, rank, flags, nargs);
}
size_t gex_Token_MaxReplyMedium(gex_Token_t token, const gex_Event_t*, gex_Flags_t flags, unsigned nargs) {
  if (!token) fatal("gex_Token_MaxReplyMedium", "the token is NULL");
  return largest("gex_Token_MaxReplyMedium", Category::kMedium, flags, nargs);
}
size_t gex_Token_MaxReplyLong(gex_Token_t token, const gex_Event_t*, gex_Flags_t flags, unsigned nargs) {
  if (!token) fatal("gex_Token_MaxReplyLong", "the token is NULL");
  return largest("gex_Token_MaxReplyLong", Category::kLong, flags, nargs);
}

gex_TI_t gex_Token_Info(gex_Token_t token, gex_Token_Info_t* info, gex_TI_t) {
  constexpr const char* kWhere = "gex_Token_Info";
  if (!token || !info) fatal(kWhere, "the token or the output is NULL");
  core::Token& inner = core::from_handle(token);
  info->gex_srcrank = inner.origin.source;
  info->gex_ep = to_handle(inner.endpoint ? inner.endpoint : &inner.rank.objects().endpoint);
  info->gex_entry = &inner.entry.client;
  info->gex_is_req = inner.is_request;
  info->gex_is_long = inner.is_long;
  return GEX_TI_ALL;
}
}
