// Sending active messages.
//
// The body of a message, in its chunk: arguments, padded to 8 bytes; for a packed Long the destination; the
// payload, padded to 8 in requests so that the next one in the buffer is aligned too.
#include "papers/conduit/portals/messages.hpp"

#include <cstring>
#include <utility>

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

}  // namespace

Messages::Messages(PortalsPort& port, Operations& operations, PutsAndGets& progress, ControlLine& control,
                   parts::Credits& credits, const parts::CreditPlan& plan)
    : port_(port),
      operations_(operations),
      control_(control),
      credits_(credits),
      longs_(port, operations, progress),
      reply_chunks_(port.settings.reply_chunks, port.settings.chunk_bytes),
      chunk_peer_(port.settings.request_chunks) {
  control_.set_handler(Control::kRevoke, *this);
  control_.set_handler(Control::kReturn, *this);
  control_.attach();
  const ptl_handle_eq_t safe = port_.interface.safe.handle();
  const ptl_handle_me_t overflow = port_.attach(kAmEntry, Selector::kReqRb);
  // One event is enough to end the job; more would push others out of the queue.
  ptl_md_t one_event = descriptor(nullptr, 0, PTL_MD_OP_PUT | PTL_MD_TRUNCATE | PTL_MD_ACK_DISABLE,
                                  overflow_events_.mark(), safe);
  one_event.threshold = 1;
  ptl_handle_md_t unused;
  check(PtlMDAttach(overflow, one_event, PTL_RETAIN, &unused), "PtlMDAttach of the overflow entry");
  port_.attach_request_chunks(request_chunk_events_);
  buffers_.emplace(static_cast<RequestBuffers::Reader&>(*this), port_.interface, overflow, plan.buffers,
                   port_.settings.spare_buffers, port_.settings.chunk_bytes,
                   port_.settings.chunks_per_buffer);
  const ptl_md_t replies =
      descriptor(reply_chunks_.memory(), reply_chunks_.bytes(), 0, reply_chunk_events_.mark(), safe);
  check(PtlMDBind(port_.interface.ni(), replies, PTL_RETAIN, &reply_md_), "PtlMDBind of RplSB");
  control_.open();
}

Messages::Body Messages::body_of(const Message& message) const {
  const std::size_t args = parts::arguments_bytes(message.nargs);
  switch (message.category) {
    case Category::kShort:
      return {args, false};
    case Category::kMedium:
      return {args + parts::padded(message.payload_bytes), false};
    default: {
      // An empty payload cannot travel by itself: it always comes with its header.
      const std::size_t packed = args + sizeof(std::uint64_t) + parts::padded(message.payload_bytes);
      const bool fits = packed <= port_.settings.chunk_bytes;
      if (fits && (port_.settings.packed_long || message.payload_bytes == 0)) return {packed, true};
      return {args + (longs_.tells_of_payloads() ? 0 : sizeof(LongDestination)), false};
    }
  }
}

// Writes the body and returns the length of the payload in it, for the header.
std::uint32_t Messages::fill(std::byte* chunk, const Message& message, const Body& body) const {
  world::spend(world::kAmSend);
  chunk = parts::write_arguments(chunk, message);
  if (body.packed) {
    const auto destination = reinterpret_cast<std::uint64_t>(message.destination);
    std::memcpy(chunk, &destination, sizeof destination);
    chunk += sizeof destination;
  } else if (message.category == Category::kLong && !longs_.tells_of_payloads()) {
    const LongDestination where{reinterpret_cast<std::uint64_t>(message.destination), message.payload_bytes};
    std::memcpy(chunk, &where, sizeof where);
    return 0;
  } else if (message.category != Category::kMedium) {
    return 0;
  }
  parts::write_payload(chunk, message);
  return static_cast<std::uint32_t>(message.payload_bytes);
}

// Reserves all resources or none.
bool Messages::take_means(RankId target, const Message& request, bool apart, unsigned credits, Means* means) {
  Receiver& receiver = port_.receiver;
  means->tokens = apart ? 2 : 1;
  if (!port_.tokens.try_take(means->tokens)) {
    receiver.lacks(observe::Retry::kBuffers);
    return false;
  }
  const bool needs_credits = port_.settings.flow_control;
  means->chunk = port_.request_chunks.take();
  if (means->chunk == parts::ChunkPool::kNone) {
    receiver.lacks(observe::Retry::kBuffers);
  } else if (needs_credits && !credits_.try_acquire(target, credits, &means->credit)) {
    receiver.lacks(observe::Retry::kCredits);
    port_.request_chunks.give_back(means->chunk);
  } else if (apart && longs_.hold(request, &means->payload) == Post::kRetry) {
    receiver.lacks(observe::Retry::kMemory);
    if (needs_credits) credits_.put_back(target, means->credit);
    port_.request_chunks.give_back(means->chunk);
  } else {
    return true;
  }
  port_.tokens.give_back(means->tokens);
  return false;
}

Post Messages::inject(RankId target, const Message& request) {
  if (target == port_.self()) return parts::deliver_to_self(port_.receiver, target, request);
  const Body body = body_of(request);
  const bool apart = request.category == Category::kLong && !body.packed;
  const unsigned credits = parts::credits_for(body.bytes) + (apart ? 1 : 0);
  Means means;
  if (!take_means(target, request, apart, credits, &means)) return Post::kRetry;
  const std::uint32_t length = fill(port_.request_chunks.at(means.chunk), request, body);
  chunk_peer_[means.chunk / port_.settings.chunk_bytes].store(target + 1, std::memory_order_relaxed);
  const HeaderBits bits{Selector::kReqRb, means.chunk, request.nargs, request.handler,
                        flags_of(request, body.packed)};
  const HeaderData data{port_.self(), length, means.credit};
  const ReadyHeader header{target, port_.request_md, means.chunk, body.bytes, bits.encode(),
                           0,      data.encode()};
  apart ? longs_.send(request, header, means.chunk, means.payload) : header.put(port_.interface);
  return Post::kDone;
}

Post Messages::reply(const Origin& origin, const Message& reply) {
  if (origin.cookie == 0) return parts::deliver_to_self(port_.receiver, port_.self(), reply);
  auto& arrived = static_cast<ArrivedRequest&>(parts::DeliveredRequest::of(origin));
  const Body body = body_of(reply);
  const bool apart = reply.category == Category::kLong && !body.packed;
  HeldMemory payload;  // the only resource that may be missing; SAFE_EQ frees it
  if (apart && longs_.hold(reply, &payload) == Post::kRetry)
    return am::retry(port_.receiver, observe::Retry::kMemory);
  const std::uint32_t length = fill(reply_chunks_.at(arrived.reply_chunk), reply, body);
  const std::uint8_t flags = flags_of(reply, body.packed);
  if (apart) {
    const Lid lid =
        kFirstReplyLid | (last_reply_lid_.fetch_add(1, std::memory_order_relaxed) & (kFirstReplyLid - 1));
    --arrived.tokens;  // the payload's
    longs_.send(reply, reply_header(arrived, reply, body.bytes, flags, lid), lid, payload);
  } else {
    reply_header(arrived, reply, body.bytes, flags, length).put(port_.interface);
  }
  return Post::kDone;
}

// A handler that does not reply must still give the initiator its chunk and its credits back.
void Messages::send_implicit_reply(ArrivedRequest& arrived) {
  reply_header(arrived, {}, 0, flag::kShort | flag::kImplicit, 0).put(port_.interface);
}

// After this the request counts as answered.
ReadyHeader Messages::reply_header(ArrivedRequest& arrived, const Message& reply, std::size_t bytes,
                                   std::uint8_t flags, std::uint32_t other) {
  const HeaderBits bits{Selector::kReqSb, arrived.reply_chunk, reply.nargs, reply.handler, flags};
  const HeaderData data{port_.self(), other, arrived.credit};
  arrived.is_answered = true;
  --arrived.tokens;
  return {arrived.source, reply_md_,     std::exchange(arrived.reply_chunk, parts::ChunkPool::kNone),
          bytes,          bits.encode(), arrived.chunk,
          data.encode()};
}

void Messages::send_credits(RankId target, Control which, std::uint32_t argument, bool epoch_ended) {
  control_.send(target, {which, argument}, std::uint64_t{port_.self()} << 32 | (epoch_ended ? 1 : 0));
}

void Messages::count_resources(observe::ResourceCounts& counts) const {
  counts.holds("reply chunks", reply_chunks_.taken_chunks());
  counts.holds("requests that are set aside", held_count_.load(std::memory_order_relaxed));
  longs_.count_resources(counts);
  if (!port_.settings.flow_control) return;
  const parts::Credits::Sums credits = credits_.sums();
  counts.holds("credits in use", credits.in_use);
  counts.holds("revocations", credits.revocations);
  counts.lends("credits", credits.held, credits.loaned);
}

// For reports.

void Messages::list_unanswered(parts::ProbeList& peers, std::uint32_t look) const {
  const std::size_t chunks = chunk_peer_.size();
  const std::size_t first = std::size_t{look} * 31 % chunks;
  for (std::size_t i = 0; i < chunks; ++i) {
    const RankId peer = chunk_peer_[(first + i) % chunks].load(std::memory_order_relaxed);
    if (peer != 0) peers.add(peer - 1);
  }
}

unsigned Messages::replies_missing_from(RankId peer) const {
  unsigned missing = 0;
  for (const std::atomic<RankId>& chunk_peer : chunk_peer_)
    missing += chunk_peer.load(std::memory_order_relaxed) == peer + 1;
  return missing;
}

}  // namespace aqueduct::conduit::portals
