#include "parts/message_passing/engine.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "base/fatal.hpp"
#include "base/spinning.hpp"
#include "parts/body.hpp"
#include "parts/to_self.hpp"
#include "world/work.hpp"

namespace aqueduct::parts {

struct Engine::Head {
  std::uint8_t version;
  am::Category category;
  std::uint8_t handler;
  std::uint8_t nargs : 5, is_reply : 1, is_implicit : 1;
  std::uint32_t payload_bytes;
  std::uint64_t destination;
};

namespace {

constexpr std::uint8_t kVersion = 1;
// Receives that are kept posted for requests, as many for replies: so many for each peer, as long as there
// are few. The more there are, the longer is the list that every message is matched against.
constexpr unsigned kReceivesPerPeer = 8;
constexpr unsigned kMostReceives = 64;
constexpr unsigned kSends = 96;  // of which requests leave some to replies
constexpr unsigned kSendsForReplies = 32;
constexpr unsigned kSendsUnsettled = 8;  // that may lie about

unsigned receives_for(RankId ranks) {
  return static_cast<unsigned>(std::clamp<std::uint64_t>(std::uint64_t{kReceivesPerPeer} * (ranks - 1),
                                                         kReceivesPerPeer, kMostReceives));
}

}  // namespace

Engine::Engine(parts::MessagePassing& messages, am::Receiver& receiver)
    : messages_(messages),
      receiver_(receiver),
      receives_(receives_for(messages.size())),
      share_(std::max(1u, receives_ / std::max<RankId>(1, messages.size() - 1))),
      outstanding_(messages.size()) {
  static_assert(sizeof(Head) == 16);
  const std::size_t bytes = sizeof(Head) + arguments_bytes(am::kMaxArgs) + kMaxPayload;
  // Half as many again, so that as many are posted when some have been used.
  const unsigned slots = receives_ + receives_ / 2;
  requests_.used.reserve(slots);
  replies_.used.reserve(slots);
  for (unsigned i = 0; i < kSends + 2 * slots; ++i) {
    slots_.push_back(std::make_unique<Slot>());
    slots_.back()->buffer = std::make_unique_for_overwrite<std::byte[]>(bytes);
    if (i < kSends) {
      slots_.back()->next = free_;
      free_ = slots_.back().get();
    } else {
      post(i < kSends + slots ? requests_ : replies_, slots_.back().get());
    }
  }
}

Engine::~Engine() = default;

// Whoever waits for a message should not wait for the next receive to be posted as well.
void Engine::post_used(Inbox& inbox, std::size_t least) {
  const std::lock_guard guard(lock_);
  while (inbox.used.size() >= least) {
    Slot* const slot = inbox.used.back();
    inbox.used.pop_back();
    post(inbox, slot);
  }
}

void Engine::post(Inbox& inbox, Slot* slot) {
  const std::size_t room = sizeof(Head) + arguments_bytes(am::kMaxArgs) + kMaxPayload;
  slot->operation = messages_.irecv(slot->buffer.get(), room, parts::kAnySource, inbox.tag);
  inbox.posted.push_back(slot);
}

void Engine::free(Slot* slot) {
  slot->next = free_;
  free_ = slot;
}

// Sends that are over give their slots back; in order, which is how they end.
void Engine::settle_sends(unsigned most) {
  for (; most != 0 && !sending_.empty() && messages_.test(sending_.front()->operation, nullptr); --most) {
    free(sending_.front());
    sending_.pop_front();
  }
}

am::Post Engine::inject(RankId target, const am::Message& request) {
  if (target == messages_.rank()) return deliver_to_self(receiver_, target, request);
  const std::lock_guard guard(lock_);
  if (outstanding_[target] == share_) return am::Post::kRetry;
  if (sending_.size() > kSends - kSendsForReplies) settle_sends(kSends);
  if (sending_.size() > kSends - kSendsForReplies) return am::Post::kRetry;
  const am::Post post = send_locked(target, request, false);
  // Only what is on its way can be answered. Its reply cannot be counted before: that takes the lock, too.
  if (post == am::Post::kDone) ++outstanding_[target];
  return post;
}

am::Post Engine::reply(const am::Origin& origin, const am::Message& reply) {
  if (origin.cookie == 0) return deliver_to_self(receiver_, messages_.rank(), reply);
  auto& arrived = *reinterpret_cast<Arrived*>(origin.cookie);
  const am::Post post = send(arrived.source, reply, false);
  arrived.replied = post == am::Post::kDone;
  return post;
}

am::Post Engine::send(RankId target, const am::Message& message, bool is_implicit) {
  const std::lock_guard guard(lock_);
  return send_locked(target, message, is_implicit);
}

am::Post Engine::send_locked(RankId target, const am::Message& message, bool is_implicit) {
  if (!free_) settle_sends(kSends);
  if (!free_) return am::Post::kRetry;
  Slot* const slot = free_;
  free_ = slot->next;
  std::byte* to = slot->buffer.get();
  world::spend(world::kAmSend);
  Head head{};
  head.version = kVersion;
  head.category = message.category;
  head.handler = message.handler;
  head.nargs = message.nargs & 31;
  head.is_reply = message.is_reply;
  head.is_implicit = is_implicit;
  head.payload_bytes = static_cast<std::uint32_t>(message.payload_bytes);
  head.destination = reinterpret_cast<std::uint64_t>(message.destination);
  std::memcpy(to, &head, sizeof head);
  to += sizeof head;
  if (message.nargs != 0) std::memcpy(to, message.args, message.nargs * sizeof(std::int32_t));
  to += arguments_bytes(message.nargs);
  if (message.payload_bytes != 0) {
    world::spend(world::kCopy, message.payload_bytes);
    std::memcpy(to, message.payload, message.payload_bytes);
  }
  to += message.payload_bytes;
  slot->operation = messages_.isend(slot->buffer.get(), static_cast<std::size_t>(to - slot->buffer.get()),
                                    target, message.is_reply ? replies_.tag : requests_.tag);
  slot->target = target;
  slot->is_stuck = false;
  sending_.push_back(slot);
  // A little at a time, and when the message is under way: nobody waits for this.
  if (sending_.size() > kSendsUnsettled) settle_sends(2);
  return am::Post::kDone;
}

unsigned Engine::poll(am::Scope scope) {
  unsigned found = 0;
  while (receive(replies_)) ++found;
  for (unsigned most = 8; scope == am::Scope::kAll && most != 0 && receive(requests_); --most) ++found;
  if (found == 0) {
    post_used(requests_, 1);
    post_used(replies_, 1);
  }
  if (observer_) observer_->found(found);
  return found;
}

// Takes the oldest receive of an inbox if its message is there, and handles that.
bool Engine::receive(Inbox& inbox) {
  parts::Status status;
  Slot* slot;
  {
    const std::lock_guard guard(lock_);
    if (inbox.posted.empty() || !messages_.test(inbox.posted.front()->operation, &status)) return false;
    slot = inbox.posted.front();
    inbox.posted.pop_front();
  }
  handle(slot->buffer.get(), status.source, status.bytes);
  {
    const std::lock_guard guard(lock_);
    inbox.used.push_back(slot);
  }
  post_used(inbox, receives_ / 2);
  return true;
}

void Engine::handle(const std::byte* buffer, RankId source, std::size_t bytes) {
  world::spend(world::kAmReceive);
  Head head;
  std::memcpy(&head, buffer, sizeof head);
  const std::byte* args = buffer + sizeof head;
  const std::byte* payload = args + arguments_bytes(head.nargs);
  if (bytes < sizeof head || head.version != kVersion || payload + head.payload_bytes != buffer + bytes) {
    warn("mpi", "a message of %zu bytes from rank %u makes no sense and was dropped", bytes, source);
    return;
  }
  if (head.is_reply) {
    const std::lock_guard guard(lock_);
    if (outstanding_[source] == 0) {
      warn("mpi", "a reply from rank %u to no request of ours was dropped", source);
      return;
    }
    --outstanding_[source];
  }
  if (head.is_implicit) return;
  am::Message message{head.category, head.is_reply != 0, head.handler, head.nargs,
                      reinterpret_cast<const std::int32_t*>(args)};
  message.payload = payload;
  message.payload_bytes = head.payload_bytes;
  message.destination = reinterpret_cast<void*>(head.destination);
  if (head.category == am::Category::kLong) {
    if (head.payload_bytes != 0) {
      if (!segment_.contains(head.destination, head.payload_bytes)) {
        fatal("mpi", "a Long from rank %u names memory outside the segment", source);
      }
      world::spend(world::kCopy, head.payload_bytes);
      std::memcpy(message.destination, payload, head.payload_bytes);
    }
    message.payload = message.destination;
  }
  Arrived arrived{source, head.is_reply != 0};
  receiver_.deliver(message, {source, head.is_reply ? 0 : reinterpret_cast<std::uint64_t>(&arrived)});
  if (arrived.replied) return;
  const am::Message nothing{am::Category::kShort, true, 0, 0};
  for (Spinning spinning; send(source, nothing, true) == am::Post::kRetry;) {
    if (poll(am::Scope::kReplies) == 0) spinning.pause();
  }
}

// What is over may lie about unsettled, and not only in front.
void Engine::settle() {
  const std::lock_guard guard(lock_);
  std::erase_if(sending_, [&](Slot* slot) {
    const bool is_over = messages_.test(slot->operation, nullptr);
    if (is_over) free(slot);
    slot->is_stuck = !is_over;
    return is_over;
  });
}

void Engine::find_awaited(parts::PeerWatch::Awaited& awaited) {
  const std::lock_guard guard(lock_);
  for (const Slot* slot : sending_) {
    if (slot->is_stuck) awaited.add(slot->target);
  }
  const auto ranks = static_cast<RankId>(outstanding_.size());
  for (RankId i = 0; i < ranks && !awaited.is_full(); ++i) {
    const RankId peer = (first_awaited_ + i) % ranks;
    if (outstanding_[peer] != 0) awaited.add(peer);
    if (awaited.is_full()) first_awaited_ = peer + 1;
  }
}

std::string Engine::debts_of(RankId peer) {
  const std::lock_guard guard(lock_);
  const auto stuck = std::ranges::count_if(
      sending_, [&](const Slot* slot) { return slot->is_stuck && slot->target == peer; });
  const std::string messages = counted(static_cast<unsigned>(stuck), "message", "messages");
  return and_also(counted(outstanding_[peer], "reply", "replies"),
                  messages.empty() ? "" : "room for " + messages);
}

}  // namespace aqueduct::parts
