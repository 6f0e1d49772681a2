#include "conduit/ofi/messages.hpp"

#include <algorithm>
#include <cstring>

namespace aqueduct::conduit::ofi {
namespace {

using parts::AmKind;

constexpr unsigned kSingleReceives = 64;  // where each takes one message
// Above that a long payload is written to its destination instead of copied there at the target.
constexpr std::size_t kLongInMessage = std::size_t{8} << 10;

unsigned receives_of(const Settings& settings, const Properties& properties) {
  return properties.multi_receive ? settings.receive_buffers
                                  : std::max(settings.receive_buffers, kSingleReceives);
}

std::size_t receive_bytes_of(const Settings& settings, const Properties& properties) {
  return properties.multi_receive ? settings.receive_buffer_bytes : settings.message_bytes();
}

}  // namespace

Messages::Messages(Endpoint& endpoint, std::function<void()> serve)
    : endpoint_(endpoint),
      inject_bytes_(endpoint.properties().inject_bytes),
      receives_(endpoint.network, receives_of(endpoint.settings, endpoint.properties()),
                receive_bytes_of(endpoint.settings, endpoint.properties())),
      credits_(endpoint.ranks, endpoint.settings.requests_per_peer, endpoint.settings.requests_per_peer / 2),
      most_polls_(std::max(1u, receives_.free() / 4)),
      is_touched_(endpoint.ranks),
      longs_(endpoint, *this, std::move(serve)),
      small_transfers_(endpoint, *this) {
  while (Buffer* const buffer = receives_.take(0)) {
    buffer->handler = this;
    release(buffer);
  }
}

std::string Messages::memory_in_words(const Settings& settings, const Properties& properties) {
  const std::size_t receives = receives_of(settings, properties) * receive_bytes_of(settings, properties);
  const std::size_t peer =
      parts::RequestCredits::peer_bytes() + (properties.small_by_messages ? SmallTransfers::peer_bytes() : 0);
  return "a rank has " + std::to_string(receives >> 10) +
         " KiB of receives for all peers; a peer that it talks with takes " + std::to_string(peer) +
         " bytes, a silent one less than one";
}

Post Messages::inject(RankId target, const Message& request) {
  const std::lock_guard guard(endpoint_.lock);
  if (endpoint_.is_closed) return Post::kRetry;
  if (!credits_.try_take(target)) return am::retry(endpoint_.receiver, observe::Retry::kCredits);
  const unsigned credits = credits_.take_owed(target);
  if (send(target, AmKind::kRequest, request, credits) == Post::kDone) return Post::kDone;
  credits_.owe(target, credits);
  credits_.put_back(target);
  return Post::kRetry;
}

Post Messages::reply(const Origin& origin, const Message& reply) {
  const std::lock_guard guard(endpoint_.lock);
  if (endpoint_.is_closed) return Post::kRetry;
  const unsigned credits = credits_.take_owed(origin.source);
  if (send(origin.source, AmKind::kReply, reply, credits) == Post::kDone) {
    parts::DeliveredRequest::of(origin).is_answered = true;
    return Post::kDone;
  }
  credits_.owe(origin.source, credits);
  return Post::kRetry;
}

Post Messages::send(RankId target, AmKind kind, const Message& message, unsigned credits) {
  if (message.category == Category::kLong && message.payload_bytes > kLongInMessage && longs_.are_written())
    return longs_.send(target, kind, message, credits);
  const bool is_request = kind == AmKind::kRequest;
  const std::size_t header = sizeof(Prefix) + parts::header_bytes(message.nargs);
  const std::size_t bytes = header + parts::padded(message.payload_bytes);
  const Prefix prefix{endpoint_.self, 0, 0};
  const auto write = [&](std::byte* to) {
    std::memcpy(to, &prefix, sizeof prefix);
    std::byte* const payload = parts::encode_header(to + sizeof prefix, kind, message, credits);
    if (message.payload_bytes == 0) return;
    std::memset(to + bytes - 8, 0, 8);
    std::memcpy(payload, message.payload, message.payload_bytes);
  };
  return send_written(target, bytes, is_request ? SendBuffers::Use::kRequest : SendBuffers::Use::kReply,
                      write);
}

// A message that is complete already. It has its credit, so it takes what buffer there is.
Post Messages::send_bytes(RankId target, const std::byte* bytes, std::size_t count) {
  if (count <= inject_bytes_) {
    touch(target);
    return endpoint_.network.inject(target, bytes, count);
  }
  Buffer* const buffer = endpoint_.sends.small.take(0);
  if (!buffer) return am::retry(endpoint_.receiver, observe::Retry::kBuffers);
  std::memcpy(buffer->bytes, bytes, count);
  return endpoint_.sends.send(target, *buffer, count);
}

// A message of its own for each peer that is owed many; who cannot be sent to now has his turn later.
void Messages::pay_credits() {
  for (std::size_t tries = credits_.due_peers(); tries != 0; --tries) {
    RankId peer;
    const unsigned credits = credits_.take_due(&peer);
    if (credits != 0 && send(peer, AmKind::kCredits, {}, credits) == Post::kRetry)
      credits_.owe(peer, credits);
  }
}

void Messages::touch(RankId peer) {
  if (is_touched_[peer]) [[likely]]
    return;
  is_touched_[peer] = true;
  touched_.push_back(peer);
}

bool Messages::has_left() {
  return !small_transfers_.has_unsent() && flush_injected() && endpoint_.sends.under_way() == 0 &&
         !longs_.has_unfinished();
}

// What was injected has left when a message behind it has: messages to a peer do not overtake each other.
bool Messages::flush_injected() {
  while (!touched_.empty()) {
    Buffer* const buffer = endpoint_.sends.small.take(0);
    if (!buffer) return false;
    const Prefix prefix{endpoint_.self, 0, 0};
    std::memcpy(buffer->bytes, &prefix, sizeof prefix);
    const std::byte* const end = parts::encode_header(buffer->bytes + sizeof prefix, AmKind::kCredits, {}, 0);
    const RankId peer = touched_.back();
    if (endpoint_.sends.send(peer, *buffer, static_cast<std::size_t>(end - buffer->bytes)) == Post::kRetry &&
        !endpoint_.network.has_lost(peer))
      return false;
    is_touched_[peer] = false;
    touched_.pop_back();
  }
  return true;
}

}  // namespace aqueduct::conduit::ofi
