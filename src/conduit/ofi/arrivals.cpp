// Messages as they come.
#include <algorithm>
#include <cstring>

#include "base/fatal.hpp"
#include "conduit/ofi/messages.hpp"

namespace aqueduct::conduit::ofi {

void Messages::proceed() {
  if (!unposted_.empty()) post_receives();
  longs_.proceed();
  small_transfers_.answer();
  if (credits_.due_peers() != 0) pay_credits();
}

void Messages::begin_delivery(Arrivals& arrivals) {
  arrivals.has_waiting = waiting_ != 0;
  if (arrivals.count != 0) arrivals.may_stay = ++polls_under_way_ <= most_polls_;
}

unsigned Messages::deliver(Arrivals& arrivals, Scope scope) {
  for (std::size_t i = 0; i < arrivals.count; ++i) deliver(arrivals.found[i], scope, arrivals.may_stay);
  if (arrivals.count != 0) {
    const std::lock_guard guard(endpoint_.lock);
    --polls_under_way_;
  }
  auto delivered = static_cast<unsigned>(arrivals.count);
  if (arrivals.has_waiting) delivered += deliver_waiting(scope);
  return delivered;
}

void Messages::keep(Arrivals& arrivals) {
  for (std::size_t i = 0; i < arrivals.count; ++i) {
    Message& message = arrivals.found[i].decoded.message;
    if (message.payload != message.destination) parts::place_payload(message);
    keep(arrivals.found[i]);
  }
}

void Messages::completed(Operation& operation, const Completion& completion) {
  auto& buffer = static_cast<Buffer&>(operation);
  const bool takes_many = endpoint_.properties().multi_receive;
  const bool is_last = !takes_many || (completion.flags & FI_MULTI_RECV) != 0;
  if (is_last) buffer.is_finished = true;
  if (completion.len != 0) {
    const auto* const bytes = takes_many ? static_cast<const std::byte*>(completion.buf) : buffer.bytes;
    take_message({bytes, completion.len}, buffer);
  }
  if (is_last && buffer.users == 0) release(&buffer);
}

// Its peer is gone; the buffer may be used again.
void Messages::abandoned(Operation& operation) { unposted_.push_back(static_cast<Buffer*>(&operation)); }

void Messages::take_message(std::span<const std::byte> bytes, Buffer& buffer) {
  Prefix prefix;
  if (bytes.size() < sizeof prefix)
    fatal("ofi", "a message of %zu bytes has come, which is none of ours", bytes.size());
  std::memcpy(&prefix, bytes.data(), sizeof prefix);
  if (prefix.source >= endpoint_.ranks)
    fatal("ofi", "a message has come from rank %u, which is none", prefix.source);
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % 8 != 0) {
    fatal("ofi",
          "provider %s has put a message at %p, which is not aligned; set AQUEDUCT_OFI_NARROW=no-multi-recv",
          endpoint_.network.provider_name(), static_cast<const void*>(bytes.data()));
  }
  if (prefix.is_small_transfer()) return small_transfers_.take(bytes);
  parts::DecodedMessage decoded;
  const bool comes_apart = prefix.pieces != 0 && prefix.pieces != Prefix::kArrived;
  const char* why = parts::decode_padded(bytes.subspan(sizeof prefix), prefix.pieces != 0, endpoint_.limits,
                                         endpoint_.segment, &decoded);
  if (!why && !comes_apart && !credits_.came_back(prefix.source, decoded.credits))
    why = parts::RequestCredits::kTooMany;
  if (why) fatal("ofi", "a message from rank %u is malformed: %s", prefix.source, why);
  if (prefix.pieces == Prefix::kArrived) decoded.message.payload = decoded.message.destination;
  if (comes_apart) {
    if (ArrivedLong* const complete = longs_.envelope_came(prefix, decoded, *parcels_.take()))
      ready(*complete);
  } else if (decoded.kind != parts::AmKind::kCredits) {
    arrivals_->found[arrivals_->count++] = {decoded, prefix.source, &buffer};
    ++buffer.users;
  }
}

// Of a receive buffer nothing is used any more.
void Messages::release(Buffer* buffer) {
  buffer->is_finished = false;
  if (endpoint_.network.receive(buffer->part(receives_.buffer_bytes()), *buffer) == Post::kRetry)
    unposted_.push_back(buffer);
}

void Messages::post_receives() {
  std::vector<Buffer*> buffers;
  buffers.swap(unposted_);
  for (Buffer* const buffer : buffers) release(buffer);
}

// `may_stay`: the message may lie in its receive buffer for as long as the handler runs.
void Messages::deliver(Arrival& arrival, Scope scope, bool may_stay) {
  parts::DecodedMessage& decoded = arrival.decoded;
  const bool is_reply = decoded.kind == parts::AmKind::kReply;
  if (decoded.message.payload != decoded.message.destination) parts::place_payload(decoded.message);
  if (is_reply || (scope == Scope::kAll && may_stay)) {
    parts::DeliveredRequest request{arrival.source};
    endpoint_.receiver.deliver(decoded.message, is_reply ? Origin{arrival.source, 0} : request.origin());
    const std::lock_guard guard(endpoint_.lock);
    if (!is_reply && !request.is_answered) credits_.owe(arrival.source, 1);
    if (--arrival.buffer->users == 0 && arrival.buffer->is_finished) release(arrival.buffer);
    return;
  }
  const std::lock_guard guard(endpoint_.lock);
  keep(arrival);
}

// Copies a message whose payload is at its destination, if it has one, to be delivered later.
void Messages::keep(const Arrival& arrival) {
  const Message& message = arrival.decoded.message;
  parts::Parcel* const parcel = parcels_.take();
  void* const to = parcel->take(arrival.source, message);
  if (message.category == Category::kMedium && message.payload_bytes != 0)
    std::memcpy(to, message.payload, message.payload_bytes);
  ++waiting_;
  (message.is_reply ? replies_ : requests_).push(parcel);
  if (--arrival.buffer->users == 0 && arrival.buffer->is_finished) release(arrival.buffer);
}

unsigned Messages::deliver_waiting(Scope scope) {
  unsigned delivered = 0;
  while (delivered < Network::kAtOnce) {
    endpoint_.lock.lock();
    parts::Parcel* parcel = replies_.pop();
    if (!parcel && scope == Scope::kAll) parcel = requests_.pop();
    if (parcel) --waiting_;
    endpoint_.lock.unlock();
    if (!parcel) break;
    const bool is_reply = parcel->message.is_reply;
    endpoint_.receiver.deliver(parcel->message, is_reply ? Origin{parcel->source, 0} : parcel->origin());
    ++delivered;
    const std::lock_guard guard(endpoint_.lock);
    if (!is_reply && !parcel->is_answered) credits_.owe(parcel->source, 1);
    parcels_.give_back(parcel);
  }
  return delivered;
}

// Only now do its credits count: so no tag is used again while it is in use.
void Messages::ready(ArrivedLong& complete) {
  parts::Parcel* const parcel = complete.parcel;
  if (!credits_.came_back(parcel->source, complete.credits))
    fatal("ofi", "a message from rank %u is malformed: %s", parcel->source, parts::RequestCredits::kTooMany);
  longs_.give_back(complete);
  ++waiting_;
  (parcel->message.is_reply ? replies_ : requests_).push(parcel);
}

}  // namespace aqueduct::conduit::ofi
