// Sending active messages.
#include <bit>
#include <cstring>

#include "base/fatal.hpp"
#include "papers/conduit/aries/aries_conduit.hpp"
#include "world/work.hpp"

namespace aqueduct::conduit::aries {
namespace {

std::uint64_t run_of(unsigned slots) {
  return slots >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << slots) - 1;
}

}  // namespace

AriesConduit::Peer& AriesConduit::peer(RankId rank) {
  Peer& peer = peers_[rank];
  if (!peer.is_known) {
    peer.is_known = true;
    peer.free_slots = run_of(settings_.depth);
  }
  return peer;
}

// An empty payload has nowhere to go by itself: it always comes with its header.
AriesConduit::Body AriesConduit::body_of(const Message& message) const {
  const std::size_t args = parts::arguments_bytes(message.nargs);
  switch (message.category) {
    case Category::kShort:
      return {Command::kShort, args};
    case Category::kMedium:
      return {Command::kMedium, args + message.payload_bytes};
    default: {
      const std::size_t packed = args + sizeof(std::uint64_t) + message.payload_bytes;
      if (message.payload_bytes == 0 || packed <= settings_.packed_long_bytes)
        return {Command::kPackedLong, packed};
      return {Command::kLong, args + sizeof(Envelope)};
    }
  }
}

void AriesConduit::fill(std::byte* to, const Message& message, const Body& body) const {
  world::spend(world::kAmSend);
  to = parts::write_arguments(to, message);
  const auto destination = reinterpret_cast<std::uint64_t>(message.destination);
  if (body.command == Command::kLong) {
    const Envelope envelope{.destination = destination, .bytes = message.payload_bytes};
    std::memcpy(to, &envelope, sizeof envelope);
    return;
  }
  if (body.command == Command::kPackedLong) {
    std::memcpy(to, &destination, sizeof destination);
    to += sizeof destination;
  }
  if (body.command != Command::kShort) parts::write_payload(to, message);
}

// A buffer here, consecutive slots there, and for a Long one of those that may be outstanding.
bool AriesConduit::reserve(RankId target, const Body& body, std::uint32_t* pool_slot,
                           std::uint8_t* target_slot) {
  const bool is_long = body.command == Command::kLong;
  Peer& there = peer(target);
  if (free_buffers_.empty() || (is_long && there.longs == settings_.long_depth)) return false;
  const auto slots = is_rendezvous_ ? 1u
                                    : static_cast<unsigned>(std::max<std::size_t>(
                                          1, (body.bytes + settings_.slot_bytes - 1) / settings_.slot_bytes));
  const std::uint64_t run = run_of(slots);
  for (unsigned first = 0; first + slots <= settings_.depth; ++first) {
    if ((there.free_slots >> first & run) != run) continue;
    there.free_slots &= ~(run << first);
    if (is_long) ++there.longs;
    *pool_slot = free_buffers_.back();
    free_buffers_.pop_back();
    *target_slot = static_cast<std::uint8_t>(first);
    outstanding_[*pool_slot] = {target, run << first, is_long, true, false};
    return true;
  }
  return false;
}

// If the request is answered and nothing of it is under way any more, gives back what it held.
void AriesConduit::settle(std::uint32_t pool_slot) {
  Outstanding& request = outstanding_[pool_slot];
  if (request.is_unanswered || request.is_leaving) return;
  Peer& there = peers_[request.peer];
  there.free_slots |= request.slots;
  if (request.is_long) --there.longs;
  request.slots = 0;
  free_buffers_.push_back(pool_slot);
}

Post AriesConduit::inject(RankId target, const Message& request) {
  if (target == self_) return parts::deliver_to_self(receiver_, self_, request);
  const std::lock_guard guard(lock_);
  const Body body = body_of(request);
  std::uint32_t pool_slot;
  std::uint8_t target_slot;
  if (!reserve(target, body, &pool_slot, &target_slot))
    return am::retry(receiver_, free_buffers_.empty() ? observe::Retry::kBuffers : observe::Retry::kCredits);
  const bool is_long = body.command == Command::kLong;
  const Notify notify{static_cast<std::uint16_t>(pool_slot),
                      is_rendezvous_ ? MessageType::kRendezvousRequest : MessageType::kRequest,
                      target_slot,
                      static_cast<std::uint16_t>(is_long ? 0 : request.payload_bytes),
                      request.handler,
                      request.nargs,
                      body.command};
  const std::size_t remote = area_.region(self_) + target_slot * settings_.slot_bytes;
  Post post;
  if (is_long) {
    post = send_long(target, request, body, notify, remote, pool_slot);
  } else {
    std::byte* const buffer = area_.at(area_.buffer(pool_slot));
    fill(buffer, request, body);
    post = post_message(target, buffer, body.bytes, remote, notify);
  }
  if (post == Post::kRetry) {
    outstanding_[pool_slot].is_unanswered = false;
    settle(pool_slot);
  }
  return post;
}

Post AriesConduit::reply(const Origin& origin, const Message& reply) {
  if (origin.cookie == 0) return parts::deliver_to_self(receiver_, self_, reply);
  auto& request = *reinterpret_cast<ArrivedMessage*>(origin.cookie);
  const std::lock_guard guard(lock_);
  const Body body = body_of(reply);
  const bool is_long = body.command == Command::kLong;
  Notify notify = request.notify;
  notify.type = MessageType::kReply;
  notify.bytes = static_cast<std::uint16_t>(is_long ? 0 : reply.payload_bytes);
  notify.handler = reply.handler;
  notify.nargs = reply.nargs;
  notify.command = body.command;
  const std::size_t remote = area_.buffer(notify.initiator_slot);
  Post post;
  if (is_long) {
    post = send_long(origin.source, reply, body, notify, remote, 0);
  } else {
    fill(scratch_.data(), reply, body);  // a put by FMA has left it when it returns
    post = post_message(origin.source, scratch_.data(), body.bytes, remote, notify);
  }
  request.parcel.is_answered = post == Post::kDone;
  return post;
}

// Of a request by rendezvous only the notify word travels; its body waits in the pool buffer.
Post AriesConduit::post_message(RankId target, const std::byte* body, std::size_t bytes,
                                std::size_t remote_offset, const Notify& notify) {
  if (notify.type == MessageType::kRendezvousRequest) {
    std::byte* const buffer = area_.at(area_.buffer(notify.initiator_slot));
    if (body != buffer) std::memcpy(buffer, body, bytes);
    bytes = 0;
    remote_offset = area_.ring(self_);
  }
  Descriptor* const descriptor = nic_.take(Use::kMessage, target);
  if (!descriptor) return am::retry(receiver_, observe::Retry::kBuffers);
  Peer& there = peer(target);
  const std::uint32_t place = there.send_position % (2 * settings_.depth);
  gni_post_descriptor_t& post = descriptor->post;
  post.type = GNI_POST_FMA_PUT_W_SYNCFLAG;
  post.cq_mode = GNI_CQMODE_GLOBAL_EVENT | GNI_CQMODE_REMOTE_EVENT;
  post.dlvr_mode = message_delivery();
  post.local_addr = reinterpret_cast<std::uint64_t>(body);
  post.length = bytes;
  post.remote_addr = remote_area(target) + remote_offset;
  post.remote_mem_hndl = areas_[target].memory;
  post.sync_flag_value = notify.encode();
  post.sync_flag_addr = remote_area(target) + area_.ring(self_) + place * sizeof(std::uint64_t);
  if (nic_.post_fma(*descriptor, "GNI_PostFma") == Post::kRetry) {
    nic_.give_back(*descriptor);
    return Post::kRetry;
  }
  ++there.send_position;
  return Post::kDone;
}

// Envelopes that must stay behind their payloads go as these do.
std::uint16_t AriesConduit::message_delivery() const {
  return long_kind_ == parts::LongProtocolKind::kOrdered ? GNI_DLVMODE_IN_ORDER : settings_.delivery;
}

void AriesConduit::tell(RankId target, Control what, std::uint16_t argument) {
  const std::uint64_t value =
      Event{self_, EventType::kControl, static_cast<std::uint8_t>(what), argument}.encode();
  if (!unsent_controls_.empty() || !post_control(target, value)) unsent_controls_.push_back({target, value});
}

bool AriesConduit::post_control(RankId target, std::uint64_t value) {
  Descriptor* const descriptor = nic_.take(Use::kControl, target);
  if (!descriptor) return false;
  descriptor->post.type = GNI_POST_CQWRITE;
  descriptor->post.cq_mode = GNI_CQMODE_GLOBAL_EVENT | GNI_CQMODE_REMOTE_EVENT;
  descriptor->post.dlvr_mode = settings_.delivery;
  descriptor->post.remote_mem_hndl = areas_[target].memory;
  descriptor->post.cqwrite_value = value;
  if (nic_.post_cq_write(*descriptor) == Post::kDone) return true;
  nic_.give_back(*descriptor);
  return false;
}

}  // namespace aqueduct::conduit::aries
