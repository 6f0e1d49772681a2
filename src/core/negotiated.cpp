#include "core/negotiated.hpp"

#include <algorithm>

#include "world/work.hpp"

namespace aqueduct::core {
namespace {

std::size_t limit(const Rank& rank, Category category) {
  return category == Category::kMedium ? rank.limits().max_medium : rank.limits().max_long;
}

void check(const char* where, Thread& thread, Category category, bool is_reply, const Intent& intent) {
  if (thread.prepared_request.active || thread.prepared_reply.active)
    fatal(where, "the message before has been neither committed nor cancelled");
  if (intent.nargs > am::kMaxArgs)
    fatal(where, "numargs is %u; a message has at most %u arguments", intent.nargs, am::kMaxArgs);
  if (intent.most < intent.least)
    fatal(where, "most_payload (%zu) is less than least_payload (%zu)", intent.most, intent.least);
  const std::size_t most = largest_least(thread.rank, category, intent.client_buffer);
  if (intent.least > most) fatal(where, "least_payload is %zu; the limit is %zu", intent.least, most);
  if (!intent.client_buffer) {
    if (intent.lc) fatal(where, "lc_opt must be NULL, because client_buf is");
  } else if (intent.lc == nullptr || intent.lc == GEX_EVENT_DEFER ||
             (is_reply && intent.lc == GEX_EVENT_GROUP)) {
    fatal(where, "lc_opt must be GEX_EVENT_NOW%s or the address of an event",
          is_reply ? "" : ", GEX_EVENT_GROUP");
  }
}

std::byte* own_buffer(const Rank& rank, Prepared& prepared) {
  if (!prepared.buffer) {
    const std::size_t bytes = std::max(kLongBufferBytes, rank.limits().max_medium);
    prepared.buffer = std::make_unique_for_overwrite<Prepared::Page[]>(round_up(bytes, kPage) / kPage);
  }
  return prepared.buffer[0].bytes;
}

// Fills in what requests and replies have in common and puts the thread under the rules of a handler.
Prepared* begin(Thread& thread, Prepared& prepared, Category category, const Intent& intent, void* own) {
  const std::size_t most =
      intent.client_buffer ? limit(thread.rank, category) : largest_least(thread.rank, category, false);
  prepared.address_ = intent.client_buffer ? const_cast<void*>(intent.client_buffer) : own;
  prepared.size_ = std::min(intent.most, most);
  prepared.active = true;
  prepared.category = category;
  prepared.nargs = intent.nargs;
  prepared.destination = intent.destination;
  prepared.lc = intent.lc;
  thread.handling = &prepared.marker;
  return &prepared;
}

// The thread's descriptor, if that is what the client passed and it was prepared for this call.
Prepared& checked(const char* where, Thread& thread, Category category, bool is_reply,
                  const void* descriptor) {
  Prepared& prepared = thread.prepared_reply.active ? thread.prepared_reply : thread.prepared_request;
  if (!prepared.active || descriptor != static_cast<const aq_source_descriptor_*>(&prepared)) [[unlikely]]
    fatal(where, "the descriptor is not that of a message which this thread has prepared");
  if (prepared.category != category || prepared.is_reply != is_reply) [[unlikely]] {
    fatal(where, "the message was prepared as a %s %s", name_of(prepared.category),
          prepared.is_reply ? "reply" : "request");
  }
  if (thread.handling != &prepared.marker) [[unlikely]]
    refuse_outside_handlers(where, thread);
  return prepared;
}

}  // namespace

std::size_t largest_least(const Rank& rank, Category category, bool client_buffer) {
  const std::size_t most = limit(rank, category);
  return category == Category::kLong && !client_buffer ? std::min(most, kLongBufferBytes) : most;
}

Prepared* prepare_request(const char* where, Thread& thread, Category category, const Peer& peer,
                          const Intent& intent) {
  check(where, thread, category, false, intent);
  if (thread.handling) refuse_request(where, thread);
  Rank& rank = thread.rank;
  Prepared& prepared = thread.prepared_request;
  prepared.is_reserved =
      local_rank(thread.polling, peer.rank) < thread.polling.reach && peer.rank != rank.id() &&
      peer.is_primordial() &&
      (category == Category::kMedium || (rank.objects().attached && !rank.objects().segment_everything));
  if (prepared.is_reserved) {
    const std::size_t bytes =
        category == Category::kMedium ? std::min(intent.most, rank.limits().max_medium) : 0;
    auto reserve = [&] {
      return rank.neighbourhood()->reserve(thread.polling, peer.rank, bytes, &prepared.reservation);
    };
    if (!reserve()) [[unlikely]] {
      thread.count_retry(peer.rank, observe::Retry::kMailbox);
      if (intent.flags & GEX_FLAG_IMMEDIATE) {
        thread.with(peer.rank).refused.add();
        return nullptr;
      }
      thread.with(peer.rank).stalls.add();
      wait_until(thread, Scope::kAll, reserve, CreditsSubject{peer.rank});
    }
  }
  // The line that the commit will write last and that the neighbour waits for: fetch it meanwhile.
  if (prepared.is_reserved) expect_write(prepared.reservation.slot.envelope);
  void* own = nullptr;
  if (!intent.client_buffer) {
    const bool in_place = prepared.is_reserved && category == Category::kMedium;
    const std::size_t most = std::min(intent.most, rank.limits().max_medium);
    own = in_place ? prepared.reservation.slot.payload_area(false, most) : own_buffer(rank, prepared);
  }
  prepared.peer = peer;
  return begin(thread, prepared, category, intent, own);
}

Prepared* prepare_reply(const char* where, Thread& thread, Category category, Token& token,
                        const Intent& intent) {
  check(where, thread, category, true, intent);
  check_reply(where, thread, token);
  Prepared& prepared = thread.prepared_reply;
  void* own = nullptr;
  if (!intent.client_buffer) {
    const std::size_t most = std::min(intent.most, thread.rank.limits().max_medium);
    own = token.slot.envelope && category == Category::kMedium ? token.slot.payload_area(true, most)
                                                               : own_buffer(thread.rank, prepared);
  }
  prepared.token = &token;
  return begin(thread, prepared, category, intent, own);
}

int commit(const char* where, Thread& thread, Category category, bool is_reply, const void* descriptor,
           const Commitment& commitment) {
  Prepared& prepared = checked(where, thread, category, is_reply, descriptor);
  if (commitment.nargs != prepared.nargs) [[unlikely]]
    fatal(where, "%u arguments; the message was prepared for %u", commitment.nargs, prepared.nargs);
  if (commitment.bytes > prepared.size_) [[unlikely]]
    fatal(where, "nbytes is %zu; the message was prepared for at most %zu", commitment.bytes, prepared.size_);
  if (prepared.destination && prepared.destination != commitment.destination) [[unlikely]]
    fatal(where, "dest_addr is %p; the message was prepared for %p", commitment.destination,
          prepared.destination);
  const Message message{
      category,        is_reply,          commitment.handler, static_cast<std::uint8_t>(commitment.nargs),
      commitment.args, prepared.address_, commitment.bytes,   commitment.destination};
  int result = GASNET_OK;
  thread.handling = is_reply ? prepared.token : nullptr;
  if (prepared.is_reserved) [[likely]] {
    world::spend(world::kNeighbourMessage, message.payload_bytes);
    const std::intptr_t shift = checked_shift(where, thread.rank, prepared.peer.rank, message);
    const Header header = prepared.reservation.slot.fill(message, shift);
    count_request(thread, prepared.peer.rank, category, message.payload_bytes);
    Neighbourhood::send_reserved(thread.polling, prepared.peer.rank, prepared.reservation, header);
  } else {
    prepared.active = false;  // in case it polls: handlers may prepare replies
    result = is_reply ? send_reply(where, thread, *prepared.token, message, commitment.flags)
                      : send_request(where, thread, prepared.peer, message, commitment.flags);
    if (result != GASNET_OK) {
      prepared.active = true;
      thread.handling = &prepared.marker;
      return result;
    }
  }
  prepared.active = false;
  if (reinterpret_cast<std::uintptr_t>(prepared.lc) > reinterpret_cast<std::uintptr_t>(GEX_EVENT_GROUP))
    *prepared.lc = GEX_EVENT_INVALID;
  return result;
}

void cancel(const char* where, Thread& thread, Category category, bool is_reply, const void* descriptor) {
  Prepared& prepared = checked(where, thread, category, is_reply, descriptor);
  prepared.active = false;
  prepared.plain_kind = Header::kNoKind;
  thread.handling = is_reply ? prepared.token : nullptr;
}

}  // namespace aqueduct::core
