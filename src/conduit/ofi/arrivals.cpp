// What completes and what arrives.
#include <algorithm>
#include <cstring>

#include "base/fatal.hpp"
#include "conduit/ofi/ofi_conduit.hpp"

namespace aqueduct::conduit::ofi {

unsigned OfiConduit::poll(Scope scope) {
  Arrival arrivals[kAtOnce];
  std::size_t arrived = 0;
  bool may_stay = false;
  bool has_waiting = false;
  if (!lock_.try_lock()) return 0;  // another thread looks
  if (is_closed_) {
    lock_.unlock();
    return 0;
  }
  progress(arrivals, &arrived);
  has_waiting = waiting_ != 0;
  if (arrived != 0) may_stay = ++polls_under_way_ <= most_polls_;
  lock_.unlock();

  for (std::size_t i = 0; i < arrived; ++i) deliver(arrivals[i], scope, may_stay);
  if (arrived != 0) {
    const std::lock_guard guard(lock_);
    --polls_under_way_;
  }
  auto delivered = static_cast<unsigned>(arrived);
  if (has_waiting) delivered += deliver_waiting(scope);
  return delivered;
}

void OfiConduit::progress(Arrival* arrivals, std::size_t* arrived) {
  Completion completions[kAtOnce];
  const std::size_t found = network_.completions(completions);
  for (std::size_t i = 0; i < found; ++i) completed(completions[i], arrivals, arrived);
  while (Operation* const failed = network_.take_failed()) abandon(*failed);
  if (found == 0) network_.watch_losses();
  if (!unposted_.empty()) post_receives();
  if (longs_under_way_ != 0) continue_long_sends();
  if (!unfinished_transfers_.empty()) continue_transfers();
  if (credits_.due_peers() != 0) pay_credits();
}

void OfiConduit::completed(const Completion& completion, Arrival* arrivals, std::size_t* arrived) {
  if (completion.flags & FI_REMOTE_CQ_DATA) {
    piece_arrived(static_cast<std::uint32_t>(completion.data));
    return;
  }
  auto* const operation = static_cast<Operation*>(completion.op_context);
  switch (operation->kind) {
    case Operation::Kind::kReceive:
      take_message(completion, static_cast<Buffer*>(operation), arrivals, arrived);
      break;
    case Operation::Kind::kSend: {
      auto* const buffer = static_cast<Buffer*>(operation);
      --sends_under_way_;
      (buffer->is_finished ? small_ : large_).give_back(buffer);
      break;
    }
    case Operation::Kind::kPiece:
      piece_is_done(*static_cast<LongPiece*>(operation));
      break;
    case Operation::Kind::kTransfer:
      part_is_done(*static_cast<TransferPart*>(operation));
      break;
    case Operation::Kind::kAtomic:
      atomic_is_done(*static_cast<AtomicPart*>(operation));
      break;
  }
}

// Its peer is gone. What it held may be used again; who waits for it waits until the job ends.
void OfiConduit::abandon(Operation& operation) {
  switch (operation.kind) {
    case Operation::Kind::kReceive:
      unposted_.push_back(static_cast<Buffer*>(&operation));
      break;
    case Operation::Kind::kSend: {
      auto* const buffer = static_cast<Buffer*>(&operation);
      --sends_under_way_;
      (buffer->is_finished ? small_ : large_).give_back(buffer);
      break;
    }
    case Operation::Kind::kPiece:
    case Operation::Kind::kTransfer:
    case Operation::Kind::kAtomic:
      break;
  }
}

void OfiConduit::take_message(const Completion& completion, Buffer* buffer, Arrival* arrivals,
                              std::size_t* arrived) {
  const bool is_last = !network_.properties().multi_receive || (completion.flags & FI_MULTI_RECV) != 0;
  if (is_last) buffer->is_finished = true;
  const bool has_message = completion.len != 0;
  if (has_message) {
    auto* const bytes =
        static_cast<const std::byte*>(network_.properties().multi_receive ? completion.buf : buffer->bytes);
    Prefix prefix;
    const char* why = nullptr;
    parts::DecodedMessage decoded;
    if (completion.len < sizeof prefix) {
      fatal("ofi", "a message of %zu bytes has come, which is none of ours", completion.len);
    }
    std::memcpy(&prefix, bytes, sizeof prefix);
    if (prefix.source >= is_touched_.size())
      fatal("ofi", "a message has come from rank %u, which is none", prefix.source);
    if (reinterpret_cast<std::uintptr_t>(bytes) % 8 != 0) {
      fatal(
          "ofi",
          "provider %s has put a message at %p, which is not aligned; set AQUEDUCT_OFI_NARROW=no-multi-recv",
          network_.provider_name(), static_cast<const void*>(bytes));
    }
    why = parts::decode_padded({bytes + sizeof prefix, completion.len - sizeof prefix}, prefix.pieces != 0,
                               limits_, segment_, &decoded);
    const bool comes_apart = prefix.pieces != 0 && prefix.pieces != Prefix::kArrived;
    if (!why && !comes_apart && !credits_.came_back(prefix.source, decoded.credits))
      why = parts::RequestCredits::kTooMany;
    if (why) fatal("ofi", "a message from rank %u is malformed: %s", prefix.source, why);
    if (prefix.pieces == Prefix::kArrived) decoded.message.payload = decoded.message.destination;
    if (comes_apart) {
      envelope_arrived(prefix, decoded);
    } else if (decoded.kind != parts::AmKind::kCredits) {
      arrivals[(*arrived)++] = {decoded, prefix.source, buffer};
      ++buffer->users;
    }
  }
  if (is_last && buffer->users == 0) release(buffer);
}

// Of a receive buffer nothing is used any more.
void OfiConduit::release(Buffer* buffer) {
  buffer->is_finished = false;
  if (network_.receive(buffer->part(receives_.buffer_bytes()), *buffer) == Post::kRetry)
    unposted_.push_back(buffer);
}

void OfiConduit::post_receives() {
  std::vector<Buffer*> buffers;
  buffers.swap(unposted_);
  for (Buffer* const buffer : buffers) release(buffer);
}

// `may_stay`: the message may lie in its receive buffer for as long as the handler runs.
void OfiConduit::deliver(Arrival& arrival, Scope scope, bool may_stay) {
  parts::DecodedMessage& decoded = arrival.decoded;
  const bool is_reply = decoded.kind == parts::AmKind::kReply;
  if (decoded.message.payload != decoded.message.destination) parts::place_payload(decoded.message);
  if (is_reply || (scope == Scope::kAll && may_stay)) {
    parts::DeliveredRequest request{arrival.source};
    receiver_.deliver(decoded.message, is_reply ? Origin{arrival.source, 0} : request.origin());
    const std::lock_guard guard(lock_);
    if (!is_reply && !request.is_answered) credits_.owe(arrival.source, 1);
    if (--arrival.buffer->users == 0 && arrival.buffer->is_finished) release(arrival.buffer);
    return;
  }
  const std::lock_guard guard(lock_);
  keep(arrival);
}

// Copies a message whose payload is at its destination, if it has one, to be delivered later.
void OfiConduit::keep(const Arrival& arrival) {
  const Message& message = arrival.decoded.message;
  parts::Parcel* const parcel = parcels_.take();
  void* const to = parcel->take(arrival.source, message);
  if (message.category == Category::kMedium && message.payload_bytes != 0)
    std::memcpy(to, message.payload, message.payload_bytes);
  ++waiting_;
  (message.is_reply ? replies_ : requests_).push(parcel);
  if (--arrival.buffer->users == 0 && arrival.buffer->is_finished) release(arrival.buffer);
}

unsigned OfiConduit::deliver_waiting(Scope scope) {
  unsigned delivered = 0;
  while (delivered < kAtOnce) {
    lock_.lock();
    parts::Parcel* parcel = replies_.pop();
    if (!parcel && scope == Scope::kAll) parcel = requests_.pop();
    if (parcel) --waiting_;
    lock_.unlock();
    if (!parcel) break;
    const bool is_reply = parcel->message.is_reply;
    receiver_.deliver(parcel->message, is_reply ? Origin{parcel->source, 0} : parcel->origin());
    ++delivered;
    const std::lock_guard guard(lock_);
    if (!is_reply && !parcel->is_answered) credits_.owe(parcel->source, 1);
    parcels_.give_back(parcel);
  }
  return delivered;
}

bool OfiConduit::may_sleep() {
  const std::lock_guard guard(lock_);
  if (is_closed_) return true;
  const bool has_unsent = (long_ && long_->has_unsent()) || (chaining_ && chaining_->has_unsent());
  return waiting_ == 0 && !has_unsent && unfinished_longs_.empty() && unfinished_transfers_.empty() &&
         unposted_.empty() && network_.may_sleep();
}

}  // namespace aqueduct::conduit::ofi
