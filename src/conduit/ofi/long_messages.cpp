// Long messages whose payload is written beside them: what libfabric does for the protocols of parts/long.
#include <algorithm>
#include <cstring>

#include "base/fatal.hpp"
#include "conduit/ofi/ofi_conduit.hpp"

namespace aqueduct::conduit::ofi {

Post OfiConduit::send_long(RankId target, parts::AmKind kind, const Message& message, unsigned credits) {
  LeavingLong& leaving = leaving_longs_.take();
  parts::LongProtocol& protocol = protocol_of_sends();
  leaving.set(target, message, next_tag_[target]++ & ((1u << tag_bits_) - 1));
  leaving.local = {};
  leaving.local.protocol = &protocol;
  std::byte* const header = leaving.envelope.header;
  leaving.envelope.bytes = static_cast<std::uint32_t>(
      parts::encode_header(header + sizeof(Prefix), kind, message, credits) - header);
  ++longs_under_way_;
  if (protocol.start(leaving) == Post::kDone) return Post::kDone;
  --longs_under_way_;
  leaving_longs_.give_back(leaving);
  return Post::kRetry;
}

// Some providers have room for data of writes and refuse those that have them.
parts::LongProtocol& OfiConduit::protocol_of_sends() {
  if (long_kind_ != parts::LongProtocolKind::kReassembly || network_.properties().completion_data) [[likely]]
    return *long_;
  if (!chaining_) chaining_ = parts::make_long_protocol(parts::LongProtocolKind::kAsyncChaining, *this);
  return *chaining_;
}

Post OfiConduit::put_payload(parts::LongSend& send, parts::PutReport report) {
  LeavingLong& leaving = LeavingLong::of(send);
  const auto source = reinterpret_cast<std::uintptr_t>(send.payload);
  const bool must_register = network_.properties().local_registration;
  fid_mr* const registration = must_register ? segments_.local(source, send.payload_bytes) : nullptr;
  leaving.local.report = report;
  leaving.local.are_copied = must_register && !registration;
  const std::size_t most = leaving.local.are_copied
                               ? limits_.max_long / Settings::kMostPieces
                               : std::min(network_.properties().max_message_bytes, send.payload_bytes);
  send.pieces = static_cast<std::uint16_t>((send.payload_bytes + most - 1) / most);
  const unsigned spare = send.is_reply ? 0 : large_for_replies_;
  if (leaving.local.are_copied && large_.free() < send.pieces + spare)
    return am::retry(receiver_, observe::Retry::kBuffers);
  make_pieces(leaving, most, registration);
  if (!write_pieces(leaving)) {
    // That the target cannot be told is found out by trying.
    if (report == parts::PutReport::kTellTarget && leaving.local.under_way == 0) {
      abandon_pieces(leaving);
      return Post::kRetry;
    }
    unfinished_longs_.push_back(&leaving);
  }
  if (leaving.local.are_copied) leaving.local.protocol->put_left(send);
  return Post::kDone;
}

void OfiConduit::make_pieces(LeavingLong& leaving, std::size_t most, fid_mr* registration) {
  const auto* const payload = static_cast<const std::byte*>(leaving.payload);
  for (unsigned i = leaving.pieces; i-- > 0;) {
    const std::size_t offset = i * most;
    const std::size_t bytes = std::min(most, leaving.payload_bytes - offset);
    LongPiece& piece = pieces_.take();
    piece.whole = &leaving;
    piece.destination = reinterpret_cast<std::uintptr_t>(leaving.destination) + offset;
    piece.copy = leaving.local.are_copied ? large_.take(0) : nullptr;
    piece.from = {payload + offset, bytes, registration};
    if (piece.copy) {
      std::memcpy(piece.copy->bytes, payload + offset, bytes);
      piece.from = piece.copy->part(bytes);
    }
    piece.next = leaving.local.unsent;
    leaving.local.unsent = &piece;
  }
}

// As far as there is room; false if it must be called again.
bool OfiConduit::write_pieces(LeavingLong& leaving) {
  while (LongPiece* const piece = leaving.local.unsent) {
    LongPiece* const following = piece->next;
    const RemoteMemory to = segments_.remote(leaving.target, piece->destination);
    const auto tag = static_cast<std::uint16_t>(leaving.nonce);
    const Post post =
        leaving.local.report == parts::PutReport::kTellTarget
            ? network_.write_and_tell(leaving.target, piece->from, to, completion_data(self_, tag), *piece)
            : network_.write(leaving.target, piece->from, to,
                             leaving.local.report == parts::PutReport::kLanded, *piece);
    if (post == Post::kRetry) return false;
    leaving.local.unsent = following;
    ++leaving.local.under_way;
    ++sends_under_way_;
  }
  return true;
}

void OfiConduit::abandon_pieces(LeavingLong& leaving) {
  while (LongPiece* const piece = leaving.local.unsent) {
    leaving.local.unsent = piece->next;
    if (piece->copy) large_.give_back(piece->copy);
    pieces_.give_back(*piece);
  }
}

// Where writes and messages are in order, the envelope is behind all of its pieces.
Post OfiConduit::send_envelope(parts::LongSend& send) {
  LeavingLong& leaving = LeavingLong::of(send);
  const bool tells = leaving.local.report == parts::PutReport::kTellTarget;
  if (leaving.local.unsent && !tells) return Post::kRetry;
  const Prefix prefix{self_, static_cast<std::uint16_t>(send.nonce), tells ? send.pieces : Prefix::kArrived};
  std::memcpy(leaving.envelope.header, &prefix, sizeof prefix);
  return send_bytes(send.target, leaving.envelope.header, leaving.envelope.bytes);
}

// A message that is complete already. It has its credit, so it takes what buffer there is.
Post OfiConduit::send_bytes(RankId target, const std::byte* bytes, std::size_t count) {
  if (count <= inject_bytes_) {
    touch(target);
    return network_.inject(target, bytes, count);
  }
  Buffer* const buffer = small_.take(0);
  if (!buffer) return am::retry(receiver_, observe::Retry::kBuffers);
  std::memcpy(buffer->bytes, bytes, count);
  buffer->is_finished = true;
  if (network_.send(target, buffer->part(count), *buffer) == Post::kDone) {
    ++sends_under_way_;
    return Post::kDone;
  }
  small_.give_back(buffer);
  return Post::kRetry;
}

void OfiConduit::piece_is_done(LongPiece& piece) {
  LeavingLong& whole = *piece.whole;
  if (piece.copy) large_.give_back(piece.copy);
  pieces_.give_back(piece);
  --sends_under_way_;
  if (whole.local.under_way == 1 && !whole.local.unsent) {
    if (whole.local.report == parts::PutReport::kLanded) {
      whole.local.protocol->put_landed(whole);
    } else if (!whole.local.are_copied) {
      whole.local.protocol->put_left(whole);
    }
  }
  --whole.local.under_way;
  retire_if_over(whole);
}

void OfiConduit::finished(parts::LongSend& send) {
  LeavingLong& leaving = LeavingLong::of(send);
  leaving.local.is_finished = true;
  retire_if_over(leaving);
}

// Neither protocol nor network need it any more.
void OfiConduit::retire_if_over(LeavingLong& leaving) {
  if (!leaving.local.is_finished || leaving.local.under_way != 0 || leaving.local.unsent) return;
  --longs_under_way_;
  leaving_longs_.give_back(leaving);
}

void OfiConduit::continue_long_sends() {
  for (std::size_t tries = unfinished_longs_.size(); tries != 0; --tries) {
    LeavingLong* const leaving = unfinished_longs_.front();
    unfinished_longs_.pop_front();
    if (!write_pieces(*leaving)) unfinished_longs_.push_back(leaving);
  }
  long_->poll();
  if (chaining_) chaining_->poll();
}

// What comes is put in line; nothing is delivered here.
void OfiConduit::serve() {
  Arrival arrivals[kAtOnce];
  std::size_t arrived = 0;
  progress(arrivals, &arrived);
  for (std::size_t i = 0; i < arrived; ++i) {
    Message& message = arrivals[i].decoded.message;
    if (message.payload != message.destination) parts::place_payload(message);
    keep(arrivals[i]);
  }
}

// The target's side. Requests and replies of a source have their tags from one row.

void OfiConduit::piece_arrived(std::uint32_t data) {
  const RankId source = data >> tag_bits_;
  if (source >= is_touched_.size() || !long_)
    fatal("ofi", "a piece of a long message has come from rank %u, which is none", source);
  ready(long_->payload_came(source, false, data & ((1u << tag_bits_) - 1)));
}

void OfiConduit::envelope_arrived(const Prefix& prefix, const parts::DecodedMessage& decoded) {
  if (long_kind_ != parts::LongProtocolKind::kReassembly || !long_)
    fatal("ofi",
          "rank %u sends long messages in another way: AQUEDUCT_LONG_PROTOCOL must be the same at all ranks",
          prefix.source);
  ArrivedLong& arrived = arrived_longs_.take();
  arrived.source = prefix.source;
  arrived.nonce = prefix.tag;
  arrived.pieces = prefix.pieces;
  arrived.destination = decoded.message.destination;
  arrived.payload_bytes = decoded.message.payload_bytes;
  arrived.credits = decoded.credits;
  arrived.parcel = parcels_.take();
  arrived.parcel->take(prefix.source, decoded.message);
  ready(long_->envelope_came(arrived));
}

// Only now do its credits count: so no tag is used again while it is in use.
void OfiConduit::ready(parts::LongArrival* complete) {
  if (!complete) return;
  auto& arrived = static_cast<ArrivedLong&>(*complete);
  parts::Parcel* const parcel = arrived.parcel;
  if (!credits_.came_back(parcel->source, arrived.credits))
    fatal("ofi", "a message from rank %u is malformed: %s", parcel->source, parts::RequestCredits::kTooMany);
  arrived_longs_.give_back(arrived);
  ++waiting_;
  (parcel->message.is_reply ? replies_ : requests_).push(parcel);
}

}  // namespace aqueduct::conduit::ofi
