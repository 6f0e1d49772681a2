// Longs whose payload travels by itself: what uGNI does for the protocols of parts/long.
#include <cstring>

#include "base/fatal.hpp"
#include "papers/conduit/aries/aries_conduit.hpp"
#include "world/work.hpp"

namespace aqueduct::conduit::aries {

parts::LongAbilities AriesConduit::long_abilities() const {
  // Order costs the use of several paths.
  return {.ordered = parts::Ability::kAtACost,
          .reports_landing = true,
          .tells_target = true,
          .reads = parts::Ability::kAtACost};
}

Post AriesConduit::send_long(RankId target, const Message& message, const Body& body, const Notify& notify,
                             std::size_t remote_offset, std::uint32_t pool_slot) {
  LeavingLong& leaving = longs_.take(
      [](LeavingLong& fresh, std::size_t number) { fresh.name = static_cast<std::uint16_t>(number); });
  leaving.set(target, message, notify.target_slot);
  leaving.notify = notify;
  leaving.remote_offset = remote_offset;
  leaving.bytes = body.bytes;
  leaving.exposed = nullptr;
  leaving.pool_slot = pool_slot;
  fill(leaving.body, message, body);
  if (!message.is_reply) outstanding_[pool_slot].is_leaving = true;
  if (long_->start(leaving) == Post::kDone) return Post::kDone;
  if (!message.is_reply) outstanding_[pool_slot].is_leaving = false;
  longs_.give_back(leaving);
  return Post::kRetry;
}

void AriesConduit::finished(parts::LongSend& send) {
  auto& leaving = static_cast<LeavingLong&>(send);
  if (leaving.exposed) give_back(*leaving.exposed);
  leaving.exposed = nullptr;
  if (!leaving.is_reply) {
    outstanding_[leaving.pool_slot].is_leaving = false;
    settle(leaving.pool_slot);
  }
  longs_.give_back(leaving);
}

// By FMA the payload has left when the post returns; so it has by way of a bounce buffer.
Post AriesConduit::put_payload(parts::LongSend& send, parts::PutReport report) {
  Descriptor* const descriptor = nic_.take(Use::kLongPayload, send.target);
  if (!descriptor) return am::retry(receiver_, observe::Retry::kBuffers);
  const auto source = reinterpret_cast<std::uintptr_t>(send.payload);
  const bool by_fma = send.payload_bytes <= settings_.put_fma_bytes;
  gni_post_descriptor_t& post = descriptor->post;
  post.local_addr = source;
  bool has_left = by_fma;
  if (!by_fma) {
    std::size_t bytes = send.payload_bytes;
    const bool is_copied = !segment_.contains(source, bytes) && bytes <= settings_.put_bounce_bytes;
    if (is_copied) {
      std::byte* const buffer = take_buffer(*descriptor, bytes);
      if (!buffer) {
        nic_.give_back(*descriptor);
        return am::retry(receiver_, observe::Retry::kBuffers);
      }
      world::spend(world::kCopy, bytes);
      std::memcpy(buffer, send.payload, bytes);
      post.local_addr = reinterpret_cast<std::uint64_t>(buffer);
      has_left = true;
    } else if (!hold(source, true, *descriptor, &bytes)) {
      nic_.give_back(*descriptor);
      return am::retry(receiver_, observe::Retry::kMemory);
    }
  }
  const bool tells_target = report == parts::PutReport::kTellTarget;
  descriptor->owner = has_left && report != parts::PutReport::kLanded ? nullptr : &send;
  descriptor->tells_of_landing = report == parts::PutReport::kLanded;
  post.type = by_fma ? GNI_POST_FMA_PUT : GNI_POST_RDMA_PUT;
  post.cq_mode = descriptor->tells_of_landing ? (has_left ? GNI_CQMODE_GLOBAL_EVENT : GNI_CQMODE_DUAL_EVENTS)
                 : by_fma                     ? GNI_CQMODE_GLOBAL_EVENT
                                              : GNI_CQMODE_LOCAL_EVENT;
  if (tells_target) post.cq_mode |= GNI_CQMODE_REMOTE_EVENT;
  post.dlvr_mode = report == parts::PutReport::kLeft ? GNI_DLVMODE_IN_ORDER : settings_.delivery;
  post.length = send.payload_bytes;
  post.remote_addr = reinterpret_cast<std::uint64_t>(send.destination);
  post.remote_mem_hndl = segment_of(send.target);
  const EventType type = send.is_reply ? EventType::kReplyPayload : EventType::kRequestPayload;
  const Event event{self_, type, static_cast<std::uint8_t>(send.nonce), 0};
  send.pieces = 1;
  const Post posted = tells_target
                          ? nic_.post_telling(*descriptor, by_fma, static_cast<std::uint32_t>(event.encode()))
                      : by_fma ? nic_.post_fma(*descriptor, "GNI_PostFma")
                               : nic_.post_rdma(*descriptor, "GNI_PostRdma");
  if (posted == Post::kRetry) {
    give_back(*descriptor);
    return Post::kRetry;
  }
  if (has_left) long_->put_left(send);
  return Post::kDone;
}

void AriesConduit::payload_event(Descriptor& descriptor, std::uint16_t event) {
  auto* const send = static_cast<parts::LongSend*>(descriptor.owner);
  const bool is_over = descriptor.events == 0;
  const bool tells_of_landing = descriptor.tells_of_landing;
  if (is_over) give_back(descriptor);
  if (!send) return;
  if (tells_of_landing && (event & GNI_CQMODE_GLOBAL_EVENT)) return long_->put_landed(*send);
  if ((event & GNI_CQMODE_LOCAL_EVENT) && (!tells_of_landing || !is_over)) long_->put_left(*send);
}

// The descriptor is posted nowhere; it holds the memory.
Post AriesConduit::expose_payload(parts::LongSend& send) {
  auto& leaving = static_cast<LeavingLong&>(send);
  Descriptor* const descriptor = nic_.take(Use::kLongPayload, send.target);
  if (!descriptor) return am::retry(receiver_, observe::Retry::kBuffers);
  std::size_t bytes = send.payload_bytes;
  if (!hold(reinterpret_cast<std::uintptr_t>(send.payload), true, *descriptor, &bytes)) {
    nic_.give_back(*descriptor);
    return am::retry(receiver_, observe::Retry::kMemory);
  }
  leaving.exposed = descriptor;
  Envelope envelope;
  std::byte* const place = leaving.body + parts::arguments_bytes(leaving.notify.nargs);
  std::memcpy(&envelope, place, sizeof envelope);
  envelope.source = reinterpret_cast<std::uint64_t>(send.payload);
  envelope.memory = descriptor->post.local_mem_hndl;
  envelope.name = leaving.name;
  std::memcpy(place, &envelope, sizeof envelope);
  return Post::kDone;
}

Post AriesConduit::send_envelope(parts::LongSend& send) {
  auto& leaving = static_cast<LeavingLong&>(send);
  return post_message(leaving.target, leaving.body, leaving.bytes, leaving.remote_offset, leaving.notify);
}

// What comes is put in line; nothing is delivered here.
void AriesConduit::serve() { progress(); }

Post AriesConduit::get_payload(parts::LongArrival& arrival) {
  auto& arrived = static_cast<ArrivedMessage&>(arrival);
  arrived.conduit = this;
  const auto done = [](void* operation) {
    auto& message = *static_cast<ArrivedMessage*>(operation);
    auto& conduit = *message.conduit;
    conduit.ready(conduit.long_->payload_read(message));
  };
  return transfers_.begin({.target = arrival.source,
                           .is_get = true,
                           .remote = arrived.envelope.source,
                           .memory = arrived.envelope.memory,
                           .local = reinterpret_cast<std::uintptr_t>(arrival.destination),
                           .bytes = arrival.payload_bytes,
                           .done = done,
                           .operation = &arrived});
}

void AriesConduit::tell_source(parts::LongArrival& arrival) {
  tell(arrival.source, Control::kSourceRead,
       static_cast<std::uint16_t>(static_cast<ArrivedMessage&>(arrival).envelope.name));
}

}  // namespace aqueduct::conduit::aries
