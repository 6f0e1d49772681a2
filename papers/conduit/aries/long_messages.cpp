#include "papers/conduit/aries/long_messages.hpp"

#include <cstring>

#include "papers/conduit/aries/messages.hpp"
#include "world/work.hpp"

namespace aqueduct::conduit::aries {

parts::LongAbilities Longs::abilities() {
  // Order costs the use of several paths.
  return {.ordered = parts::Ability::kAtACost,
          .reports_landing = true,
          .tells_target = true,
          .reads = parts::Ability::kAtACost};
}

Longs::Longs(Endpoint& endpoint, Messages& messages, PutsAndGets& transfers, std::function<void()> progress)
    : PostHandler(PostUse::kLongPayload),
      endpoint_(endpoint),
      messages_(messages),
      transfers_(transfers),
      progress_(std::move(progress)),
      protocol_(parts::make_long_protocol(endpoint.long_kind, *this)) {}

Longs::Leaving& Longs::take(RankId target, const Message& message, const Notify& notify) {
  Leaving& leaving = leaving_.take(Leaving::set_name);
  leaving.set(target, message, notify.target_slot);
  leaving.envelope.notify = notify;
  leaving.local = nullptr;
  return leaving;
}

Post Longs::send(Leaving& leaving) {
  if (protocol_->start(leaving) == Post::kDone) return Post::kDone;
  leaving_.give_back(leaving);
  return Post::kRetry;
}

bool Longs::source_read(RankId peer, std::uint16_t name) {
  if (name >= leaving_.size() || leaving_[name].target != peer || !leaving_[name].local) return false;
  protocol_->source_read(leaving_[name]);
  return true;
}

void Longs::finished(parts::LongSend& send) {
  Leaving& leaving = Leaving::of(send);
  if (leaving.local) endpoint_.give_back(*leaving.local);
  leaving.local = nullptr;
  if (!leaving.is_reply) messages_.long_left(leaving.envelope.pool_slot);
  leaving_.give_back(leaving);
}

// With FMA or a bounce buffer the payload has left when the post returns.
parts::PayloadPut Longs::put_payload(parts::LongSend& send, parts::PutReport report) {
  PostDescriptor* const descriptor = endpoint_.nic.take(*this, send.target);
  if (!descriptor) {
    endpoint_.receiver.lacks(observe::Retry::kBuffers);
    return parts::PayloadPut::kRetry;
  }
  const auto source = reinterpret_cast<std::uintptr_t>(send.payload);
  const bool by_fma = send.payload_bytes <= endpoint_.settings.put_fma_bytes;
  gni_post_descriptor_t& post = descriptor->post;
  post.local_addr = source;
  bool has_left = by_fma;
  if (!by_fma) {
    std::size_t bytes = send.payload_bytes;
    const bool is_copied =
        !endpoint_.segment.contains(source, bytes) && bytes <= endpoint_.settings.put_bounce_bytes;
    if (is_copied) {
      std::byte* const buffer = endpoint_.take_buffer(*descriptor, bytes);
      if (!buffer) {
        endpoint_.nic.give_back(*descriptor);
        endpoint_.receiver.lacks(observe::Retry::kBuffers);
        return parts::PayloadPut::kRetry;
      }
      world::spend(world::kCopy, bytes);
      std::memcpy(buffer, send.payload, bytes);
      post.local_addr = reinterpret_cast<std::uint64_t>(buffer);
      has_left = true;
    } else if (!endpoint_.hold(source, true, *descriptor, &bytes)) {
      endpoint_.nic.give_back(*descriptor);
      endpoint_.receiver.lacks(observe::Retry::kMemory);
      return parts::PayloadPut::kRetry;
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
  post.dlvr_mode = report == parts::PutReport::kLeft ? GNI_DLVMODE_IN_ORDER : endpoint_.settings.delivery;
  post.length = send.payload_bytes;
  post.remote_addr = reinterpret_cast<std::uint64_t>(send.destination);
  post.remote_mem_hndl = endpoint_.segment_of(send.target);
  const EventType type = send.is_reply ? EventType::kReplyPayload : EventType::kRequestPayload;
  const Event event{endpoint_.self, type, static_cast<std::uint8_t>(send.nonce), 0};
  send.pieces = 1;
  const Post posted = tells_target ? endpoint_.nic.post_telling(*descriptor, by_fma,
                                                                static_cast<std::uint32_t>(event.encode()))
                      : by_fma     ? endpoint_.nic.post_fma(*descriptor, "GNI_PostFma")
                                   : endpoint_.nic.post_rdma(*descriptor, "GNI_PostRdma");
  if (posted == Post::kRetry) {
    endpoint_.give_back(*descriptor);
    return parts::PayloadPut::kRetry;
  }
  return has_left ? parts::PayloadPut::kHasLeft : parts::PayloadPut::kBegun;
}

void Longs::completed(PostDescriptor& descriptor, std::uint16_t event) {
  auto* const send = static_cast<parts::LongSend*>(descriptor.owner);
  const bool is_over = descriptor.events == 0;
  const bool tells_of_landing = descriptor.tells_of_landing;
  if (is_over) endpoint_.give_back(descriptor);
  if (!send) return;
  if (tells_of_landing && (event & GNI_CQMODE_GLOBAL_EVENT)) return protocol_->put_landed(*send);
  if ((event & GNI_CQMODE_LOCAL_EVENT) && (!tells_of_landing || !is_over)) protocol_->put_left(*send);
}

// The descriptor is not posted; it only holds the memory.
Post Longs::expose_payload(parts::LongSend& send) {
  Leaving& leaving = Leaving::of(send);
  PostDescriptor* const descriptor = endpoint_.nic.take(*this, send.target);
  if (!descriptor) return am::retry(endpoint_.receiver, observe::Retry::kBuffers);
  std::size_t bytes = send.payload_bytes;
  if (!endpoint_.hold(reinterpret_cast<std::uintptr_t>(send.payload), true, *descriptor, &bytes)) {
    endpoint_.nic.give_back(*descriptor);
    return am::retry(endpoint_.receiver, observe::Retry::kMemory);
  }
  leaving.local = descriptor;
  Envelope envelope;
  std::byte* const place = leaving.envelope.body + parts::arguments_bytes(leaving.envelope.notify.nargs);
  std::memcpy(&envelope, place, sizeof envelope);
  envelope.source = reinterpret_cast<std::uint64_t>(send.payload);
  envelope.memory = descriptor->post.local_mem_hndl;
  envelope.name = leaving.name;
  std::memcpy(place, &envelope, sizeof envelope);
  return Post::kDone;
}

Post Longs::send_envelope(parts::LongSend& send) {
  const ReadyMessage& envelope = Leaving::of(send).envelope;
  return messages_.post_message(send.target, envelope.body, envelope.bytes, envelope.remote_offset,
                                envelope.notify);
}

Post Longs::get_payload(parts::LongArrival& arrival) {
  auto& arrived = static_cast<ArrivedMessage&>(arrival);
  arrived.fetched_by = this;
  const auto done = [](void* operation) {
    auto& message = *static_cast<ArrivedMessage*>(operation);
    Longs& longs = *message.fetched_by;
    longs.messages_.ready(longs.protocol_->payload_read(message));
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

void Longs::tell_source(parts::LongArrival& arrival) {
  messages_.tell(arrival.source, Control::kSourceRead,
                 static_cast<std::uint16_t>(static_cast<ArrivedMessage&>(arrival).envelope.name));
}

}  // namespace aqueduct::conduit::aries
