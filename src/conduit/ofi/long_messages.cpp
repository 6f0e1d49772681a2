// Long messages whose payload is written beside them.
#include <algorithm>
#include <cstring>

#include "base/fatal.hpp"
#include "conduit/ofi/ofi_conduit.hpp"

namespace aqueduct::conduit::ofi {

Post OfiConduit::send_long(RankId target, parts::AmKind kind, const Message& message, unsigned credits) {
  const std::size_t piece = limits_.max_long / Settings::kMostPieces;
  const auto pieces = static_cast<unsigned>((message.payload_bytes + piece - 1) / piece);
  const unsigned spare = kind == parts::AmKind::kRequest ? large_for_replies_ : 0;
  if (large_.free() < pieces + spare) return Post::kRetry;
  if (free_long_sends_.empty()) free_long_sends_.push_back(&long_sends_.emplace_back());
  LongSend& whole = *free_long_sends_.back();
  free_long_sends_.pop_back();
  whole.target = target;
  whole.is_header_sent = false;
  whole.under_way = 0;
  whole.destination = reinterpret_cast<std::uintptr_t>(message.destination);
  whole.tag = 0;
  if (network_.properties().long_protocol == LongProtocol::kPaired)
    whole.tag = next_tag_[target]++ & ((1u << tag_bits_) - 1);
  whole.pieces = static_cast<std::uint16_t>(pieces);
  whole.header_bytes = static_cast<std::uint32_t>(
      parts::encode_header(whole.header + sizeof(Prefix), kind, message, credits) - whole.header);
  whole.unsent = nullptr;
  for (unsigned i = pieces; i-- > 0;) {
    Buffer* const buffer = large_.take(0);
    buffer->kind = Operation::Kind::kPiece;
    buffer->whole = &whole;
    buffer->piece_offset = std::uint64_t{i} * piece;
    buffer->piece_bytes = static_cast<std::uint32_t>(
        std::min<std::size_t>(piece, message.payload_bytes - buffer->piece_offset));
    std::memcpy(buffer->bytes, static_cast<const std::byte*>(message.payload) + buffer->piece_offset,
                buffer->piece_bytes);
    buffer->next = whole.unsent;
    whole.unsent = buffer;
  }
  if (!advance(whole)) unfinished_longs_.push_back(&whole);
  return Post::kDone;
}

// Goes on as far as there is room; false if it must be called again.
bool OfiConduit::advance(LongSend& whole) {
  const LongProtocol protocol = network_.properties().long_protocol;
  while (Buffer* const piece = whole.unsent) {
    Buffer* const following = piece->next;
    const LocalMemory from = piece->part(piece->piece_bytes);
    const RemoteMemory to = segments_.remote(whole.target, whole.destination + piece->piece_offset);
    const Post post =
        protocol == LongProtocol::kPaired
            ? network_.write_and_tell(whole.target, from, to, completion_data(self_, whole.tag), *piece)
            : network_.write(whole.target, from, to, protocol == LongProtocol::kAcknowledged, *piece);
    if (post == Post::kRetry) return false;
    whole.unsent = following;
    ++whole.under_way;
    ++sends_under_way_;
  }
  if (!whole.is_header_sent) {
    if (protocol == LongProtocol::kAcknowledged && whole.under_way != 0) return true;  // then
    const Prefix prefix{self_, whole.tag,
                        protocol == LongProtocol::kPaired ? whole.pieces : Prefix::kArrived};
    std::memcpy(whole.header, &prefix, sizeof prefix);
    if (send_bytes(whole.target, whole.header, whole.header_bytes) == Post::kRetry) return false;
    whole.is_header_sent = true;
  }
  if (whole.under_way == 0) free_long_sends_.push_back(&whole);
  return true;
}

// A message that is complete already. It has its credit, so it takes what buffer there is.
Post OfiConduit::send_bytes(RankId target, const std::byte* bytes, std::size_t count) {
  if (count <= inject_bytes_) {
    touch(target);
    return network_.inject(target, bytes, count);
  }
  Buffer* const buffer = small_.take(0);
  if (!buffer) return Post::kRetry;
  std::memcpy(buffer->bytes, bytes, count);
  buffer->is_finished = true;
  if (network_.send(target, buffer->part(count), *buffer) == Post::kDone) {
    ++sends_under_way_;
    return Post::kDone;
  }
  small_.give_back(buffer);
  return Post::kRetry;
}

void OfiConduit::piece_is_done(Buffer& piece) {
  LongSend& whole = *piece.whole;
  piece.kind = Operation::Kind::kSend;
  large_.give_back(&piece);
  --sends_under_way_;
  if (--whole.under_way != 0 || whole.unsent) return;
  // Those that lack room are in their line already.
  if (whole.is_header_sent) {
    free_long_sends_.push_back(&whole);
  } else if (network_.properties().long_protocol == LongProtocol::kAcknowledged && !advance(whole)) {
    unfinished_longs_.push_back(&whole);
  }
}

void OfiConduit::continue_long_sends() {
  for (std::size_t tries = unfinished_longs_.size(); tries != 0; --tries) {
    LongSend* const whole = unfinished_longs_.front();
    unfinished_longs_.pop_front();
    if (!advance(*whole)) unfinished_longs_.push_back(whole);
  }
}

// The target's side.

void OfiConduit::piece_arrived(std::uint32_t data) {
  const RankId source = data >> tag_bits_;
  if (source >= is_touched_.size())
    fatal("ofi", "a piece of a long message has come from rank %u, which is none", source);
  Pairing& pairing = pairings_[data];
  --pairing.missing;
  if (pairing.parcel && pairing.missing == 0) finish_pairing(data);
}

void OfiConduit::pair(const Prefix& prefix, const parts::DecodedMessage& decoded) {
  const std::uint32_t data = completion_data(prefix.source, prefix.tag);
  Pairing& pairing = pairings_[data];
  if (pairing.parcel) fatal("ofi", "a long message of rank %u has come twice", prefix.source);
  pairing.parcel = parcels_.take();
  pairing.parcel->take(prefix.source, decoded.message);
  pairing.credits = decoded.credits;
  pairing.missing += prefix.pieces;
  if (pairing.missing == 0) finish_pairing(data);
}

// Only now do its credits count: so no tag is used again while it is in use.
void OfiConduit::finish_pairing(std::uint32_t data) {
  const auto found = pairings_.find(data);
  parts::Parcel* const parcel = found->second.parcel;
  if (!credits_.came_back(parcel->source, found->second.credits))
    fatal("ofi", "a message from rank %u is malformed: %s", parcel->source, parts::RequestCredits::kTooMany);
  pairings_.erase(found);
  ++waiting_;
  (parcel->message.is_reply ? replies_ : requests_).push(parcel);
}

}  // namespace aqueduct::conduit::ofi
