// Handles arrivals: the events of messages.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/fatal.hpp"
#include "papers/conduit/portals/messages.hpp"
#include "parts/body.hpp"
#include "world/work.hpp"

namespace aqueduct::conduit::portals {
namespace {

Category category_of(std::uint8_t flags) {
  return flags & flag::kShort    ? Category::kShort
         : flags & flag::kMedium ? Category::kMedium
                                 : Category::kLong;
}

}  // namespace

unsigned Messages::poll(Scope scope) {
  unsigned found = control_.poll();
  if (scope == Scope::kAll) found += poll_requests(port_.settings.am_limit);
  return found;
}

// Reserves the resources of one reply of any kind.
bool Messages::equip(ArrivedRequest& arrived) {
  if (!port_.tokens.try_take(kTokensForReply)) return false;
  arrived.tokens = kTokensForReply;
  arrived.reply_chunk = reply_chunks_.take();
  if (arrived.reply_chunk != parts::ChunkPool::kNone) return true;
  give_back(arrived);
  return false;
}

void Messages::give_back(ArrivedRequest& arrived) {
  if (arrived.tokens != 0) port_.tokens.give_back(std::exchange(arrived.tokens, 0));
  if (arrived.reply_chunk != parts::ChunkPool::kNone) reply_chunks_.give_back(arrived.reply_chunk);
  arrived.reply_chunk = parts::ChunkPool::kNone;
}

// Takes the next event that may be handled. Sets aside an event that must wait for others, which come later
// in the queue.
bool Messages::take_event(ptl_event_t* event) {
  bool may = false;
  if (held_count_.load(std::memory_order_relaxed) != 0 && held_lock_.try_lock()) {
    // Requests complete in any order, so the one that others wait for may be behind them.
    const auto first = std::ranges::find_if(
        held_events_, [](const ptl_event_t& held) { return AmEvents::of(held).may_begin(held); });
    if (first != held_events_.end()) {
      *event = *first;
      held_events_.erase(first);
      held_count_.fetch_sub(1, std::memory_order_relaxed);
      may = true;
    }
    held_lock_.unlock();
    if (may) return true;
  }
  for (;;) {
    const bool got = port_.interface.am.get(event, [&](const ptl_event_t& taken) {
      may = AmEvents::of(taken).taken(taken);
      if (may) return;
      const std::lock_guard guard(held_lock_);
      held_events_.push_back(taken);
      held_count_.fetch_add(1, std::memory_order_relaxed);
    });
    if (!got || may) return got;
  }
}

unsigned Messages::poll_requests(unsigned limit) {
  unsigned found = 0;
  for (; found < limit; ++found) {
    ArrivedRequest arrived;
    if (!equip(arrived)) break;
    ptl_event_t event;
    if (!take_event(&event)) {
      give_back(arrived);
      break;
    }
    port_.watch->found(1);
    port_.interface.check_event(event);
    AmEvents::of(event).happened(event, arrived);
    give_back(arrived);
  }
  return found;
}

void Messages::request_came(const ptl_event_t& event, ArrivedRequest& arrived) {
  const HeaderBits bits = HeaderBits::decode(event.match_bits);
  const HeaderData data = HeaderData::decode(event.hdr_data);
  const std::byte* body = static_cast<const std::byte*>(event.md.start) + event.offset;
  arrived.source = data.source;
  arrived.chunk = bits.chunk;
  if (port_.settings.flow_control) {
    parts::Credits::Revocations revocations;
    arrived.credit = credits_.on_request(data.source, data.credit, &revocations);
    for (unsigned i = 0; i < revocations.count; ++i)
      send_credits(revocations.peers[i], Control::kRevoke, 0, revocations.epoch_ended[i]);
  }
  if ((bits.flags & flag::kLong) && !(bits.flags & flag::kPacked)) {
    return deliver_long(longs_.header_came(data.source, false, bits.chunk, bits, body, arrived.credit),
                        &arrived);
  }
  deliver(bits, false, body, data.other, arrived.origin());
  if (!arrived.is_answered) send_implicit_reply(arrived);
}

void Messages::RequestPayloads::happened(const ptl_event_t& event, ArrivedRequest& arrived) {
  if (event.type != PTL_EVENT_PUT_END) return;
  messages_.deliver_long(messages_.longs_.payload_came(event, false), &arrived);
}

void Messages::reply_payload_event(const ptl_event_t& event) {
  if (event.type != PTL_EVENT_PUT_END) return operations_.happened(event);
  deliver_long(longs_.payload_came(event, true), nullptr);
}

void Messages::request_chunk_event(const ptl_event_t& event) {
  if (event.type == PTL_EVENT_PUT_END) return reply_came(event);
  const bool is_header = type_of(event.match_bits) == Type::kHeader;
  if (event.type != PTL_EVENT_SEND_END || !is_header) return operations_.happened(event);
  port_.tokens.give_back();
}

void Messages::reply_chunk_event(const ptl_event_t& event) {
  if (event.type != PTL_EVENT_SEND_END) return;
  reply_chunks_.give_back(HeaderBits::decode(event.match_bits).chunk);
  port_.tokens.give_back();
}

void Messages::overflow_event(const ptl_event_t& event) {
  if (event.type != PTL_EVENT_PUT_END) return;
  fatal(kName, "a request from rank %u found no buffer: %s", event.initiator.nid,
        port_.settings.flow_control
            ? "the flow control of active messages has failed, which is an error of the library"
            : "nothing holds senders back, because GASNET_PORTAL_FLOW_CONTROL=0");
}

// Runs the handler of a complete Long, if there is one: a request's, or, if `request` is null, a reply's.
void Messages::deliver_long(ArrivedLong* complete, ArrivedRequest* request) {
  if (!complete) return;
  ArrivedLong& whole = *complete;
  const Message message{Category::kLong, request == nullptr, whole.handler,       whole.nargs,
                        whole.args,      whole.destination,  whole.payload_bytes, whole.destination};
  if (request) {
    request->source = whole.source;
    request->chunk = whole.chunk;
    request->credit = whole.credit;
    port_.receiver.deliver(message, request->origin());
    if (!request->is_answered) send_implicit_reply(*request);
  } else {
    port_.receiver.deliver(message, {whole.source, 0});
  }
  longs_.give_back(whole);
}

void Messages::reply_came(const ptl_event_t& event) {
  const HeaderBits bits = HeaderBits::decode(event.match_bits);
  const HeaderData data = HeaderData::decode(event.hdr_data);
  const auto chunk = static_cast<parts::ChunkPool::Offset>(event.offset);
  // Only the rank that a chunk's request went to may answer there, once.
  RankId expected = data.source + 1;
  if (chunk % port_.settings.chunk_bytes != 0 ||
      !chunk_peer_[chunk / port_.settings.chunk_bytes].compare_exchange_strong(expected, 0)) {
    warn(kName, "a reply from rank %u to no request of ours was dropped", event.initiator.nid);
    return;
  }
  if (port_.settings.flow_control) credits_.on_reply(data.source, data.credit);
  const std::byte* body = port_.request_chunks.at(chunk);
  if ((bits.flags & flag::kLong) && !(bits.flags & flag::kPacked)) {
    deliver_long(longs_.header_came(data.source, true, data.other, bits, body, {}), nullptr);
  } else if (!(bits.flags & flag::kImplicit)) {
    deliver(bits, true, body, data.other, {data.source, 0});
  }
  port_.request_chunks.give_back(chunk);
}

// Runs the handler of a message whose body is whole. `length` is that of the payload in it.
void Messages::deliver(const HeaderBits& bits, bool is_reply, const std::byte* body, std::uint32_t length,
                       const Origin& origin) {
  world::spend(world::kAmReceive);
  Message message{category_of(bits.flags), is_reply, bits.handler, bits.nargs,
                  reinterpret_cast<const std::int32_t*>(body)};
  body += parts::arguments_bytes(bits.nargs);
  if (message.category != Category::kShort) message.payload_bytes = length;
  if (message.category == Category::kLong) {
    std::memcpy(&message.destination, body, sizeof message.destination);
    body += sizeof message.destination;
    if (length != 0 &&
        !port_.segment().contains(reinterpret_cast<std::uintptr_t>(message.destination), length)) {
      fatal(kName, "a Long from rank %u names memory outside the segment", origin.source);
    }
  }
  message.payload = body;
  parts::place_payload(message);
  port_.receiver.deliver(message, origin);
}

// Handles control messages of credits.
void Messages::told(RankId, const ControlBits& bits, ptl_hdr_data_t data) {
  const auto source = static_cast<RankId>(data >> 32);
  const bool epoch_ended = (data & 1) != 0;
  if (source >= port_.membership.size) return;
  if (bits.which == Control::kReturn)
    return credits_.on_return(source, {static_cast<std::uint16_t>(bits.argument), epoch_ended});
  const parts::Credits::Returned returned = credits_.on_revoke(source, epoch_ended);
  send_credits(source, Control::kReturn, returned.credits, returned.epoch_ended);
}

}  // namespace aqueduct::conduit::portals
