// Active messages: sending requests and replies.
//
// When these return the payload is copied or in place, unless the message says where to count a long one that
// the network still reads (Message::unreleased). Errors of the caller
// (a rank outside the job, a payload beyond the limit, an address outside the segment, a request from a
// handler, a second reply) end the job with one line.
#pragma once
#include "base/fatal.hpp"
#include "core/progress.hpp"

namespace aqueduct::core {

/// Ends the job if something else than a handler keeps this thread from communicating: it holds a lock, or
/// has prepared a message and not yet committed or cancelled it.
inline void refuse_outside_handlers(const char* where, const Thread& thread) {
  if (thread.held_locks.count != 0)
    fatal(where, "may not be called while this thread holds a handler-safe lock");
  if (thread.prepared_request.active || thread.prepared_reply.active)
    fatal(where, "may not be called between a gex_AM_Prepare call and its Commit or Cancel");
}

/// Sends a request to job rank `target`. With GEX_FLAG_IMMEDIATE answers GASNET_ERR_NOT_READY where it would
/// have to wait, and nothing was sent; otherwise GASNET_OK. `where` names the API function in messages.
int send_request(const char* where, Thread& thread, RankId target, const Message& message, gex_Flags_t flags);
/// The same from and to any endpoints.
int send_request(const char* where, Thread& thread, const Peer& peer, const Message& message,
                 gex_Flags_t flags);

/// Sends the reply to the request whose handler holds `token`.
int send_reply(const char* where, Thread& thread, Token& token, const Message& message, gex_Flags_t flags);

/// Ends the job: a request may not be sent now, because the thread runs a handler or has prepared a message.
[[noreturn]] void refuse_request(const char* where, const Thread& thread);

/// Ends the job unless this thread runs the handler of `token`, a request that has not been replied to.
void check_reply(const char* where, const Thread& thread, const Token& token);

/// How far to shift an address in `target`'s segment to reach it from here; ends the job if a long payload
/// would not lie in that segment.
std::intptr_t checked_shift(const char* where, Rank& rank, RankId target, const Message& message);

/// Runs the handler of a request to this rank itself, and that of its reply, here and now: `header` is that
/// of what was filled into the thread's own slot. Answers GASNET_OK.
int run_own_request(Thread& thread, Header header);
/// The same for a Short or a small Medium one that is not filled in yet.
[[gnu::noinline]] int run_own_short(Thread& thread, std::uint8_t handler, unsigned nargs,
                                    const std::int32_t* args);
[[gnu::noinline]] int run_own_medium(Thread& thread, std::uint8_t handler, unsigned nargs,
                                     const std::int32_t* args, const void* payload, std::size_t bytes);

/// Does what a request that has been written to a neighbour's mailbox rarely needs after that. Answers
/// GASNET_OK.
[[gnu::cold]] int finish_sending(Outbox& outbox);

/// Posts the message without checks, as it is; send_request() and send_reply() end with it. `shift`: see
/// checked_shift().
int post_request(Thread& thread, RankId target, const Message& message, std::intptr_t shift,
                 gex_Flags_t flags);
int post_reply(Thread& thread, Token& token, const Message& message, std::intptr_t shift, gex_Flags_t flags);

/// Counts what is about to be sent (observe/counters.hpp).
[[gnu::always_inline]] inline void count_request(const Thread& thread, RankId target, Category category,
                                                 std::size_t bytes) {
  observe::PeerCounters& counters = thread.with(target);
  if (category == Category::kShort) return counters.short_requests.add();
  (category == Category::kMedium ? counters.medium_requests : counters.long_requests).add();
  counters.bytes.add(bytes);
}
[[gnu::always_inline]] inline void count_reply(const Thread& thread, RankId target, std::size_t bytes) {
  observe::PeerCounters& counters = thread.with(target);
  counters.replies.add();
  counters.bytes.add(bytes);
}

/// Publishes a reply that was filled into the slot of its request, or keeps it until the handler has
/// returned.
inline void give_reply(Thread& thread, Token& token, Header header) {
  token.replied = true;
  token.may_answer = false;
  if (token.hold_reply) {
    token.held = header;
  } else {
    token.slot.publish(header);
    thread.polling.outboxes[local_rank(thread.polling, token.origin.source)].doorbell->ring_if_needed();
  }
}

/// Lets `write` put a request into the express mailbox or the queue, where there is room for it. Answers
/// GASNET_OK.
template <class Write>
[[gnu::always_inline]] inline int write_request(Thread& thread, Outbox& outbox, bool express,
                                                const Write& write) {
  bool more = false;
  thread.polling.watches = false;
  if (express) [[likely]] {
    write(outbox.express);
    more = outbox.backoff.handed_over();
  } else {
    write(outbox.queue);
  }
  light_fence();
  if (more || outbox.doorbell->has_sleepers()) [[unlikely]]
    return finish_sending(outbox);
  return GASNET_OK;
}

/// The fast paths of short and small medium messages to a neighbour. If the message needs more or there is
/// no room now, they do nothing themselves but call `otherwise`, which then does it, or says what is wrong.
/// (Calls are made last, so that nothing has to be kept for their return.)
template <class Otherwise>
[[gnu::always_inline]] inline int send_short_request(Thread& thread, RankId target, std::uint8_t handler,
                                                     unsigned nargs, const std::int32_t* args,
                                                     const Otherwise& otherwise) {
  const RankId local = local_rank(thread.polling, target);
  if (thread.handling || local >= thread.polling.reach || nargs > kArgsInShort) [[unlikely]]
    return otherwise();
  Outbox& outbox = thread.polling.outboxes[local];
  if (!outbox.is_plain) [[unlikely]]
    return outbox.leads_home ? run_own_short(thread, handler, nargs, args) : otherwise();
  const bool express = outbox.is_idle();
  if (!express && outbox.queue.full()) [[unlikely]]
    return otherwise();
  return write_request(thread, outbox, express,
                       [&](auto& mailbox) { mailbox.write_short(handler, nargs, args); });
}

/// Writes a Short reply into the slot of its request; false if that takes more than writing it.
[[gnu::always_inline]] inline bool answer_short(Thread& thread, Token& token, std::uint8_t handler,
                                                unsigned nargs, const std::int32_t* args) {
  if (thread.handling != &token || !token.may_answer || token.hold_reply || nargs > kArgsInShort) [[unlikely]]
    return false;
  thread.with(token.origin.source).replies.add();
  Slot::copy_args(token.slot.envelope->args, args, nargs);
  token.slot.publish(Header::make(token.slot.lap, SlotState::kReply, Category::kShort, handler, nargs));
  token.replied = true;
  token.may_answer = false;
  thread.polling.outboxes[local_rank(thread.polling, token.origin.source)].doorbell->ring_if_needed();
  return true;
}

inline bool is_plain_medium(unsigned nargs, std::size_t bytes) {
  return nargs <= kArgsWithAddress && bytes <= kInlineBytes;
}

template <class Otherwise>
[[gnu::always_inline]] inline int send_medium_request(Thread& thread, RankId target, std::uint8_t handler,
                                                      unsigned nargs, const std::int32_t* args,
                                                      const void* payload, std::size_t bytes,
                                                      const Otherwise& otherwise) {
  const RankId local = local_rank(thread.polling, target);
  if (thread.handling || local >= thread.polling.reach || !is_plain_medium(nargs, bytes)) [[unlikely]]
    return otherwise();
  Outbox& outbox = thread.polling.outboxes[local];
  if (!outbox.is_plain) [[unlikely]]
    return outbox.leads_home ? run_own_medium(thread, handler, nargs, args, payload, bytes) : otherwise();
  const bool express = outbox.is_idle();
  if (!express && outbox.queue.full()) [[unlikely]]
    return otherwise();
  count_request(thread, target, Category::kMedium, bytes);
  return write_request(thread, outbox, express, [&](auto& mailbox) {
    mailbox.write_plain_medium(handler, nargs, args, payload, bytes);
  });
}

/// Writes a Medium reply into the slot of its request; false if that takes more than writing it.
[[gnu::always_inline]] inline bool answer_medium(Thread& thread, Token& token, std::uint8_t handler,
                                                 unsigned nargs, const std::int32_t* args,
                                                 const void* payload, std::size_t bytes) {
  if (thread.handling != &token || !token.may_answer || !is_plain_medium(nargs, bytes)) [[unlikely]]
    return false;
  count_reply(thread, token.origin.source, bytes);
  give_reply(thread, token, token.slot.fill_plain_medium<true>(handler, nargs, args, payload, bytes));
  return true;
}

/// A Long payload that may simply be copied: some bytes, all in the attached segment of a neighbour.
struct PlainLong {
  const void* payload;
  std::size_t bytes;
  void* destination;
  void* here;  ///< the destination as this process sees it

  [[gnu::always_inline]] bool find(const Rank& rank, RankId target, unsigned nargs) {
    const Objects& objects = rank.objects();
    const aq_peer_view_& view = objects.neighbour_views[target];
    const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(destination) - view.base_;
    here = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(destination) + view.shift_);
    return nargs <= kArgsWithAddress && objects.attached && !objects.segment_everything &&
           offset < view.size_ && bytes - 1 < view.size_ - offset && bytes <= rank.limits().max_long;
  }
};

template <class Otherwise>
[[gnu::always_inline]] inline int send_long_request(Thread& thread, RankId target, std::uint8_t handler,
                                                    unsigned nargs, const std::int32_t* args, PlainLong to,
                                                    const Otherwise& otherwise) {
  const RankId local = local_rank(thread.polling, target);
  if (thread.handling || local >= thread.polling.reach || !to.find(thread.rank, target, nargs)) [[unlikely]]
    return otherwise();
  Outbox& outbox = thread.polling.outboxes[local];
  const bool express = outbox.is_idle();
  if (!outbox.is_plain || (!express && outbox.queue.full())) [[unlikely]]
    return otherwise();
  count_request(thread, target, Category::kLong, to.bytes);
  return write_request(thread, outbox, express, [&](auto& mailbox) {
    mailbox.publish_next(mailbox.next_slot().template fill_plain_long<false>(
        handler, nargs, args, to.payload, to.bytes, to.destination, to.here));
  });
}

/// Writes a Long reply into the slot of its request and its payload to where it goes; false if that takes
/// more.
[[gnu::always_inline]] inline bool answer_long(Thread& thread, Token& token, std::uint8_t handler,
                                               unsigned nargs, const std::int32_t* args, PlainLong to) {
  if (thread.handling != &token || !token.may_answer || !to.find(thread.rank, token.origin.source, nargs))
      [[unlikely]]
    return false;
  count_reply(thread, token.origin.source, to.bytes);
  give_reply(
      thread, token,
      token.slot.fill_plain_long<true>(handler, nargs, args, to.payload, to.bytes, to.destination, to.here));
  return true;
}

}  // namespace aqueduct::core
