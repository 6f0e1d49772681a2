#include "conduit/ofi/small_transfers.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/fatal.hpp"
#include "conduit/ofi/messages.hpp"

namespace aqueduct::conduit::ofi {
namespace {

// An answer takes more gets only while it has at most so many bytes; with the last one it may have more.
constexpr std::size_t kFullAnswer = 8192;
struct GetsHead {
  std::uint32_t gets = 0;
  std::uint32_t unused = 0;
};
static_assert(sizeof(GetsHead) == 8);

[[noreturn]] void malformed(RankId source, const char* why) {
  fatal("ofi", "a message from rank %u is malformed: %s", source, why);
}

}  // namespace

SmallTransfers::SmallTransfers(Endpoint& endpoint, Messages& messages)
    : endpoint_(endpoint), messages_(messages), is_used_(endpoint.properties().small_by_messages) {}

Post SmallTransfers::put(RankId target, void* to, const void* from, std::size_t bytes, Done done,
                         void* argument) {
  return begin(target, Prefix::kPut, to, from, {.done = done, .argument = argument, .bytes = bytes});
}

Post SmallTransfers::get(RankId target, void* to, const void* from, std::size_t bytes, Done done,
                         void* argument) {
  return begin(target, Prefix::kGet, from, nullptr,
               {.done = done, .argument = argument, .memory = static_cast<std::byte*>(to), .bytes = bytes});
}

Post SmallTransfers::begin(RankId target, std::uint16_t kind, const void* there, const void* payload,
                           const One& what) {
  Peer& peer = peers_.at(target);
  if (peer.outstanding >= kMostOutstanding) return am::retry(endpoint_.receiver, observe::Retry::kCredits);
  const Prefix prefix{endpoint_.self, static_cast<std::uint16_t>(what.bytes), kind};
  const std::size_t payload_bytes = payload ? what.bytes : 0;
  const std::size_t size = sizeof prefix + sizeof there + parts::padded(payload_bytes);
  std::byte* const to = room_to_hold(target, peer, size);
  if (!to) return Post::kRetry;
  std::memset(to + size - 8, 0, 8);
  std::memcpy(to, &prefix, sizeof prefix);
  std::memcpy(to + sizeof prefix, &there, sizeof there);
  if (payload_bytes != 0) std::memcpy(to + sizeof prefix + sizeof there, payload, payload_bytes);
  One& one = all_.take();
  one = what;
  (payload ? peer.puts : peer.gets).push(&one);
  ++peer.outstanding;
  return Post::kDone;
}

std::byte* SmallTransfers::room_to_hold(RankId target, Peer& peer, std::size_t bytes) {
  if (peer.held && peer.held_bytes + bytes > kMostBatch) {
    if (send_held(target, peer) == Post::kRetry) return nullptr;
    std::erase(holding_, target);
  }
  if (!peer.held) {
    peer.held = endpoint_.sends.take(kMostBatch, SendBuffers::Use::kTransfer);
    if (!peer.held) {
      endpoint_.receiver.lacks(observe::Retry::kBuffers);
      return nullptr;
    }
    peer.held_bytes = 0;
    holding_.push_back(target);
  }
  std::byte* const to = peer.held->bytes + peer.held_bytes;
  peer.held_bytes += static_cast<std::uint32_t>(bytes);
  return to;
}

Post SmallTransfers::send_held(RankId target, Peer& peer) {
  if (endpoint_.sends.try_send(target, *peer.held, peer.held_bytes) == Post::kRetry) return Post::kRetry;
  peer.held = nullptr;
  return Post::kDone;
}

void SmallTransfers::send_all_held() {
  holding_.swap(still_holding_);
  for (const RankId target : still_holding_) {
    if (send_held(target, peers_.at(target)) == Post::kRetry) holding_.push_back(target);
  }
  still_holding_.clear();
}

// What arrives.

void SmallTransfers::take(std::span<const std::byte> message) {
  while (!message.empty()) {
    Prefix prefix;
    std::memcpy(&prefix, message.data(), std::min(sizeof prefix, message.size()));
    if (message.size() < sizeof prefix || !prefix.is_small_transfer())
      malformed(prefix.source, "something else follows a put or get");
    message = message.subspan(sizeof prefix);
    message =
        message.subspan(prefix.pieces == Prefix::kAnswer ? finish(prefix, message) : serve(prefix, message));
  }
}

// Returns how much of `rest` is its.
std::size_t SmallTransfers::serve(const Prefix& prefix, std::span<const std::byte> rest) {
  const bool is_put = prefix.pieces == Prefix::kPut;
  std::byte* memory = nullptr;
  const std::size_t size = sizeof memory + (is_put ? parts::padded(prefix.tag) : 0);
  if (rest.size() < size) malformed(prefix.source, "it is shorter than its head says");
  std::memcpy(&memory, rest.data(), sizeof memory);
  if (prefix.tag > kMostBytes) malformed(prefix.source, "a put or get of this size has another form");
  if (!endpoint_.segment.contains(reinterpret_cast<std::uintptr_t>(memory), prefix.tag))
    malformed(prefix.source, "a put or get leaves the segment");
  endpoint_.receiver.count_served(prefix.source,
                                  is_put ? observe::TransferKind::kPut : observe::TransferKind::kGet);
  Peer& peer = peers_.at(prefix.source);
  if (is_put) {
    if (prefix.tag != 0) std::memcpy(memory, rest.data() + sizeof memory, prefix.tag);
    ++peer.served_puts;
  } else {
    One& wanted = all_.take();
    wanted = {.memory = memory, .bytes = prefix.tag};
    peer.wanted.push(&wanted);
  }
  if (!peer.is_due) due_.push_back(prefix.source);
  peer.is_due = true;
  return size;
}

// The same of an answer.
std::size_t SmallTransfers::finish(const Prefix& prefix, std::span<const std::byte> rest) {
  constexpr const char* kUnasked = "it answers what was not asked";
  constexpr const char* kShort = "it is shorter than its head says";
  GetsHead head;
  if (rest.size() < sizeof head) malformed(prefix.source, kShort);
  std::memcpy(&head, rest.data(), sizeof head);
  std::size_t used = sizeof head;
  Peer& peer = peers_.at(prefix.source);
  for (unsigned left = prefix.tag; left != 0; --left) {
    if (peer.puts.is_empty()) malformed(prefix.source, kUnasked);
    finish_oldest(peer.puts, peer);
  }
  for (unsigned left = head.gets; left != 0; --left) {
    if (peer.gets.is_empty()) malformed(prefix.source, kUnasked);
    const One& get = *peer.gets.first();
    const std::size_t padded = parts::padded(get.bytes);
    if (padded > rest.size() - used) malformed(prefix.source, kShort);
    if (padded != 0) std::memcpy(get.memory, rest.data() + used, get.bytes);
    used += padded;
    finish_oldest(peer.gets, peer);
  }
  return used;
}

void SmallTransfers::finish_oldest(parts::Queue<One>& queue, Peer& peer) {
  One& one = *queue.pop();
  --peer.outstanding;
  one.done(one.argument);
  all_.give_back(one);
}

// Answers.

void SmallTransfers::answer() {
  if (due_.empty()) [[likely]]
    return;
  due_.swap(still_due_);
  for (const RankId rank : still_due_) {
    Peer& peer = peers_.at(rank);
    while (peer.is_due && answer(rank, peer) == Post::kDone)
      peer.is_due = peer.served_puts != 0 || !peer.wanted.is_empty();
    if (peer.is_due) due_.push_back(rank);
  }
  still_due_.clear();
}

// One message with as much as it takes.
Post SmallTransfers::answer(RankId rank, Peer& peer) {
  const auto puts = static_cast<std::uint16_t>(std::min<std::uint32_t>(peer.served_puts, UINT16_MAX));
  GetsHead head;
  std::size_t bytes = 0;
  for (const One* get = peer.wanted.first(); get && bytes < kFullAnswer; get = get->next) {
    bytes += parts::padded(get->bytes);
    ++head.gets;
  }
  const Prefix prefix{endpoint_.self, puts, Prefix::kAnswer};
  const auto write = [&](std::byte* to) {
    std::memcpy(to, &prefix, sizeof prefix);
    std::memcpy(to + sizeof prefix, &head, sizeof head);
    to += sizeof prefix + sizeof head;
    const One* get = peer.wanted.first();
    for (unsigned left = head.gets; left != 0; --left, get = get->next) {
      const std::size_t padded = parts::padded(get->bytes);
      if (padded == 0) continue;
      std::memset(to + padded - 8, 0, 8);
      std::memcpy(to, get->memory, get->bytes);
      to += padded;
    }
  };
  if (messages_.send_written(rank, sizeof prefix + sizeof head + bytes, SendBuffers::Use::kReply, write) ==
      Post::kRetry)
    return Post::kRetry;
  peer.served_puts -= puts;
  for (unsigned left = head.gets; left != 0; --left) all_.give_back(*peer.wanted.pop());
  return Post::kDone;
}

}  // namespace aqueduct::conduit::ofi
