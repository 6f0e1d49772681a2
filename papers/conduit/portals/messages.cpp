// Sending active messages.
//
// The body of a message, in its chunk: arguments, padded to 8 bytes; for a packed Long the destination; the
// payload, padded to 8 in requests so that the next one in the buffer is aligned too.
#include <cstring>
#include <utility>

#include "base/fatal.hpp"
#include "papers/conduit/portals/portals_conduit.hpp"
#include "parts/body.hpp"
#include "world/work.hpp"

namespace aqueduct::conduit::portals {
namespace {

std::uint8_t flags_of(const Message& message, bool packed) {
  switch (message.category) {
    case Category::kShort:
      return flag::kShort;
    case Category::kMedium:
      return flag::kMedium;
    default:
      return static_cast<std::uint8_t>(flag::kLong | (packed ? flag::kPacked : 0));
  }
}

Category category_of(std::uint8_t flags) {
  return flags & flag::kShort    ? Category::kShort
         : flags & flag::kMedium ? Category::kMedium
                                 : Category::kLong;
}

}  // namespace

PortalsConduit::Body PortalsConduit::body_of(const Message& message) const {
  const std::size_t args = parts::arguments_bytes(message.nargs);
  switch (message.category) {
    case Category::kShort:
      return {args, false};
    case Category::kMedium:
      return {args + parts::padded(message.payload_bytes), false};
    default: {
      // An empty payload has nowhere to go by itself: it always comes with its header.
      const std::size_t packed = args + sizeof(std::uint64_t) + parts::padded(message.payload_bytes);
      const bool fits = packed <= settings_.chunk_bytes;
      if (fits && (settings_.packed_long || message.payload_bytes == 0)) return {packed, true};
      return {args + (tells_of_payloads() ? 0 : sizeof(LongDestination)), false};
    }
  }
}

// Writes the body and returns what the header says of it: the length of the payload that lies in it.
std::uint32_t PortalsConduit::fill(std::byte* chunk, const Message& message, const Body& body) const {
  world::spend(world::kAmSend);
  chunk = parts::write_arguments(chunk, message);
  if (body.packed) {
    const auto destination = reinterpret_cast<std::uint64_t>(message.destination);
    std::memcpy(chunk, &destination, sizeof destination);
    chunk += sizeof destination;
  } else if (message.category == Category::kLong && !tells_of_payloads()) {
    const LongDestination where{reinterpret_cast<std::uint64_t>(message.destination), message.payload_bytes};
    std::memcpy(chunk, &where, sizeof where);
    return 0;
  } else if (message.category != Category::kMedium) {
    return 0;
  }
  parts::write_payload(chunk, message);
  return static_cast<std::uint32_t>(message.payload_bytes);
}

Post PortalsConduit::inject(RankId target, const Message& request) {
  if (passed_am_) return passed_am_->inject(target, request);
  if (target == membership_.rank) return parts::deliver_to_self(receiver_, target, request);
  const Body body = body_of(request);
  const bool apart = request.category == Category::kLong && !body.packed;
  const unsigned cost = parts::credits_for(body.bytes) + (apart ? 1 : 0);
  const std::uint32_t tokens = apart ? 2 : 1;
  if (!tokens_.try_take(tokens)) return am::retry(receiver_, observe::Retry::kBuffers);
  const parts::ChunkPool::Offset chunk = request_chunks_.take();
  parts::CreditByte credit;
  if (chunk == parts::ChunkPool::kNone) {
    tokens_.give_back(tokens);
    return am::retry(receiver_, observe::Retry::kBuffers);
  }
  if (settings_.flow_control && !credits_.try_acquire(target, cost, &credit)) {
    request_chunks_.give_back(chunk);
    tokens_.give_back(tokens);
    return am::retry(receiver_, observe::Retry::kCredits);
  }
  const std::uint32_t length = fill(request_chunks_.at(chunk), request, body);
  chunk_peer_[chunk / settings_.chunk_bytes].store(target + 1, std::memory_order_relaxed);
  const HeaderBits bits{Selector::kReqRb, chunk, request.nargs, request.handler,
                        flags_of(request, body.packed)};
  const HeaderData data{membership_.rank, length, credit};
  const ReadyHeader header{target, request_md_, chunk, body.bytes, bits.encode(), 0, data.encode()};
  apart ? send_long(request, header, chunk) : put_header(header);
  return Post::kDone;
}

void PortalsConduit::put_header(const ReadyHeader& header) {
  check(
      PtlPutRegion(header.md, header.offset, header.bytes, PTL_NO_ACK_REQ, interface_.process(header.target),
                   kAmEntry, kAccess, header.bits, header.remote_offset, header.data),
      "PtlPutRegion of a message");
}

// A Long whose payload travels by itself. The credits are ours; only local memory can be lacking, and that
// comes back by SAFE_EQ.
void PortalsConduit::send_long(const Message& message, const ReadyHeader& header, Lid lid) {
  LeavingLong& leaving = leaving_longs_.take();
  leaving.set(header.target, message, lid);
  leaving.header = header;
  for (Spinning spinning; long_->start(leaving) == Post::kRetry;) serve(spinning);
}

parts::LongAbilities PortalsConduit::long_abilities() const {
  // Headers of the network come in order, but large payloads land whenever they do.
  return {.reports_landing = true, .tells_target = true};
}

// Its token is the message's until it has begun. Where the target is told, the descriptor for the payload has
// events.
Post PortalsConduit::put_payload(parts::LongSend& send, parts::PutReport report) {
  std::uint32_t name;
  Part& part = parts_.create(&name);
  if (local_->hold(send.payload, send.payload_bytes, LocalMemory::Extent::kWhole, 0, &part.held) ==
      Post::kRetry) {
    parts_.retire(name);
    return Post::kRetry;
  }
  const RankId target = send.target;
  part.leaving = &static_cast<LeavingLong&>(send);
  part.reports_landing = report == parts::PutReport::kLanded;
  part.events = part.reports_landing ? 2 : 1;
  if (part.reports_landing) std::atomic_ref(part.awaited_peer).store(target + 1, std::memory_order_relaxed);
  const Selector selector = report != parts::PutReport::kTellTarget ? Selector::kRar
                            : send.is_reply                         ? Selector::kRarSrc
                                                                    : Selector::kRarAm;
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(send.destination) - segments_[target].base;
  check(PtlPutRegion(part.held.md, part.held.offset, send.payload_bytes,
                     part.reports_landing ? PTL_ACK_REQ : PTL_NO_ACK_REQ, interface_.process(target),
                     kRarEntry, kAccess, PayloadBits{selector, name}.encode(), offset,
                     std::uint64_t{membership_.rank} << 32 | send.nonce),
        "PtlPutRegion of a payload");
  return Post::kDone;
}

Post PortalsConduit::send_envelope(parts::LongSend& send) {
  put_header(static_cast<LeavingLong&>(send).header);
  return Post::kDone;
}

void PortalsConduit::serve() {
  Spinning spinning;
  serve(spinning);
}

// Until the caller's memory is free. What this waits for is local and comes by SAFE_EQ, or is memory of the
// target, which it lends by SYS_EQ, also while it waits like this itself.
void PortalsConduit::await(const std::atomic<std::uint32_t>& unsent) {
  for (Spinning spinning; unsent.load(std::memory_order_acquire) != 0;) serve(spinning);
}

// What may be served anywhere, and needs no resources that a reply needs.
void PortalsConduit::serve(Spinning& spinning) {
  unsigned found = poll_safe(settings_.safe_limit);
  if (remote_) found += poll_sys();
  if (unfinished_count_.load(std::memory_order_relaxed) != 0) continue_transfers();
  found != 0 ? spinning.restart() : spinning.pause();
}

Post PortalsConduit::reply(const Origin& origin, const Message& reply) {
  if (passed_am_) return passed_am_->reply(origin, reply);
  if (origin.cookie == 0) return parts::deliver_to_self(receiver_, membership_.rank, reply);
  auto& arrived = static_cast<ArrivedRequest&>(parts::DeliveredRequest::of(origin));
  const Body body = body_of(reply);
  const bool apart = reply.category == Category::kLong && !body.packed;
  const std::uint32_t length = fill(reply_chunks_.at(arrived.reply_chunk), reply, body);
  const std::uint8_t flags = flags_of(reply, body.packed);
  if (apart) {
    const Lid lid =
        kFirstReplyLid | (last_reply_lid_.fetch_add(1, std::memory_order_relaxed) & (kFirstReplyLid - 1));
    --arrived.tokens;  // the payload's
    send_long(reply, reply_header(arrived, reply, body.bytes, flags, lid), lid);
  } else {
    put_header(reply_header(arrived, reply, body.bytes, flags, length));
  }
  return Post::kDone;
}

// A handler that does not reply must still give the initiator its chunk and its credits back.
void PortalsConduit::send_implicit_reply(ArrivedRequest& arrived) {
  put_header(reply_header(arrived, {}, 0, flag::kShort | flag::kImplicit, 0));
}

// From here on the request has been answered.
ReadyHeader PortalsConduit::reply_header(ArrivedRequest& arrived, const Message& reply, std::size_t bytes,
                                         std::uint8_t flags, std::uint32_t other) {
  const HeaderBits bits{Selector::kReqSb, arrived.reply_chunk, reply.nargs, reply.handler, flags};
  const HeaderData data{membership_.rank, other, arrived.credit};
  arrived.is_answered = true;
  --arrived.tokens;
  return {arrived.source, reply_md_,     std::exchange(arrived.reply_chunk, parts::ChunkPool::kNone),
          bytes,          bits.encode(), arrived.chunk,
          data.encode()};
}

// Runs the handler of a message whose body is whole. `length` is that of the payload in it.
void PortalsConduit::deliver(const HeaderBits& bits, bool is_reply, const std::byte* body,
                             std::uint32_t length, const Origin& origin) {
  world::spend(world::kAmReceive);
  Message message{category_of(bits.flags), is_reply, bits.handler, bits.nargs,
                  reinterpret_cast<const std::int32_t*>(body)};
  body += parts::arguments_bytes(bits.nargs);
  if (message.category != Category::kShort) message.payload_bytes = length;
  if (message.category == Category::kLong) {
    std::memcpy(&message.destination, body, sizeof message.destination);
    body += sizeof message.destination;
    if (length != 0 && !segments_[membership_.rank].contains(
                           reinterpret_cast<std::uintptr_t>(message.destination), length)) {
      fatal("portals", "a Long from rank %u names memory outside the segment", origin.source);
    }
  }
  message.payload = body;
  parts::place_payload(message);
  receiver_.deliver(message, origin);
}

}  // namespace aqueduct::conduit::portals
