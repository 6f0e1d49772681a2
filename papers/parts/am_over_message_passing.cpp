#include "papers/parts/am_over_message_passing.hpp"

#include <algorithm>
#include <mutex>

#include "base/fatal.hpp"
#include "base/spinning.hpp"
#include "parts/parcels.hpp"
#include "world/work.hpp"

namespace aqueduct::parts {
namespace {

constexpr std::size_t kBufferBytes = kMostHeaderBytes + AmOverMessagePassing::kMaxPayload;
// The receives per peer that are kept posted for requests, and as many for replies, as long as there are few
// peers. The more there are, the longer the list that every message is matched against.
constexpr unsigned kReceivesPerPeer = 8;
constexpr unsigned kMostReceives = 64;
constexpr unsigned kSends = 96;  // requests leave some of them to replies
constexpr unsigned kSendsForReplies = 32;
constexpr unsigned kSendsUnsettled = 8;  // completed sends whose buffers are not freed yet

unsigned receives_for(RankId ranks) {
  return static_cast<unsigned>(std::clamp<std::uint64_t>(std::uint64_t{kReceivesPerPeer} * (ranks - 1),
                                                         kReceivesPerPeer, kMostReceives));
}

}  // namespace

AmOverMessagePassing::AmOverMessagePassing(const char* name, MessagePassing& messages, am::Receiver& receiver)
    : name_(name),
      messages_(messages),
      receiver_(receiver),
      receives_(receives_for(messages.size())),
      credits_(messages.size(), std::max(1u, receives_ / std::max<RankId>(1, messages.size() - 1)), 1) {
  // Half as many more, so that enough are posted while some are in use.
  const unsigned buffers = receives_ + receives_ / 2;
  requests_.used.reserve(buffers);
  replies_.used.reserve(buffers);
  buffers_.resize(kSends + 2 * buffers);
  for (unsigned i = 0; MessageBuffer & buffer : buffers_) {
    buffer.bytes = std::make_unique_for_overwrite<std::byte[]>(kBufferBytes);
    i < kSends ? free(&buffer) : post(i < kSends + buffers ? requests_ : replies_, &buffer);
    ++i;
  }
}

// Posts used receives in groups, so that a message need not wait for this.
void AmOverMessagePassing::post_used(Inbox& inbox, std::size_t least) {
  const std::lock_guard guard(lock_);
  while (inbox.used.size() >= least) {
    MessageBuffer* const buffer = inbox.used.back();
    inbox.used.pop_back();
    post(inbox, buffer);
  }
}

void AmOverMessagePassing::post(Inbox& inbox, MessageBuffer* buffer) {
  buffer->operation = messages_.irecv(buffer->bytes.get(), kBufferBytes, kAnySource, inbox.tag);
  inbox.posted.push_back(buffer);
}

void AmOverMessagePassing::free(MessageBuffer* buffer) {
  buffer->next = free_;
  free_ = buffer;
}

// Frees the buffers of completed sends, in order, which is usually the order of completion.
void AmOverMessagePassing::settle_sends(unsigned most) {
  for (; most != 0 && !sending_.empty() && messages_.test(sending_.front()->operation, nullptr); --most) {
    free(sending_.front());
    sending_.pop_front();
  }
}

am::Post AmOverMessagePassing::inject(RankId target, const am::Message& request) {
  if (target == messages_.rank()) return deliver_to_self(receiver_, target, request);
  const std::lock_guard guard(lock_);
  if (!credits_.try_take(target)) return am::retry(receiver_, observe::Retry::kCredits);
  if (sending_.size() > kSends - kSendsForReplies) settle_sends(kSends);
  const bool has_room = sending_.size() <= kSends - kSendsForReplies;
  if (has_room && send_locked(target, AmKind::kRequest, request, 0) == am::Post::kDone)
    return am::Post::kDone;
  credits_.put_back(target);
  return am::retry(receiver_, observe::Retry::kBuffers);
}

am::Post AmOverMessagePassing::reply(const am::Origin& origin, const am::Message& reply) {
  if (origin.cookie == 0) return deliver_to_self(receiver_, messages_.rank(), reply);
  const am::Post post = send(origin.source, AmKind::kReply, reply);
  DeliveredRequest::of(origin).is_answered = post == am::Post::kDone;
  return post;
}

am::Post AmOverMessagePassing::send(RankId target, AmKind kind, const am::Message& message,
                                    unsigned credits) {
  const std::lock_guard guard(lock_);
  return send_locked(target, kind, message, credits);
}

am::Post AmOverMessagePassing::send_locked(RankId target, AmKind kind, const am::Message& message,
                                           unsigned credits) {
  if (!free_) settle_sends(kSends);
  if (!free_) return am::retry(receiver_, observe::Retry::kBuffers);
  MessageBuffer* const buffer = free_;
  free_ = buffer->next;
  world::spend(world::kAmSend);
  std::byte* const bytes = buffer->bytes.get();
  const std::byte* const end = write_payload(encode_header(bytes, kind, message, credits), message);
  buffer->operation = messages_.isend(bytes, static_cast<std::size_t>(end - bytes), target,
                                      kind == AmKind::kRequest ? requests_.tag : replies_.tag);
  buffer->target = target;
  buffer->is_stuck = false;
  sending_.push_back(buffer);
  // Frees a few at a time, after the message has left, so that nobody waits for this.
  if (sending_.size() > kSendsUnsettled) settle_sends(2);
  return am::Post::kDone;
}

unsigned AmOverMessagePassing::poll(am::Scope scope) {
  unsigned found = 0;
  while (receive(replies_)) ++found;
  for (unsigned most = 8; scope == am::Scope::kAll && most != 0 && receive(requests_); --most) ++found;
  if (found == 0) {
    post_used(requests_, 1);
    post_used(replies_, 1);
  }
  if (found_) found_(found);
  return found;
}

// Takes the oldest receive of an inbox if its message is there, and handles that.
bool AmOverMessagePassing::receive(Inbox& inbox) {
  Status status;
  MessageBuffer* buffer;
  {
    const std::lock_guard guard(lock_);
    if (inbox.posted.empty() || !messages_.test(inbox.posted.front()->operation, &status)) return false;
    buffer = inbox.posted.front();
    inbox.posted.pop_front();
  }
  handle({buffer->bytes.get(), status.bytes}, status.source);
  {
    const std::lock_guard guard(lock_);
    inbox.used.push_back(buffer);
  }
  post_used(inbox, receives_ / 2);
  return true;
}

void AmOverMessagePassing::handle(std::span<const std::byte> bytes, RankId source) {
  world::spend(world::kAmReceive);
  DecodedMessage decoded;
  const char* why = decode_whole(bytes, limits(), segment_, &decoded);
  if (!why && decoded.credits != 0) {
    const std::lock_guard guard(lock_);
    if (!credits_.came_back(source, decoded.credits)) why = RequestCredits::kTooMany;
  }
  if (why) fatal(name_, "a message from rank %u is malformed: %s", source, why);
  if (decoded.kind == AmKind::kCredits) return;
  place_payload(decoded.message);
  if (decoded.kind == AmKind::kReply) return receiver_.deliver(decoded.message, {source, 0});
  DeliveredRequest request{source};
  receiver_.deliver(decoded.message, request.origin());
  if (request.is_answered) return;
  for (Spinning spinning; send(source, AmKind::kCredits, {}, 1) == am::Post::kRetry;) {
    if (poll(am::Scope::kReplies) == 0) spinning.pause();
  }
}

// Frees the buffers whose sends have completed, in any order: a later one may be done before an earlier one.
void AmOverMessagePassing::settle() {
  const std::lock_guard guard(lock_);
  std::erase_if(sending_, [&](MessageBuffer* buffer) {
    const bool is_over = messages_.test(buffer->operation, nullptr);
    if (is_over) free(buffer);
    buffer->is_stuck = !is_over;
    return is_over;
  });
}

void AmOverMessagePassing::count_resources(observe::ResourceCounts& counts) {
  settle();
  const std::lock_guard guard(lock_);
  std::size_t here = sending_.size();
  for (const MessageBuffer* buffer = free_; buffer; buffer = buffer->next) ++here;
  for (const Inbox* inbox : {&requests_, &replies_}) here += inbox->posted.size() + inbox->used.size();
  counts.holds("messages that leave", sending_.size());
  counts.holds("message buffers", buffers_.size() - here);
  // A credit goes back at once.
  counts.holds("request credits", credits_.sums().outstanding);
}

void AmOverMessagePassing::list_unanswered(ProbeList& peers) {
  const std::lock_guard guard(lock_);
  for (const MessageBuffer* buffer : sending_) {
    if (buffer->is_stuck) peers.add(buffer->target);
  }
  credits_.list_unanswered(peers);
}

std::string AmOverMessagePassing::missing_from(RankId peer) {
  const std::lock_guard guard(lock_);
  const auto stuck = std::ranges::count_if(
      sending_, [&](const MessageBuffer* buffer) { return buffer->is_stuck && buffer->target == peer; });
  const std::string messages = counted(static_cast<unsigned>(stuck), "message", "messages");
  return and_also(counted(credits_.outstanding(peer), "reply", "replies"),
                  messages.empty() ? "" : "room for " + messages);
}

}  // namespace aqueduct::parts
