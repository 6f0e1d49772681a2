// What comes: events of the three queues.
#include <algorithm>
#include <cstring>
#include <utility>

#include "base/fatal.hpp"
#include "papers/conduit/portals/portals_conduit.hpp"

namespace aqueduct::conduit::portals {

unsigned PortalsConduit::poll_safe(unsigned limit) {
  unsigned found = 0;
  ptl_event_t event;
  while (found < limit && interface_.safe.get(&event)) {
    safe_event(event);
    ++found;
  }
  watch_->found(found);
  return found;
}

void PortalsConduit::safe_event(const ptl_event_t& event) {
  interface_.check_event(event);
  const Role role = static_cast<const RoleMark*>(event.md.user_ptr)->role;
  switch (event.type) {
    case PTL_EVENT_PUT_END:
      if (role == Role::kReqSb) return reply_came(event);
      if (role == Role::kRarSrc) return long_payload_came(event, nullptr);
      fatal("portals", "a request from rank %u found no buffer: %s", event.initiator.nid,
            settings_.flow_control ? "the flow control of active messages has failed, which is an error of "
                                     "the library"
                                   : "nothing holds senders back, because GASNET_PORTAL_FLOW_CONTROL=0");
    case PTL_EVENT_SEND_END:
      if (type_of(event.match_bits) == Type::kHeader) {
        if (role == Role::kRplSb) reply_chunks_.give_back(HeaderBits::decode(event.match_bits).chunk);
        tokens_.give_back();
        return;
      }
      break;
    case PTL_EVENT_ACK:
    case PTL_EVENT_REPLY_END:
      break;
    default:
      return;
  }
  const std::uint32_t name = type_of(event.match_bits) == Type::kPayload
                                 ? PayloadBits::name_in(event.match_bits)
                                 : TransferBits::name_in(event.match_bits);
  if (Part* part = parts_.find(name)) finish_part(name, *part, event.type == PTL_EVENT_SEND_END);
}

// The means for one reply, whatever it will be.
bool PortalsConduit::equip(ArrivedRequest& arrived) {
  if (!tokens_.try_take(kTokensForReply)) return false;
  arrived.tokens = kTokensForReply;
  arrived.reply_chunk = reply_chunks_.take();
  if (arrived.reply_chunk != parts::ChunkPool::kNone) return true;
  give_back(arrived);
  return false;
}

void PortalsConduit::give_back(ArrivedRequest& arrived) {
  if (arrived.tokens != 0) tokens_.give_back(std::exchange(arrived.tokens, 0));
  if (arrived.reply_chunk != parts::ChunkPool::kNone) reply_chunks_.give_back(arrived.reply_chunk);
  arrived.reply_chunk = parts::ChunkPool::kNone;
}

// Takes the next event that may be handled. One that must wait for others is put aside: those others come
// behind it in the queue.
bool PortalsConduit::take_am_event(ptl_event_t* event, RequestBuffers::Buffer** buffer) {
  bool may = false;
  const auto is_request = [&](const ptl_event_t& taken) {
    return taken.type == PTL_EVENT_PUT_END && buffers_->owns(taken);
  };
  if (held_count_.load(std::memory_order_relaxed) != 0 && held_lock_.try_lock()) {
    // Requests are complete in any order, so the one that lets others begin may stand behind them.
    const auto first = std::ranges::find_if(
        held_events_, [&](const ptl_event_t& held) { return buffers_->may_begin(held); });
    if (first != held_events_.end()) {
      *event = *first;
      held_events_.erase(first);
      held_count_.fetch_sub(1, std::memory_order_relaxed);
      *buffer = &buffers_->begin_held(*event);
      may = true;
    }
    held_lock_.unlock();
    if (may) return true;
  }
  for (;;) {
    const bool got = interface_.am.get(event, [&](const ptl_event_t& taken) {
      may = !is_request(taken) || buffers_->may_begin(taken);
      if (may) {
        if (is_request(taken)) *buffer = &buffers_->begin_read(taken);
        return;
      }
      buffers_->hold(taken);
      const std::lock_guard guard(held_lock_);
      held_events_.push_back(taken);
      held_count_.fetch_add(1, std::memory_order_relaxed);
    });
    if (!got || may) return got;
  }
}

unsigned PortalsConduit::poll_am(unsigned limit) {
  unsigned found = 0;
  for (; found < limit; ++found) {
    ArrivedRequest arrived;
    if (!equip(arrived)) break;
    ptl_event_t event;
    RequestBuffers::Buffer* buffer = nullptr;
    if (!take_am_event(&event, &buffer)) {
      give_back(arrived);
      break;
    }
    watch_->found(1);
    interface_.check_event(event);
    if (event.type == PTL_EVENT_UNLINK) {
      buffers_->unlinked(event);
    } else if (buffer) {
      request_came(event, arrived);
      buffers_->end_read(*buffer);
    } else if (event.type == PTL_EVENT_PUT_END) {
      long_payload_came(event, &arrived);
    }
    give_back(arrived);
  }
  return found;
}

void PortalsConduit::request_came(const ptl_event_t& event, ArrivedRequest& arrived) {
  const HeaderBits bits = HeaderBits::decode(event.match_bits);
  const HeaderData data = HeaderData::decode(event.hdr_data);
  const std::byte* body = static_cast<const std::byte*>(event.md.start) + event.offset;
  arrived.source = data.source;
  arrived.chunk = bits.chunk;
  if (settings_.flow_control) {
    parts::Credits::Revocations revocations;
    arrived.credit = credits_.on_request(data.source, data.credit, &revocations);
    revoke(revocations);
  }
  if ((bits.flags & flag::kLong) && !(bits.flags & flag::kPacked)) {
    return long_header_came(data.source, bits.chunk, bits, body, &arrived);
  }
  deliver(bits, false, body, data.other, arrived.origin());
  if (!arrived.is_answered) send_implicit_reply(arrived);
}

// Of a request that is being handled, or, if that is null, of a reply.
void PortalsConduit::long_header_came(RankId source, Lid lid, const HeaderBits& bits, const std::byte* body,
                                      ArrivedRequest* request) {
  ArrivedLong& arrival = arrived_longs_.take();
  arrival.source = source;
  arrival.is_reply = request == nullptr;
  arrival.nonce = lid;
  arrival.handler = bits.handler;
  arrival.nargs = bits.nargs;
  arrival.chunk = bits.chunk;
  if (request) arrival.credit = request->credit;
  std::memcpy(arrival.args, body, bits.nargs * sizeof(std::int32_t));
  if (!tells_of_payloads()) {
    LongDestination where;
    std::memcpy(&where, body + parts::arguments_bytes(bits.nargs), sizeof where);
    if (!segments_[membership_.rank].contains(where.address, where.bytes))
      fatal("portals", "a Long from rank %u names memory outside the segment", source);
    arrival.destination = reinterpret_cast<void*>(where.address);
    arrival.payload_bytes = where.bytes;
  }
  handle_long(long_->envelope_came(arrival), request);
}

void PortalsConduit::long_payload_came(const ptl_event_t& event, ArrivedRequest* request) {
  const auto source = static_cast<RankId>(event.hdr_data >> 32);
  const parts::LandedAt at{static_cast<std::byte*>(event.md.start) + event.offset, event.mlength};
  handle_long(long_->payload_came(source, request == nullptr, static_cast<Lid>(event.hdr_data), at), request);
}

// Runs the handler of what is complete, if something is.
void PortalsConduit::handle_long(parts::LongArrival* complete, ArrivedRequest* request) {
  if (!complete) return;
  auto& whole = static_cast<ArrivedLong&>(*complete);
  const Message message{Category::kLong, request == nullptr, whole.handler,       whole.nargs,
                        whole.args,      whole.destination,  whole.payload_bytes, whole.destination};
  if (request) {
    request->source = whole.source;
    request->chunk = whole.chunk;
    request->credit = whole.credit;
    receiver_.deliver(message, request->origin());
    if (!request->is_answered) send_implicit_reply(*request);
  } else {
    receiver_.deliver(message, {whole.source, 0});
  }
  arrived_longs_.give_back(whole);
}

void PortalsConduit::reply_came(const ptl_event_t& event) {
  const HeaderBits bits = HeaderBits::decode(event.match_bits);
  const HeaderData data = HeaderData::decode(event.hdr_data);
  const auto chunk = static_cast<parts::ChunkPool::Offset>(event.offset);
  // Only the rank that a chunk's request went to may answer there, once.
  RankId expected = data.source + 1;
  if (chunk % settings_.chunk_bytes != 0 ||
      !chunk_peer_[chunk / settings_.chunk_bytes].compare_exchange_strong(expected, 0)) {
    warn("portals", "a reply from rank %u to no request of ours was dropped", event.initiator.nid);
    return;
  }
  if (settings_.flow_control) credits_.on_reply(data.source, data.credit);
  const std::byte* body = request_chunks_.at(chunk);
  if ((bits.flags & flag::kLong) && !(bits.flags & flag::kPacked)) {
    long_header_came(data.source, data.other, bits, body, nullptr);
  } else if (!(bits.flags & flag::kImplicit)) {
    deliver(bits, true, body, data.other, {data.source, 0});
  }
  request_chunks_.give_back(chunk);
}

void PortalsConduit::send_credits(RankId target, Control which, std::uint32_t argument, bool epoch_ended) {
  control_.send(target, {which, argument}, std::uint64_t{membership_.rank} << 32 | (epoch_ended ? 1 : 0));
}

void PortalsConduit::revoke(const parts::Credits::Revocations& revocations) {
  for (unsigned i = 0; i < revocations.count; ++i) {
    send_credits(revocations.peers[i], Control::kRevoke, 0, revocations.epoch_ended[i]);
  }
}

unsigned PortalsConduit::poll_sys() {
  unsigned found = 0;
  ptl_event_t event;
  while (interface_.sys.get(&event)) {
    ++found;
    interface_.check_event(event);
    if (event.type != PTL_EVENT_PUT_END) continue;
    const ControlBits bits = ControlBits::decode(event.match_bits);
    const auto source = static_cast<RankId>(event.hdr_data >> 32);
    const bool epoch_ended = (event.hdr_data & 1) != 0;
    const bool is_of_credits = bits.which == Control::kRevoke || bits.which == Control::kReturn;
    if (is_of_credits && source >= membership_.size) continue;
    switch (bits.which) {
      case Control::kRevoke: {
        const parts::Credits::Returned returned = credits_.on_revoke(source, epoch_ended);
        send_credits(source, Control::kReturn, returned.credits, returned.epoch_ended);
        break;
      }
      case Control::kReturn:
        credits_.on_return(source, {static_cast<std::uint16_t>(bits.argument), epoch_ended});
        break;
      case Control::kLendForPut:
      case Control::kLendForGet:
      case Control::kTakeBack:
        if (lent_) lend(event.initiator.nid, bits, LoanRange::decode(event.hdr_data));
        break;
      case Control::kAnswer:
        if (remote_) remote_->answered(event.initiator.nid, bits.argument);
        break;
    }
  }
  return found;
}

// Answered whatever comes of it: the borrower asks for the next only then.
void PortalsConduit::lend(RankId borrower, const ControlBits& bits, const LoanRange& range) {
  if (bits.argument != loan::kNone && !lent_->take_back(borrower, bits.argument)) {
    warn(kName, "rank %u gives back memory that it has not borrowed", borrower);
  }
  std::uint32_t number = loan::kNone;
  if (bits.which != Control::kTakeBack) {
    const Access access = bits.which == Control::kLendForPut ? Access::kWrite : Access::kRead;
    number = lent_->lend(borrower, access, range.address, range.bytes);
  }
  control_.send(borrower, {Control::kAnswer, number}, 0);
}

}  // namespace aqueduct::conduit::portals
