#include "conduit/mpi/messages.hpp"

#include <algorithm>
#include <mutex>

namespace aqueduct::conduit::mpi {

using parts::AmKind;

namespace {

std::byte* encode(std::byte* to, AmKind kind, const Message& message, unsigned credits) {
  return message.category == Category::kLong ? parts::encode_header(to, kind, message, credits)
                                             : parts::encode_brief(to, kind, message, credits);
}

}  // namespace

// Sending.

Post Messages::inject(RankId target, const Message& request) {
  if (target == endpoint_.rank) return parts::deliver_to_self(endpoint_.receiver, target, request);
  const std::lock_guard guard(endpoint_.session);
  if (request.is_bounded) return send_notice(target, request);
  if (!endpoint_.may_request(target, endpoint_.credits_of(request.payload_bytes))) return Post::kRetry;
  send(target, AmKind::kRequest, request);
  return Post::kDone;
}

Post Messages::reply(const Origin& origin, const Message& reply) {
  if (origin.cookie == 0) return parts::deliver_to_self(endpoint_.receiver, origin.source, reply);
  const std::lock_guard guard(endpoint_.session);
  if (endpoint_.session.is_over()) Endpoint::say_that_it_is_over(origin.source);
  send(origin.source, AmKind::kReply, reply);
  parts::DeliveredRequest::of(origin).is_answered = true;
  return Post::kDone;
}

void Messages::send(RankId target, AmKind kind, const Message& message) {
  if (message.payload_bytes > kMostCopied) return send_large(target, kind, message);
  Stream::Buffer* const buffer = endpoint_.stream.take();
  std::byte* const bytes = buffer->bytes.get();
  const std::byte* const end =
      parts::write_payload(encode(bytes, kind, message, endpoint_.credits.take_owed(target)), message);
  endpoint_.stream.send(buffer, static_cast<std::size_t>(end - bytes), target);
}

Stream::Buffer* Messages::begin(HeadKind kind, std::uint32_t payload_bytes) {
  Stream::Buffer* const buffer = endpoint_.stream.take();
  const MessagePrefix prefix{.kind = kind, .payload_bytes = payload_bytes};
  std::memcpy(buffer->bytes.get(), &prefix, sizeof prefix);
  return buffer;
}

Post Messages::send_notice(RankId target, const Message& request) {
  if (endpoint_.session.is_over()) Endpoint::say_that_it_is_over(target);
  if (!endpoint_.stream.has_room()) return am::retry(endpoint_.receiver, observe::Retry::kBuffers);
  Stream::Buffer* const buffer = begin(HeadKind::kNotice, 0);
  std::byte* const bytes = buffer->bytes.get();
  const std::byte* const end =
      parts::write_payload(encode(bytes + sizeof(MessagePrefix), AmKind::kRequest, request, 0), request);
  endpoint_.stream.send(buffer, static_cast<std::size_t>(end - bytes), target);
  return Post::kDone;
}

void Messages::send_large(RankId target, AmKind kind, const Message& message) {
  Stream::Buffer* const buffer =
      begin(HeadKind::kLargeMessage, static_cast<std::uint32_t>(message.payload_bytes));
  std::byte* const bytes = buffer->bytes.get();
  const std::byte* const end =
      parts::encode_header(bytes + sizeof(MessagePrefix), kind, message, endpoint_.credits.take_owed(target));
  endpoint_.stream.send(buffer, static_cast<std::size_t>(end - bytes), target);
  parts::Parcel& parcel = *parcels_.take();
  parcel.message.unreleased = message.unreleased;
  const void* from = message.payload;
  if (message.unreleased) {
    message.unreleased->fetch_add(1, std::memory_order_relaxed);
  } else {
    std::byte* const copy = parcel.room(message.payload_bytes);
    parts::write_payload(copy, message);
    from = copy;
  }
  endpoint_.bulk.send(from, message.payload_bytes, target, BulkTag::kAnnounced,
                      Bulk::AtEnd::call<&Messages::has_left>(*this, parcel));
}

void Messages::has_left(parts::Parcel& parcel) {
  if (parcel.message.unreleased) parcel.message.unreleased->fetch_sub(1, std::memory_order_release);
  parcels_.give_back(&parcel);
}

// What arrives.

void Messages::has_landed(parts::Parcel& parcel) {
  if (!parcel.message.is_reply) owe_all_but_one(parcel.source, parcel.message);
  park(parcel);
}

void Messages::take(const Stream::Arrival& arrival, Scope scope, bool may_deliver) {
  const bool is_notice = arrival.mark() == static_cast<std::uint8_t>(HeadKind::kNotice);
  const std::size_t prefix_bytes = is_notice ? std::min(sizeof(MessagePrefix), arrival.size) : 0;
  const std::span<const std::byte> bytes = arrival.bytes().subspan(prefix_bytes);
  if (!parts::is_brief(bytes)) return take_other(arrival, scope, may_deliver);
  parts::DecodedMessage decoded;
  if (const char* const why = parts::decode_brief(bytes, Endpoint::limits(), &decoded)) [[unlikely]]
    Endpoint::malformed(arrival.source, why);
  take_decoded(arrival, decoded, is_notice, scope, may_deliver);
}

// A Long, or the head of a large message.
void Messages::take_other(const Stream::Arrival& arrival, Scope scope, bool may_deliver) {
  std::span<const std::byte> bytes = arrival.bytes();
  MessagePrefix prefix;
  const bool has_prefix = !bytes.empty() && is_head(arrival.mark());
  if (has_prefix) {
    if (!read_head(bytes, &prefix)) Endpoint::malformed(arrival.source, "it is shorter than its head");
    bytes = bytes.subspan(sizeof prefix);
  }
  const bool is_large = has_prefix && prefix.kind == HeadKind::kLargeMessage;
  parts::DecodedMessage decoded;
  const char* const why =
      is_large ? parts::decode(bytes, prefix.payload_bytes, Endpoint::limits(), endpoint_.segment, &decoded)
               : parts::decode_whole(bytes, Endpoint::limits(), endpoint_.segment, &decoded);
  if (why) [[unlikely]]
    Endpoint::malformed(arrival.source, why);
  if (!is_large) return take_decoded(arrival, decoded, has_prefix, scope, may_deliver);
  if (decoded.kind == AmKind::kCredits) Endpoint::malformed(arrival.source, "credits come with more");
  endpoint_.came_back(arrival.source, decoded.credits);
  parts::Parcel& parcel = *parcels_.take();
  void* const to = parcel.take(arrival.source, decoded.message);
  endpoint_.stream.give_back(arrival.buffer);
  endpoint_.bulk.receive(to, decoded.message.payload_bytes, arrival.source, BulkTag::kAnnounced,
                         Bulk::AtEnd::call<&Messages::has_landed>(*this, parcel));
}

inline void Messages::take_decoded(const Stream::Arrival& arrival, parts::DecodedMessage& decoded,
                                   bool is_notice, Scope scope, bool may_deliver) {
  endpoint_.came_back(arrival.source, decoded.credits);
  const bool is_request = decoded.kind == AmKind::kRequest;
  if (is_notice && !is_request) [[unlikely]]
    Endpoint::malformed(arrival.source, "only a request can be a notice");
  if (decoded.kind == AmKind::kCredits) [[unlikely]] {
    endpoint_.stream.give_back(arrival.buffer);
    return;
  }
  if (is_request && !is_notice) owe_all_but_one(arrival.source, decoded.message);
  if (!may_deliver || (is_request && scope == Scope::kReplies)) [[unlikely]] {
    parts::Parcel& parcel = *parcels_.take();
    parcel.hold(arrival.source, decoded.message);
    parcel.is_answered = is_notice;
    endpoint_.stream.give_back(arrival.buffer);
    park(parcel);
    return;
  }
  endpoint_.session.unlock();
  parts::place_payload(decoded.message);
  parts::DeliveredRequest request{arrival.source};
  endpoint_.receiver.deliver(decoded.message, is_request ? request.origin() : Origin{arrival.source, 0});
  endpoint_.session.lock();
  if (is_request && !is_notice && !request.is_answered) endpoint_.credits.owe(arrival.source, 1);
  endpoint_.stream.give_back(arrival.buffer);
}

bool Messages::deliver(parts::Parcel& parcel) {
  const bool is_reply = parcel.message.is_reply;
  const bool takes_credit = !is_reply && !parcel.is_answered;
  endpoint_.session.unlock();
  endpoint_.receiver.deliver(parcel.message, is_reply ? Origin{parcel.source, 0} : parcel.origin());
  endpoint_.session.lock();
  if (takes_credit && !parcel.is_answered) endpoint_.credits.owe(parcel.source, 1);
  parcels_.give_back(&parcel);
  return true;
}

}  // namespace aqueduct::conduit::mpi
