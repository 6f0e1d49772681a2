// Messages in two steps: a payload that the client writes where it will be sent from.
//
// prepare_*() finds room and a buffer; the client fills the buffer; commit() sends it, cancel() gives it up.
// Between the two the thread may make no other call that communicates: it counts as in a handler until then.
//
// The buffer is the client's own, or ours. Ours is the slot of the mailbox itself for a medium payload to a
// neighbour, so that nothing is copied; otherwise a buffer of the thread, from which the commit sends. A
// reply's slot came with its request. A slot in a lane that threads share is not kept from the others: there
// the thread's buffer is used, too.
//
// Ownership: a thread has two descriptors in its record, one of them for replies, since a handler that
// prepares one may run while a request that was committed waits for room. They are valid from prepare to
// commit or cancel, and only that thread may use them. Misuse ends the job with one line; `where` names the
// API function.
#pragma once
#include "core/am.hpp"

namespace aqueduct::core {

/// The largest buffer of ours for a long payload.
inline constexpr std::size_t kLongBufferBytes = std::size_t{64} << 10;

/// What a Prepare call says of the message to come.
struct Intent {
  const void* client_buffer;  ///< null: one of ours
  std::size_t least;
  std::size_t most;
  void* destination;  ///< of a long payload, if it is known already
  gex_Event_t* lc;
  gex_Flags_t flags;
  unsigned nargs;
};

/// The largest payload that every Prepare call with (without) a buffer of the client must be able to offer.
std::size_t largest_least(const Rank& rank, Category category, bool client_buffer);

/// Null only with GEX_FLAG_IMMEDIATE, if it would have to wait.
Prepared* prepare_request(const char* where, Thread& thread, Category category, const Peer& peer,
                          const Intent& intent);
Prepared* prepare_reply(const char* where, Thread& thread, Category category, Token& token,
                        const Intent& intent);

/// What a Commit call adds.
struct Commitment {
  std::uint8_t handler;
  std::size_t bytes;
  void* destination;
  gex_Flags_t flags;
  unsigned nargs;
  const std::int32_t* args;
};

/// Sends. With GEX_FLAG_IMMEDIATE answers GASNET_ERR_NOT_READY where it would have to wait, and the
/// descriptor stays valid; otherwise GASNET_OK.
int commit(const char* where, Thread& thread, Category category, bool is_reply, const void* descriptor,
           const Commitment& commitment);

/// The fast path: a request to endpoint 0 of a neighbour, of which a medium one fits an
/// envelope and its inline buffer. Null if it is not that, or there is no room now.
template <Category kCategory>
[[gnu::always_inline]] inline Prepared* prepare_plain(Thread& thread, RankId target, const Intent& intent) {
  Prepared& prepared = thread.prepared_request;
  const RankId local = local_rank(thread.polling, target);
  bool is_plain = !thread.handling && local < thread.polling.reach && intent.flags == 0 &&
                  intent.least <= intent.most && intent.nargs <= kArgsWithAddress &&
                  intent.lc == (intent.client_buffer ? GEX_EVENT_NOW : nullptr);
  if constexpr (kCategory == Category::kMedium) {
    is_plain = is_plain && intent.most <= kInlineBytes;
  } else {
    is_plain = is_plain && thread.rank.objects().attached && !thread.rank.objects().segment_everything &&
               (intent.client_buffer ? intent.most <= thread.rank.limits().max_long
                                     : prepared.buffer && intent.most <= kLongBufferBytes);
  }
  if (!is_plain) [[unlikely]]
    return nullptr;
  Outbox& outbox = thread.polling.outboxes[local];
  const bool express = outbox.is_idle();
  if (!outbox.is_plain || (!express && outbox.queue.full())) [[unlikely]]
    return nullptr;
  if (intent.client_buffer) {
    prepared.address_ = const_cast<void*>(intent.client_buffer);
  } else if constexpr (kCategory == Category::kMedium) {
    prepared.address_ = (express ? outbox.express.next_slot() : outbox.queue.next_slot()).request().payload;
  } else {
    prepared.address_ = prepared.buffer[0].bytes;
  }
  prepared.size_ = intent.most;
  prepared.active = true;
  prepared.plain_kind = Header::kind(kCategory, intent.nargs);
  prepared.category = kCategory;
  prepared.is_express = express;
  prepared.nargs = intent.nargs;
  prepared.outbox = &outbox;
  if constexpr (kCategory == Category::kLong) {
    prepared.peer.rank = target;
    prepared.destination = intent.destination;
  }
  thread.handling = &prepared.marker;
  return &prepared;
}

/// True if this is the commit of a message that was so prepared.
template <Category kCategory>
[[gnu::always_inline]] inline bool is_plain_commit(const Prepared& prepared, const void* descriptor,
                                                   const Commitment& commitment) {
  return descriptor == static_cast<const aq_source_descriptor_*>(&prepared) &&
         commitment.nargs <= kArgsWithAddress &&
         prepared.plain_kind == Header::kind(kCategory, commitment.nargs) &&
         commitment.bytes <= prepared.size_ &&
         (kCategory != Category::kLong || !prepared.destination ||
          prepared.destination == commitment.destination);
}

/// Sends it, by the express mailbox or by the queue as prepared.is_express has it.
template <Category kCategory, bool kExpress>
[[gnu::always_inline]] inline int commit_plain(const char* where, Thread& thread,
                                               const Commitment& commitment) {
  Prepared& prepared = thread.prepared_request;
  prepared.active = false;
  prepared.plain_kind = Header::kNoKind;
  thread.handling = nullptr;
  Outbox& outbox = *prepared.outbox;
  count_request(thread, outbox.target, kCategory, commitment.bytes);
  if constexpr (kCategory == Category::kMedium) {
    return write_request(thread, outbox, kExpress, [&](auto& mailbox) {
      mailbox.write_plain_medium(commitment.handler, commitment.nargs, commitment.args, prepared.address_,
                                 commitment.bytes);
    });
  } else {
    const Message message{Category::kLong,    false,
                          commitment.handler, static_cast<std::uint8_t>(commitment.nargs),
                          commitment.args,    prepared.address_,
                          commitment.bytes,   commitment.destination};
    const std::intptr_t shift = checked_shift(where, thread.rank, prepared.peer.rank, message);
    return write_request(thread, outbox, kExpress, [&](auto& mailbox) { mailbox.write(message, shift); });
  }
}

void cancel(const char* where, Thread& thread, Category category, bool is_reply, const void* descriptor);

}  // namespace aqueduct::core
