#include "core/am.hpp"

#include "base/fatal.hpp"
#include "base/race_hints.hpp"

namespace aqueduct::core {
namespace {

void check_payload(const char* where, const Rank& rank, const Message& message) {
  if (message.nargs > conduit::kMaxArgs) [[unlikely]] {
    fatal(where, "%u arguments; at most %u can be sent", message.nargs, conduit::kMaxArgs);
  }
  if (message.category == Category::kShort) return;
  const conduit::Limits limits = rank.limits();
  const std::size_t most = message.category == Category::kMedium ? limits.max_medium : limits.max_long;
  if (message.payload_bytes > most) [[unlikely]] {
    fatal(where, "a payload of %zu bytes; the limit is %zu", message.payload_bytes, most);
  }
}

// Tries once; polls and tries again where it is allowed to wait.
template <class Try>
int send_or_wait(Thread& thread, gex_Flags_t flags, Scope scope, Try&& try_once) {
  if (try_once()) [[likely]]
    return GASNET_OK;
  if (flags & GEX_FLAG_IMMEDIATE) return GASNET_ERR_NOT_READY;
  wait_until(thread, scope, try_once);
  return GASNET_OK;
}

}  // namespace

std::intptr_t checked_shift(const char* where, Rank& rank, RankId target, const Message& message) {
  if (message.category != Category::kLong || message.payload_bytes == 0) return 0;
  const aq_peer_view_& view = rank.objects().neighbour_views[target];
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(message.destination) - view.base_;
  if (offset >= view.size_ || message.payload_bytes > view.size_ - offset) {
    const conduit::SegmentBounds& bounds = rank.objects().bounds[target];
    const std::uintptr_t inside = reinterpret_cast<std::uintptr_t>(message.destination) - bounds.base;
    if (inside < bounds.size && message.payload_bytes <= bounds.size - inside) return 0;  // no neighbour
    fatal(where, "destination %p (%zu bytes) is outside the segment of rank %u, which is %p (%zu bytes)",
          message.destination, message.payload_bytes, target, reinterpret_cast<void*>(bounds.base),
          bounds.size);
  }
  return view.shift_;
}

void refuse_request(const char* where, const Thread& thread) {
  refuse_outside_handlers(where, thread);
  fatal(where, "a handler may not send a request%s",
        thread.handling->is_request ? "; it may reply once" : "");
}

void check_reply(const char* where, const Thread& thread, const Token& token) {
  if (thread.handling != &token) [[unlikely]] {
    refuse_outside_handlers(where, thread);
    fatal(where, "the token does not belong to the handler that runs on this thread");
  }
  if (!token.is_request) [[unlikely]]
    fatal(where, "a reply handler may not reply");
  if (token.replied) [[unlikely]]
    fatal(where, "this request has been replied to already");
}

int post_request(Thread& thread, RankId target, const Message& message, std::intptr_t shift,
                 gex_Flags_t flags) {
  Rank& rank = thread.rank;
  if (rank.is_neighbour(target)) {
    Neighbourhood& neighbourhood = *rank.neighbourhood();
    const int result = send_or_wait(thread, flags, Scope::kAll, [&] {
      return neighbourhood.send(thread.polling, target, message, shift);
    });
    if (target == rank.id() && result == GASNET_OK) serve_self(thread, flags);
    return result;
  }
  return send_or_wait(thread, flags, Scope::kAll,
                      [&] { return rank.conduit().inject(target, message) == conduit::Post::kDone; });
}

int finish_sending(Thread& thread, Outbox& outbox, gex_Flags_t flags) {
  if (outbox.pace.turn_is_due()) outbox.pace.turn();
  outbox.doorbell->ring_if_needed();
  if (outbox.leads_home) serve_self(thread, flags);
  return GASNET_OK;
}

void serve_self(Thread& thread, gex_Flags_t flags) {
  if (flags & GEX_FLAG_IMMEDIATE) return;
  // One poll for each message that came before and one more for each of ours would do; but other threads may
  // be at it, and polls may leave out mailboxes that had nothing lately.
  constexpr int kAttempts = 100;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    poll(thread, Scope::kAll);
    if (!Neighbourhood::outstanding(thread.polling, thread.rank.id())) return;
  }
}

int post_reply(Thread& thread, Token& token, const Message& message, std::intptr_t shift, gex_Flags_t flags) {
  Rank& rank = token.rank;
  if (token.slot.envelope) {
    // A neighbour's request has brought the room for its reply.
    const Header header = token.slot.fill(message, shift);
    message_leaves(&rank);
    give_reply(thread, token, header);
    return GASNET_OK;
  }
  // Only replies are polled while we wait: their handlers send nothing, so this cannot nest any deeper.
  const int result = send_or_wait(thread, flags, Scope::kReplies, [&] {
    return rank.conduit().reply(token.origin, message) == conduit::Post::kDone;
  });
  token.replied = result == GASNET_OK;
  return result;
}

int send_request(const char* where, Thread& thread, const Peer& peer, const Message& message,
                 gex_Flags_t flags) {
  Rank& rank = thread.rank;
  if (peer.rank >= rank.size()) [[unlikely]] {
    fatal(where, "rank %u is outside the team, which has %u ranks", peer.rank, rank.size());
  }
  if (thread.handling) [[unlikely]]
    refuse_request(where, thread);
  check_payload(where, rank, message);
  if (needs_carriage(rank.objects(), peer, message)) [[unlikely]]
    return send_carried_request(where, thread, peer, message, flags);
  return post_request(thread, peer.rank, message, checked_shift(where, rank, peer.rank, message), flags);
}

int send_request(const char* where, Thread& thread, RankId target, const Message& message,
                 gex_Flags_t flags) {
  return send_request(where, thread, Peer{target, 0, 0}, message, flags);
}

int send_reply(const char* where, Thread& thread, Token& token, const Message& message, gex_Flags_t flags) {
  Rank& rank = token.rank;
  check_reply(where, thread, token);
  check_payload(where, rank, message);
  if (needs_carriage(rank.objects(), token.peer(), message)) [[unlikely]]
    return send_carried_reply(where, thread, token, message, flags);
  const std::intptr_t shift = checked_shift(where, rank, token.origin.source, message);
  return post_reply(thread, token, message, shift, flags);
}

}  // namespace aqueduct::core
