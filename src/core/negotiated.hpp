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

/// The straight way for the usual: a request to a neighbour, of which a medium one fits an envelope and its
/// companion. Null if it is not that, or there is no room now.
template <Category kCategory>
inline Prepared* prepare_plain(Thread& thread, const Peer& peer, const Intent& intent) {
  Prepared& prepared = thread.prepared_request;
  bool is_usual = !thread.handling && peer.rank < thread.polling.reach && peer.is_primordial() &&
                  intent.flags == 0 && intent.least <= intent.most && intent.nargs <= kArgsWithAddress &&
                  intent.lc == (intent.client_buffer ? GEX_EVENT_NOW : nullptr);
  if constexpr (kCategory == Category::kMedium) {
    is_usual = is_usual && intent.most <= kCompanionBytes;
  } else {
    is_usual = is_usual && thread.rank.objects().attached && !thread.rank.objects().everything &&
               (intent.client_buffer ? intent.most <= thread.rank.limits().max_long
                                     : prepared.buffer && intent.most <= kLongBufferBytes);
  }
  if (!is_usual || !Neighbourhood::reserve(thread.polling, peer.rank, &prepared.reservation)) [[unlikely]]
    return nullptr;
  prepared.address_ = intent.client_buffer             ? const_cast<void*>(intent.client_buffer)
                      : kCategory == Category::kMedium ? prepared.reservation.slot.request().payload
                                                       : prepared.buffer[0].bytes;
  prepared.size_ = intent.most;
  prepared.active = true;
  prepared.category = kCategory;
  prepared.is_reserved = true;
  prepared.is_plain = true;
  prepared.nargs = intent.nargs;
  prepared.peer = peer;
  prepared.destination = intent.destination;
  prepared.lc = nullptr;
  thread.handling = &prepared.marker;
  return &prepared;
}

/// False if that was not prepared, and commit() must be called.
template <Category kCategory>
inline bool commit_plain(const char* where, Thread& thread, const void* descriptor,
                         const Commitment& commitment) {
  Prepared& prepared = thread.prepared_request;
  if (descriptor != static_cast<const aq_source_descriptor_*>(&prepared) ||
      thread.handling != &prepared.marker || !prepared.is_plain || prepared.category != kCategory ||
      commitment.nargs != prepared.nargs || commitment.bytes > prepared.size_ ||
      (prepared.destination && prepared.destination != commitment.destination)) [[unlikely]] {
    return false;
  }
  prepared.active = false;
  thread.handling = nullptr;
  const Slot& slot = prepared.reservation.slot;
  Header header;
  if constexpr (kCategory == Category::kMedium) {
    header = slot.fill_plain_medium<false>(commitment.handler, commitment.nargs, commitment.args,
                                           prepared.address_, commitment.bytes);
  } else {
    const Message message{Category::kLong,    false,
                          commitment.handler, static_cast<std::uint8_t>(commitment.nargs),
                          commitment.args,    prepared.address_,
                          commitment.bytes,   commitment.destination};
    header = slot.fill(message, checked_shift(where, thread.rank, prepared.peer.rank, message));
  }
  Neighbourhood::send_reserved(thread.polling, prepared.peer.rank, prepared.reservation, header);
  if (prepared.peer.rank == thread.rank.id()) [[unlikely]]
    serve_self(thread, commitment.flags);
  return true;
}

void cancel(const char* where, Thread& thread, Category category, bool is_reply, const void* descriptor);

}  // namespace aqueduct::core
