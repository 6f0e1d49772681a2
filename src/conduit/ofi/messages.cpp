// Active messages: sending.
#include <sched.h>

#include <cstring>

#include "conduit/ofi/ofi_conduit.hpp"
#include "world/world.hpp"

namespace aqueduct::conduit::ofi {
namespace {

using parts::AmKind;

// Above that a long payload is written to its destination instead of copied there at the target.
constexpr std::size_t kLongInMessage = std::size_t{8} << 10;
// What requests leave to replies.
constexpr unsigned kSmallForReplies = 64;

}  // namespace

Post OfiConduit::inject(RankId target, const Message& request) {
  const std::lock_guard guard(lock_);
  if (is_closed_) return Post::kRetry;
  if (!credits_.try_take(target)) return am::retry(receiver_, observe::Retry::kCredits);
  const unsigned credits = credits_.take_owed(target);
  if (send(target, AmKind::kRequest, request, credits) == Post::kDone) return Post::kDone;
  credits_.owe(target, credits);
  credits_.put_back(target);
  return Post::kRetry;
}

Post OfiConduit::reply(const Origin& origin, const Message& reply) {
  const std::lock_guard guard(lock_);
  if (is_closed_) return Post::kRetry;
  const unsigned credits = credits_.take_owed(origin.source);
  if (send(origin.source, AmKind::kReply, reply, credits) == Post::kDone) {
    parts::DeliveredRequest::of(origin).is_answered = true;
    return Post::kDone;
  }
  credits_.owe(origin.source, credits);
  return Post::kRetry;
}

Post OfiConduit::send(RankId target, AmKind kind, const Message& message, unsigned credits) {
  if (message.category == Category::kLong && message.payload_bytes > kLongInMessage && writes_longs_)
    return send_long(target, kind, message, credits);
  const bool is_request = kind == AmKind::kRequest;
  const std::size_t header = sizeof(Prefix) + parts::header_bytes(message.nargs);
  const std::size_t bytes = header + parts::padded(message.payload_bytes);
  const Prefix prefix{self_, 0, 0};
  const auto write = [&](std::byte* to) {
    std::memcpy(to, &prefix, sizeof prefix);
    std::byte* const payload = parts::encode_header(to + sizeof prefix, kind, message, credits);
    if (message.payload_bytes == 0) return;
    std::memset(to + bytes - 8, 0, 8);
    std::memcpy(payload, message.payload, message.payload_bytes);
  };
  constexpr std::size_t kOnStack = 512;
  if (bytes <= inject_bytes_ && bytes <= kOnStack) {
    alignas(8) std::byte here[kOnStack];
    write(here);
    touch(target);
    return network_.inject(target, here, bytes);
  }
  const bool is_small = bytes <= small_.buffer_bytes();
  BufferPool& pool = is_small ? small_ : large_;
  const unsigned spare = is_request ? (is_small ? kSmallForReplies : large_for_replies_) : 0;
  Buffer* const buffer = pool.take(spare);
  if (!buffer) return am::retry(receiver_, observe::Retry::kBuffers);
  write(buffer->bytes);
  buffer->is_finished = is_small;
  if (network_.send(target, buffer->part(bytes), *buffer) == Post::kDone) {
    ++sends_under_way_;
    return Post::kDone;
  }
  pool.give_back(buffer);
  return Post::kRetry;
}

// A message of its own for each peer that is owed many; who cannot be sent to now has his turn later.
void OfiConduit::pay_credits() {
  for (std::size_t tries = credits_.due_peers(); tries != 0; --tries) {
    RankId peer;
    const unsigned credits = credits_.take_due(&peer);
    if (credits != 0 && send(peer, AmKind::kCredits, {}, credits) == Post::kRetry)
      credits_.owe(peer, credits);
  }
}

void OfiConduit::touch(RankId peer) {
  if (is_touched_[peer]) [[likely]]
    return;
  is_touched_[peer] = true;
  touched_.push_back(peer);
}

// What was injected has left when a message behind it has: messages to a peer do not overtake each other.
void OfiConduit::finish_sending(std::uint64_t most_ns) {
  const std::uint64_t until_ns = clock_.now_ns() + most_ns;
  bool is_done = false;
  // Once all ranks leave, nobody waits for it; those that are gone acknowledge nothing.
  while (!is_done && clock_.now_ns() < until_ns && !world_.everyone_leaves()) {
    if (lock_.try_lock()) {
      while (!touched_.empty()) {
        Buffer* const buffer = small_.take(0);
        if (!buffer) break;
        const Prefix prefix{self_, 0, 0};
        std::memcpy(buffer->bytes, &prefix, sizeof prefix);
        const std::byte* const end =
            parts::encode_header(buffer->bytes + sizeof prefix, AmKind::kCredits, {}, 0);
        buffer->is_finished = true;
        const RankId peer = touched_.back();
        if (network_.send(peer, buffer->part(static_cast<std::size_t>(end - buffer->bytes)), *buffer) ==
            Post::kRetry) {
          small_.give_back(buffer);
          if (!network_.has_lost(peer)) break;
        } else {
          ++sends_under_way_;
        }
        is_touched_[peer] = false;
        touched_.pop_back();
      }
      is_done = touched_.empty() && sends_under_way_ == 0 && longs_under_way_ == 0;
      lock_.unlock();
    }
    if (!is_done && poll(Scope::kReplies) == 0) ::sched_yield();
  }
  if (!network_.leaves_files() || !lock_.try_lock()) return;
  is_closed_ = true;
  network_.close();
  lock_.unlock();
}

void OfiConduit::list_unanswered(parts::ProbeList& peers) {
  const std::lock_guard guard(lock_);
  credits_.list_unanswered(peers);
}

std::string OfiConduit::missing_from(RankId peer) {
  const std::lock_guard guard(lock_);
  return parts::counted(credits_.outstanding(peer), "reply or credit", "replies or credits");
}

}  // namespace aqueduct::conduit::ofi
