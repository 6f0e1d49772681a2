#include "papers/conduit/extoll/long_messages.hpp"

#include <cstring>
#include <utility>

#include "papers/conduit/extoll/messages.hpp"
#include "world/work.hpp"

namespace aqueduct::conduit::extoll {

// VELO and RMA are separate units, so messages overtake payloads. The target's software reports that a
// payload has landed.
parts::LongAbilities Longs::abilities() {
  return {.ordered = parts::Ability::kNo,
          .reports_landing = true,
          .tells_target = true,
          .reads = parts::Ability::kAtACost,
          .tells_place = true};
}

Longs::Longs(Endpoint& endpoint, Messages& messages, PutsAndGets& transfers, std::function<void()> progress)
    : endpoint_(endpoint),
      messages_(messages),
      transfers_(transfers),
      progress_(std::move(progress)),
      protocol_(parts::make_long_protocol(endpoint.long_kind, *this)) {}

Longs::Leaving& Longs::take(RankId target, const Message& message) {
  Leaving& leaving = leaving_.take(Leaving::set_name);
  leaving.set(target, message, 0);  // its place is its nonce
  leaving.local = nullptr;
  return leaving;
}

Post Longs::send(Leaving& leaving) {
  if (protocol_->start(leaving) == Post::kDone) return Post::kDone;
  if (leaving.local) endpoint_.release(*leaving.local);
  leaving_.give_back(leaving);
  return Post::kRetry;
}

void Longs::finished(parts::LongSend& send) {
  Leaving& leaving = Leaving::of(send);
  if (leaving.local) endpoint_.release(*leaving.local);
  leaving.local = nullptr;
  leaving_.give_back(leaving);
}

bool Longs::source_read(RankId peer, std::uint64_t name) {
  if (name >= leaving_.size() || leaving_[name].target != peer || !leaving_[name].local) return false;
  protocol_->source_read(leaving_[name]);
  return true;
}

void Longs::told(RmaCommand& command) {
  if (command.owner) protocol_->put_left(*static_cast<parts::LongSend*>(command.owner));
}

// The record is free now, and may hold another message.
void Longs::landed(RmaCommand& command) {
  protocol_->put_landed(*static_cast<parts::LongSend*>(std::exchange(command.owner, nullptr)));
}

// Through a bounce buffer the payload has left at return.
parts::PayloadPut Longs::put_payload(parts::LongSend& send, parts::PutReport report) {
  RmaCommand* const command = endpoint_.nic.take(*this, send.target);
  if (!command) {
    endpoint_.receiver.lacks(observe::Retry::kBuffers);
    return parts::PayloadPut::kRetry;
  }
  const auto source = reinterpret_cast<std::uintptr_t>(send.payload);
  std::size_t bytes = send.payload_bytes;
  const bool is_copied = !endpoint_.local.is_known(source, bytes) && bytes <= endpoint_.settings.bounce_bytes;
  std::byte* const buffer = is_copied ? endpoint_.local.take_bounce(command->held) : nullptr;
  if (is_copied ? !buffer : !endpoint_.local.hold(source, true, command->held, &bytes)) {
    endpoint_.release(*command);
    endpoint_.receiver.lacks(is_copied ? observe::Retry::kBuffers : observe::Retry::kMemory);
    return parts::PayloadPut::kRetry;
  }
  if (is_copied) {
    world::spend(world::kCopy, bytes);
    std::memcpy(buffer, send.payload, bytes);
  }
  const RMA2_NLA local =
      command->held.handle.at(is_copied ? reinterpret_cast<std::uintptr_t>(buffer) : source);
  const SegmentKey key = endpoint_.segment_of(send.target);
  const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(send.destination) - key.start;
  const bool awaits_landing = report == parts::PutReport::kLanded;
  const std::uint64_t place = place_of(offset, bytes);
  send.pieces = 1;
  command->owner = is_copied && !awaits_landing ? nullptr : &send;
  if (endpoint_.nic.put(endpoint_.line(send.target), *command, local, bytes,
                        (awaits_landing ? key.puts : key.longs) + offset, true,
                        awaits_landing ? &place : nullptr) == Post::kRetry) {
    endpoint_.release(*command);
    return parts::PayloadPut::kRetry;
  }
  return is_copied ? parts::PayloadPut::kHasLeft : parts::PayloadPut::kBegun;
}

// The command is not posted; it only holds the memory.
Post Longs::expose_payload(parts::LongSend& send) {
  Leaving& leaving = Leaving::of(send);
  RmaCommand* const command = endpoint_.nic.take(*this, send.target);
  if (!command) return am::retry(endpoint_.receiver, observe::Retry::kBuffers);
  const auto source = reinterpret_cast<std::uintptr_t>(send.payload);
  std::size_t bytes = send.payload_bytes;
  if (!endpoint_.local.hold(source, true, command->held, &bytes)) {
    endpoint_.release(*command);
    return am::retry(endpoint_.receiver, observe::Retry::kMemory);
  }
  leaving.local = command;
  const ExposedSource exposed{.nla = command->held.handle.at(source), .name = leaving.name};
  std::memcpy(leaving.envelope.front + leaving.envelope.front_bytes - sizeof exposed, &exposed,
              sizeof exposed);
  return Post::kDone;
}

Post Longs::send_envelope(parts::LongSend& send) { return messages_.send_out(Leaving::of(send).envelope); }

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
                           .remote = arrived.exposed.nla,
                           .local = reinterpret_cast<std::uintptr_t>(arrival.destination),
                           .bytes = arrival.payload_bytes,
                           .done = done,
                           .operation = &arrived});
}

void Longs::tell_source(parts::LongArrival& arrival) {
  messages_.tell_read(arrival.source, static_cast<ArrivedMessage&>(arrival).exposed.name);
}

}  // namespace aqueduct::conduit::extoll
