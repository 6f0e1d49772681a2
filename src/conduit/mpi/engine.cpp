#include "conduit/mpi/engine.hpp"

#include <algorithm>
#include <mutex>

#include "base/fatal.hpp"
#include "base/spinning.hpp"

namespace aqueduct::conduit::mpi {
namespace {

using parts::AmKind;

constexpr std::size_t kBufferBytes = parts::kMostHeaderBytes + am::kMostMedium;
// Requests that each peer may have outstanding here, as long as there are few peers.
constexpr unsigned kRequestsPerPeer = 16;
constexpr unsigned kMostRequests = 128;
constexpr unsigned kSends = 96;
constexpr unsigned kSendsForAnswers = 32;
constexpr unsigned kAtOnce = 32;  // things that one poll does
static_assert(sizeof(TransferHead) + Engine::kMostCopied <= kBufferBytes);

unsigned requests_for(RankId ranks) {
  return static_cast<unsigned>(std::clamp<std::uint64_t>(std::uint64_t{kRequestsPerPeer} * (ranks - 1),
                                                         kRequestsPerPeer, kMostRequests));
}
unsigned credits_for(RankId ranks) {
  return std::max(1u, requests_for(ranks) / std::max<RankId>(1, ranks - 1));
}

// The two directions of an operation's bytes have a tag each: they may go between the same ranks.
unsigned tag_of_put(std::uint32_t operation) { return 2 + 2 * (operation >> 8); }
unsigned tag_of_get(std::uint32_t operation) { return 3 + 2 * (operation >> 8); }

// What a transfer of bytes is to this rank.
enum BulkKind : std::uint32_t { kOwnPut, kPutHere, kOwnGet, kGetFromHere };

}  // namespace

Engine::Engine(Session& session, RankId rank, RankId size, Receiver& receiver)
    : session_(session),
      rank_(rank),
      receiver_(receiver),
      credits_(size, credits_for(size), std::max(1u, credits_for(size) / 2)),
      stream_(session, kBufferBytes, 2 * requests_for(size), kSends, kSendsForAnswers),
      bulk_(session),
      window_(session) {
  session.set_at_end([this] {
    stream_.cancel();
    window_.close();
  });
}

void Engine::set_segments(std::span<const SegmentBounds> segments, const job::Layout& hosts) {
  const std::lock_guard guard(session_);
  segment_ = segments[rank_];
  window_.open(segments, rank_, hosts);
}

void Engine::malformed(RankId source, const char* why) {
  fatal("mpi", "a message from rank %u is malformed: %s", source, why);
}

void Engine::say_that_it_is_over(RankId target) {
  fatal("mpi", "rank %u cannot be reached: the program has called MPI_Finalize", target);
}

// Sending.

Post Engine::inject(RankId target, const Message& request) {
  if (target == rank_) return parts::deliver_to_self(receiver_, target, request);
  const std::lock_guard guard(session_);
  if (!credits_.try_take(target)) return am::retry(receiver_, observe::Retry::kCredits);
  const Post post = send(target, AmKind::kRequest, request);
  if (post == Post::kRetry) credits_.put_back(target);
  return post;
}

Post Engine::reply(const Origin& origin, const Message& reply) {
  if (origin.cookie == 0) return parts::deliver_to_self(receiver_, origin.source, reply);
  const std::lock_guard guard(session_);
  const Post post = send(origin.source, AmKind::kReply, reply);
  parts::DeliveredRequest::of(origin).is_answered = post == Post::kDone;
  return post;
}

Post Engine::send(RankId target, AmKind kind, const Message& message) {
  if (session_.is_over()) say_that_it_is_over(target);
  Stream::Buffer* const buffer = stream_.room_to_send(kind != AmKind::kRequest);
  if (!buffer) return am::retry(receiver_, observe::Retry::kBuffers);
  std::byte* const bytes = buffer->bytes.get();
  std::byte* const end =
      parts::write_payload(parts::encode_header(bytes, kind, message, credits_.take_owed(target)), message);
  stream_.send(buffer, static_cast<std::size_t>(end - bytes), target);
  return Post::kDone;
}

bool Engine::send_head(RankId peer, TransferHead head, const void* payload) {
  if (session_.is_over()) say_that_it_is_over(peer);
  Stream::Buffer* const buffer = stream_.room_to_send(head.is_answer());
  if (!buffer) return false;
  head.credits = static_cast<std::uint8_t>(credits_.take_owed(peer));
  std::byte* const bytes = buffer->bytes.get();
  std::memcpy(bytes, &head, sizeof head);
  const std::size_t payload_bytes = head.has_bytes() ? head.bytes : 0;
  if (payload_bytes != 0) std::memcpy(bytes + sizeof head, payload, payload_bytes);
  stream_.send(buffer, sizeof head + payload_bytes, peer);
  return true;
}

void Engine::answer(RankId peer, const TransferHead& head) {
  if (!answers_.empty() || !send_head(peer, head, reinterpret_cast<const void*>(head.address)))
    answers_.push_back({peer, head});
}

void Engine::give_credits_back() {
  for (std::size_t tries = credits_.due_peers(); tries != 0; --tries) {
    Stream::Buffer* const buffer = stream_.room_to_send(true);
    if (!buffer) return;
    RankId peer;
    const unsigned credits = credits_.take_due(&peer);  // 0: something else has taken them along
    const std::byte* const end = parts::encode_header(buffer->bytes.get(), AmKind::kCredits, {}, credits);
    stream_.send(buffer, static_cast<std::size_t>(end - buffer->bytes.get()), peer);
  }
}

// Puts and gets of ours.

Post Engine::put(RankId target, void* to, const void* from, std::size_t bytes, Reuse reuse, Done done,
                 void* operation) {
  if (window_.takes_put(bytes)) {
    const bool at_once = reuse == Reuse::kAtReturn || bytes <= kMostCopied;
    {
      const std::lock_guard guard(session_);
      window_.put(target, to, from, bytes);
      at_once ? window_.flush(target) : window_.remember(target, {done, operation});
    }
    if (at_once) done(operation);
    return Post::kDone;
  }
  std::uint32_t name;
  {
    const std::lock_guard guard(session_);
    if (!credits_.try_take(target)) return am::retry(receiver_, observe::Retry::kCredits);
    const bool is_large = bytes > kMostCopied;
    operations_.create(&name) = {done, operation, nullptr, bytes, target, true, !is_large, false};
    const TransferHead head{.kind = is_large ? TransferKind::kLargePut : TransferKind::kPut,
                            .operation = name,
                            .address = reinterpret_cast<std::uint64_t>(to),
                            .bytes = bytes};
    if (!send_head(target, head, from)) {
      operations_.retire(name);
      credits_.put_back(target);
      return am::retry(receiver_, observe::Retry::kBuffers);
    }
    if (!is_large) return Post::kDone;
    bulk_.send(from, bytes, target, tag_of_put(name), {kOwnPut, target, name});
  }
  if (reuse == Reuse::kAtReturn) wait_until_sent(name);
  return Post::kDone;
}

Post Engine::get(RankId target, void* to, const void* from, std::size_t bytes, Done done, void* operation) {
  const std::lock_guard guard(session_);
  if (window_.takes_get(bytes)) {
    window_.get(target, to, from, bytes);
    window_.remember(target, {done, operation});
    return Post::kDone;
  }
  if (!credits_.try_take(target)) return am::retry(receiver_, observe::Retry::kCredits);
  const bool is_large = bytes > kMostCopied;
  std::uint32_t name;
  operations_.create(&name) = {done, operation, to, bytes, target, false, true, false};
  const TransferHead head{.kind = is_large ? TransferKind::kLargeGet : TransferKind::kGet,
                          .operation = name,
                          .address = reinterpret_cast<std::uint64_t>(from),
                          .bytes = bytes};
  if (!send_head(target, head, nullptr)) {
    operations_.retire(name);
    credits_.put_back(target);
    return am::retry(receiver_, observe::Retry::kBuffers);
  }
  if (is_large) bulk_.receive(to, bytes, target, tag_of_get(name), {kOwnGet, target, name});
  return Post::kDone;
}

void Engine::wait_until_sent(std::uint32_t name) {
  for (Spinning spinning;; spinning.pause()) {
    Found found;
    {
      const std::lock_guard guard(session_);
      const Operation* const put = operations_.find(name);
      if (!put || put->is_sent) return;
      found = find_one(Scope::kReplies, false);
    }
    if (found.what == What::kNothing) continue;
    deliver(found);
    spinning.restart();
  }
}

Engine::Finished Engine::retire(std::uint32_t name) {
  const Operation operation = *operations_.find(name);
  operations_.retire(name);
  return {operation.done, operation.argument};
}

// What arrives.

unsigned Engine::poll(Scope scope) {
  unsigned count = 0;
  for (; count < kAtOnce; ++count) {
    Found found;
    {
      const std::lock_guard guard(session_);
      found = find_one(scope, true);
      if (session_.is_over()) return count;
      if (found.what == What::kNothing) stream_.post_used();
      if (credits_.due_peers() != 0) give_credits_back();
    }
    if (found.what == What::kNothing) break;
    deliver(found);
  }
  return count;
}

// The next thing to do, most of which is done here. `may_deliver`: handlers may run.
Engine::Found Engine::find_one(Scope scope, bool may_deliver) {
  Found found;
  if (session_.is_over()) return found;
  while (!answers_.empty() && send_head(answers_.front().peer, answers_.front().head,
                                        reinterpret_cast<const void*>(answers_.front().head.address)))
    answers_.pop_front();
  if (may_deliver) {
    std::deque<parts::Parcel*>& parked = !parked_replies_.empty() ? parked_replies_ : parked_requests_;
    if (!parked.empty() && (&parked == &parked_replies_ || scope == Scope::kAll)) {
      found.what = What::kParcel;
      found.parcel = parked.front();
      parked.pop_front();
      return found;
    }
  }
  while (stream_.receive(&found.arrival)) {
    const RankId source = found.arrival.source;
    if (TransferHead::is_one(found.arrival.bytes())) {
      found.finished = handle(found.arrival);
      stream_.give_back(found.arrival.buffer);
      found.what = What::kHandled;
      return found;
    }
    const char* why = parts::decode_whole(found.arrival.bytes(), limits(), segment_, &found.decoded);
    if (!why && found.decoded.credits != 0 && !credits_.came_back(source, found.decoded.credits))
      why = parts::RequestCredits::kTooMany;
    if (why) malformed(source, why);
    if (found.decoded.kind == AmKind::kCredits) {
      stream_.give_back(found.arrival.buffer);
      found.what = What::kHandled;
      return found;
    }
    const bool is_request = found.decoded.kind == AmKind::kRequest;
    if (may_deliver && (scope == Scope::kAll || !is_request)) {
      found.what = What::kArrival;
      return found;
    }
    parts::Parcel* const parcel = parcels_.take();
    parcel->hold(source, found.decoded.message);
    (is_request ? parked_requests_ : parked_replies_).push_back(parcel);
    stream_.give_back(found.arrival.buffer);
  }
  if (finished_.empty()) bulk_.advance([this](const Bulk::Name& name) { bulk_is_over(name); });
  if (!window_.is_idle()) window_.finish(finished_);
  if (!finished_.empty()) {
    found.what = What::kHandled;
    found.finished = finished_.back();
    finished_.pop_back();
  }
  return found;
}

void Engine::deliver(Found& found) {
  if (found.what == What::kHandled) {
    if (found.finished.done) found.finished.done(found.finished.argument);
    return;
  }
  if (found.what == What::kParcel) {
    parts::Parcel& parcel = *found.parcel;
    const bool is_reply = parcel.message.is_reply;
    receiver_.deliver(parcel.message, is_reply ? Origin{parcel.source, 0} : parcel.origin());
    const std::lock_guard guard(session_);
    if (!is_reply && !parcel.is_answered) credits_.owe(parcel.source, 1);
    parcels_.give_back(&parcel);
    return;
  }
  const RankId source = found.arrival.source;
  Message& message = found.decoded.message;
  parts::place_payload(message);
  parts::DeliveredRequest request{source};
  receiver_.deliver(message, message.is_reply ? Origin{source, 0} : request.origin());
  const std::lock_guard guard(session_);
  if (!message.is_reply && !request.is_answered) credits_.owe(source, 1);
  stream_.give_back(found.arrival.buffer);
}

// Puts and gets of others, and answers to ours.

Engine::Finished Engine::handle(const Stream::Arrival& arrival) {
  TransferHead head;
  if (arrival.size < sizeof head) malformed(arrival.source, "it is shorter than its head");
  std::memcpy(&head, arrival.bytes().data(), sizeof head);
  const std::span<const std::byte> bytes = arrival.bytes().subspan(sizeof head);
  if (head.kind > TransferKind::kGot) malformed(arrival.source, "there is no such kind of transfer");
  if (bytes.size() != (head.has_bytes() ? head.bytes : 0))
    malformed(arrival.source, "it has not the size that its head says");
  if (!credits_.came_back(arrival.source, head.credits + (head.is_answer() ? 1u : 0u)))
    malformed(arrival.source, parts::RequestCredits::kTooMany);
  if (head.is_answer()) return finish(arrival.source, head, bytes);
  serve(arrival.source, head, bytes);
  return {};
}

void Engine::serve(RankId peer, const TransferHead& head, std::span<const std::byte> bytes) {
  if (!segment_.contains(head.address, head.bytes)) malformed(peer, "a put or get leaves the segment");
  auto* const memory = reinterpret_cast<std::byte*>(head.address);
  const bool is_put = head.kind == TransferKind::kPut || head.kind == TransferKind::kLargePut;
  receiver_.count_served(peer, is_put ? observe::TransferKind::kPut : observe::TransferKind::kGet);
  switch (head.kind) {
    case TransferKind::kPut:
      std::memcpy(memory, bytes.data(), bytes.size());
      return answer(peer, {.kind = TransferKind::kPutDone, .operation = head.operation});
    case TransferKind::kLargePut:
      return bulk_.receive(memory, head.bytes, peer, tag_of_put(head.operation),
                           {kPutHere, peer, head.operation});
    case TransferKind::kGet:
      if (head.bytes > kMostCopied) malformed(peer, "a get of this size has another form");
      return answer(peer, {.kind = TransferKind::kGot,
                           .operation = head.operation,
                           .address = head.address,
                           .bytes = head.bytes});
    default:
      return bulk_.send(memory, head.bytes, peer, tag_of_get(head.operation),
                        {kGetFromHere, peer, head.operation});
  }
}

Engine::Finished Engine::finish(RankId peer, const TransferHead& head, std::span<const std::byte> bytes) {
  Operation* const operation = operations_.find(head.operation);
  const bool is_put = head.kind == TransferKind::kPutDone;
  if (!operation || operation->target != peer || operation->is_put != is_put || operation->is_answered ||
      (!is_put && operation->bytes != bytes.size()))
    malformed(peer, "it answers what was not asked");
  if (!is_put) std::memcpy(operation->to, bytes.data(), bytes.size());
  if (operation->is_sent) return retire(head.operation);
  operation->is_answered = true;  // the bytes have arrived, and MPI will soon say that they were sent
  return {};
}

void Engine::bulk_is_over(const Bulk::Name& name) {
  switch (name.kind) {
    case kOwnPut: {
      Operation* const put = operations_.find(name.number);
      put->is_sent = true;
      if (put->is_answered) finished_.push_back(retire(name.number));
      return;
    }
    case kPutHere:
      return answer(name.peer, {.kind = TransferKind::kPutDone, .operation = name.number});
    case kOwnGet:
      credits_.came_back(name.peer, 1);
      finished_.push_back(retire(name.number));
      return;
    default:
      return;
  }
}

// Reports.

void Engine::list_unanswered(parts::ProbeList& peers) {
  const std::lock_guard guard(session_);
  credits_.list_unanswered(peers);
}

std::string Engine::missing_from(RankId peer) {
  const std::lock_guard guard(session_);
  return parts::counted(credits_.outstanding(peer), "reply or credit", "replies or credits");
}

}  // namespace aqueduct::conduit::mpi
