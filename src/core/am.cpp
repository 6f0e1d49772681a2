#include "core/am.hpp"

#include "base/fatal.hpp"
#include "base/race_hints.hpp"
#include "world/work.hpp"

namespace aqueduct::core {
namespace {

void check_payload(const char* where, const Rank& rank, const Message& message) {
  if (message.nargs > am::kMaxArgs) [[unlikely]] {
    fatal(where, "%u arguments; at most %u can be sent", message.nargs, am::kMaxArgs);
  }
  if (message.category == Category::kShort) return;
  const am::Limits limits = rank.limits();
  const std::size_t most = message.category == Category::kMedium ? limits.max_medium : limits.max_long;
  if (message.payload_bytes > most) [[unlikely]] {
    fatal(where, "a payload of %zu bytes; the limit is %zu", message.payload_bytes, most);
  }
}

// Whether `peer` has died and this rank goes on: what is sent there is lost.
inline bool is_lost(const Rank& rank, RankId peer) {
  const Failures* const failures = rank.failures();
  return failures && failures->is_dead(peer);
}

// Tries once; polls and tries again where it is allowed to wait.
// `lacking`: what is missing where nobody says otherwise.
template <class Try>
int send_or_wait(Thread& thread, RankId peer, gex_Flags_t flags, Scope scope, observe::Retry lacking,
                 Try&& try_once) {
  if (is_lost(thread.rank, peer)) [[unlikely]] {
    thread.rank.failures()->count_lost();
    return GASNET_OK;
  }
  thread.lacks = lacking;
  if (try_once()) [[likely]]
    return GASNET_OK;
  thread.count_retry(peer);
  if (flags & GEX_FLAG_IMMEDIATE) {
    thread.with(peer).refused.add();
    return GASNET_ERR_NOT_READY;
  }
  thread.with(peer).stalls.add();
  thread.count_short_requests(peer);
  wait_until(
      thread, scope, [&] { return is_lost(thread.rank, peer) || try_once(); }, CreditsSubject{peer});
  return GASNET_OK;
}

// Gives a message to the conduit by `post(message)`. The network may still read a long payload then: if
// nobody counts it, this returns when it does not any more.
template <class Give>
int give_to_conduit(Thread& thread, RankId peer, const Message& message, gex_Flags_t flags, Scope scope,
                    Give&& give) {
  am::Unreleased unreleased{0};
  Message counted = message;
  const bool must_wait = message.category == Category::kLong && !message.unreleased;
  if (must_wait) counted.unreleased = &unreleased;
  const int result = send_or_wait(thread, peer, flags, scope, observe::Retry::kNetwork,
                                  [&] { return give(counted) == am::Post::kDone; });
  const auto released = [&] { return unreleased.load(std::memory_order_acquire) == 0; };
  if (must_wait && !released()) {
    wait_until(thread, scope, released, [peer](observe::WaitRecord& record) {
      record.kind = observe::WaitKind::kRelease;
      record.transfer = observe::TransferKind::kMessage;
      record.peer = peer;
    });
  }
  return result;
}

// Sending makes progress, also where nothing is sent away: its handler has run already.
void look_after_own_request(Thread& thread) {
  if (thread.own.poll_is_due() && !would_poll_in_vain(thread)) [[unlikely]]
    poll(thread, Scope::kAll);
}

}  // namespace

std::intptr_t checked_shift(const char* where, Rank& rank, RankId target, const Message& message) {
  if (message.category != Category::kLong || message.payload_bytes == 0) return 0;
  const aq_peer_view_& view = rank.objects().neighbour_views[target];
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(message.destination) - view.base_;
  if (offset >= view.size_ || message.payload_bytes > view.size_ - offset) {
    const am::SegmentBounds& bounds = rank.objects().bounds[target];
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
    if (target == rank.id()) return run_own_request(thread, thread.own.slot().fill(message, shift));
    world::spend(world::kNeighbourMessage, message.payload_bytes);
    Neighbourhood& neighbourhood = *rank.neighbourhood();
    const int result = send_or_wait(thread, target, flags, Scope::kAll, observe::Retry::kMailbox, [&] {
      return neighbourhood.send(thread.polling, target, message, shift);
    });
    thread.with(target).is_neighbour.set(1);
    if (result == GASNET_OK) count_request(thread, target, message.category, message.payload_bytes);
    return result;
  }
  const int result =
      give_to_conduit(thread, target, message, flags, Scope::kAll,
                      [&](const Message& counted) { return rank.conduit().inject(target, counted); });
  if (result == GASNET_OK) count_request(thread, target, message.category, message.payload_bytes);
  if (target == rank.id()) look_after_own_request(thread);
  return result;
}

int finish_sending(Outbox& outbox) {
  if (outbox.backoff.turn_is_due()) outbox.backoff.turn();
  outbox.doorbell->ring_if_needed();
  return GASNET_OK;
}

int run_own_request(Thread& thread, Header header) {
  Rank& rank = thread.rank;
  const Slot slot = thread.own.slot();
  count_request(thread, rank.id(), header.category(), header.payload_bytes());
  thread.with(rank.id()).requests_received.add();
  if (rank.run_request(thread, rank.id(), slot, header, false)) {
    rank.run_reply(thread, rank.id(), slot, {slot.envelope->header.load(std::memory_order_relaxed)});
  } else {
    thread.with(rank.id()).settled.add();
  }
  // The handlers may have done what another thread of this rank sleeps for.
  if (rank.threaded() && rank.doorbell()) rank.doorbell()->ring_if_needed();
  look_after_own_request(thread);
  return GASNET_OK;
}

int run_own_short(Thread& thread, std::uint8_t handler, unsigned nargs, const std::int32_t* args) {
  const Slot slot = thread.own.slot();
  Slot::copy_args(slot.envelope->args, args, nargs);
  return run_own_request(thread,
                         Header::make(slot.lap, SlotState::kRequest, Category::kShort, handler, nargs));
}

int run_own_medium(Thread& thread, std::uint8_t handler, unsigned nargs, const std::int32_t* args,
                   const void* payload, std::size_t bytes) {
  const Slot slot = thread.own.slot();
  return run_own_request(thread, slot.fill_plain_medium<false>(handler, nargs, args, payload, bytes));
}

int post_reply(Thread& thread, Token& token, const Message& message, std::intptr_t shift, gex_Flags_t flags) {
  Rank& rank = token.rank;
  if (token.slot.envelope) {
    // A neighbour's request has brought the room for its reply.
    if (token.origin.source != rank.id()) world::spend(world::kNeighbourMessage, message.payload_bytes);
    const Header header = token.slot.fill(message, shift);
    message_leaves(&rank);
    count_reply(thread, token.origin.source, message.payload_bytes);
    give_reply(thread, token, header);
    return GASNET_OK;
  }
  // Only replies are polled while we wait: their handlers send nothing, so this cannot nest any deeper.
  const int result =
      give_to_conduit(thread, token.origin.source, message, flags, Scope::kReplies,
                      [&](const Message& counted) { return rank.conduit().reply(token.origin, counted); });
  token.replied = result == GASNET_OK;
  if (token.replied) count_reply(thread, token.origin.source, message.payload_bytes);
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
  if (needs_encapsulation(rank.objects(), peer, message)) [[unlikely]]
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
  if (needs_encapsulation(rank.objects(), token.peer(), message)) [[unlikely]]
    return send_carried_reply(where, thread, token, message, flags);
  const std::intptr_t shift = checked_shift(where, rank, token.origin.source, message);
  return post_reply(thread, token, message, shift, flags);
}

}  // namespace aqueduct::core
