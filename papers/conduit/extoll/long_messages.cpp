// Longs whose payload travels by itself: what VELO and RMA do for the protocols of parts/long.
#include <cstring>

#include "base/fatal.hpp"
#include "papers/conduit/extoll/extoll_conduit.hpp"
#include "world/work.hpp"

namespace aqueduct::conduit::extoll {

// VELO and RMA are units of their own, so messages overtake payloads. That a payload has landed is said by
// the target's software.
parts::LongAbilities ExtollConduit::long_abilities() const {
  return {.ordered = parts::Ability::kNo,
          .reports_landing = true,
          .tells_target = true,
          .reads = parts::Ability::kAtACost,
          .tells_place = true};
}

Post ExtollConduit::send_long(RankId target, const Message& message, Form form, unsigned credits) {
  LeavingLong& leaving = longs_.take(
      [](LeavingLong& fresh, std::size_t number) { fresh.name = static_cast<std::uint32_t>(number); });
  leaving.set(target, message, 0);  // its place is its nonce
  leaving.exposed = nullptr;
  fill(leaving.envelope, target, message, form, credits);
  if (long_->start(leaving) == Post::kDone) return Post::kDone;
  if (leaving.exposed) release(*leaving.exposed);
  longs_.give_back(leaving);
  return Post::kRetry;
}

void ExtollConduit::finished(parts::LongSend& send) {
  auto& leaving = static_cast<LeavingLong&>(send);
  if (leaving.exposed) release(*leaving.exposed);
  leaving.exposed = nullptr;
  longs_.give_back(leaving);
}

// By way of a bounce buffer the payload has left at return.
Post ExtollConduit::put_payload(parts::LongSend& send, parts::PutReport report) {
  Command* const command = nic_.take(Use::kLongPayload, send.target);
  if (!command) return am::retry(receiver_, observe::Retry::kBuffers);
  const auto source = reinterpret_cast<std::uintptr_t>(send.payload);
  std::size_t bytes = send.payload_bytes;
  const bool is_copied = !local_.is_known(source, bytes) && bytes <= settings_.bounce_bytes;
  std::byte* const buffer = is_copied ? local_.take_bounce(command->held) : nullptr;
  if (is_copied ? !buffer : !local_.hold(source, true, command->held, &bytes)) {
    release(*command);
    return am::retry(receiver_, is_copied ? observe::Retry::kBuffers : observe::Retry::kMemory);
  }
  if (is_copied) {
    world::spend(world::kCopy, bytes);
    std::memcpy(buffer, send.payload, bytes);
  }
  const RMA2_NLA local =
      command->held.handle.at(is_copied ? reinterpret_cast<std::uintptr_t>(buffer) : source);
  const SegmentKey key = segment_of(send.target);
  const std::uint64_t offset = reinterpret_cast<std::uintptr_t>(send.destination) - key.start;
  const bool awaits_landing = report == parts::PutReport::kLanded;
  const std::uint64_t place = place_of(offset, bytes);
  send.pieces = 1;
  command->owner = is_copied && !awaits_landing ? nullptr : &send;
  if (nic_.put(peer(send.target).line, *command, local, bytes,
               (awaits_landing ? key.puts : key.longs) + offset, true,
               awaits_landing ? &place : nullptr) == Post::kRetry) {
    release(*command);
    return Post::kRetry;
  }
  if (is_copied) long_->put_left(send);
  return Post::kDone;
}

// The command is posted nowhere; it holds the memory.
Post ExtollConduit::expose_payload(parts::LongSend& send) {
  auto& leaving = static_cast<LeavingLong&>(send);
  Command* const command = nic_.take(Use::kLongPayload, send.target);
  if (!command) return am::retry(receiver_, observe::Retry::kBuffers);
  const auto source = reinterpret_cast<std::uintptr_t>(send.payload);
  std::size_t bytes = send.payload_bytes;
  if (!local_.hold(source, true, command->held, &bytes)) {
    release(*command);
    return am::retry(receiver_, observe::Retry::kMemory);
  }
  leaving.exposed = command;
  const ExposedSource exposed{.nla = command->held.handle.at(source), .name = leaving.name};
  std::memcpy(leaving.envelope.front + leaving.envelope.front_bytes - sizeof exposed, &exposed,
              sizeof exposed);
  return Post::kDone;
}

Post ExtollConduit::send_envelope(parts::LongSend& send) {
  return send_out(static_cast<LeavingLong&>(send).envelope);
}

Post ExtollConduit::get_payload(parts::LongArrival& arrival) {
  auto& arrived = static_cast<ArrivedMessage&>(arrival);
  arrived.conduit = this;
  const auto done = [](void* operation) {
    auto& message = *static_cast<ArrivedMessage*>(operation);
    auto& conduit = *message.conduit;
    conduit.ready(conduit.long_->payload_read(message));
  };
  return transfers_.begin({.target = arrival.source,
                           .is_get = true,
                           .remote = arrived.exposed.nla,
                           .local = reinterpret_cast<std::uintptr_t>(arrival.destination),
                           .bytes = arrival.payload_bytes,
                           .done = done,
                           .operation = &arrived});
}

void ExtollConduit::tell_source(parts::LongArrival& arrival) {
  peer(arrival.source).read.push_back(static_cast<ArrivedMessage&>(arrival).exposed.name);
  tell(arrival.source);
}

}  // namespace aqueduct::conduit::extoll
