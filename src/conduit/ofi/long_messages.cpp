#include "conduit/ofi/long_messages.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/env.hpp"
#include "base/fatal.hpp"
#include "conduit/ofi/messages.hpp"

namespace aqueduct::conduit::ofi {
namespace {

// Of the data that a write tells its target: a rank, and the message's number among those of that rank.
unsigned tag_bits(RankId ranks) {
  return std::min(16u, 32u - static_cast<unsigned>(std::bit_width(ranks - 1)));
}

}  // namespace

Longs::Longs(Endpoint& endpoint, Messages& messages, std::function<void()> serve)
    : endpoint_(endpoint),
      messages_(messages),
      serve_(std::move(serve)),
      tag_bits_(tag_bits(endpoint.ranks)) {
  const Properties& properties = endpoint.properties();
  endpoint.network.tell_of_remote_writes(*this);
  if (!properties.writes_longs() && !env::text({"AQUEDUCT_LONG_PROTOCOL"})) return;
  kind_ = parts::choose_long_protocol("ofi", properties.long_abilities());
  protocol_ = parts::make_long_protocol(kind_, *this);
}

Post Longs::send(RankId target, parts::AmKind kind, const Message& message, unsigned credits) {
  Leaving& leaving = leaving_.take();
  parts::LongProtocol& protocol = protocol_of_sends();
  leaving.set(target, message, next_tag_[target]++ & ((1u << tag_bits_) - 1));
  leaving.local = {};
  leaving.local.protocol = &protocol;
  std::byte* const header = leaving.envelope.header;
  leaving.envelope.bytes = static_cast<std::uint32_t>(
      parts::encode_header(header + sizeof(Prefix), kind, message, credits) - header);
  if (protocol.start(leaving) == Post::kDone) return Post::kDone;
  leaving_.give_back(leaving);
  return Post::kRetry;
}

// Some providers have room for data of writes and refuse those that have them.
parts::LongProtocol& Longs::protocol_of_sends() {
  if (kind_ != parts::LongProtocolKind::kReassembly || endpoint_.properties().completion_data) [[likely]]
    return *protocol_;
  if (!chaining_) chaining_ = parts::make_long_protocol(parts::LongProtocolKind::kAsyncChaining, *this);
  return *chaining_;
}

parts::PayloadPut Longs::put_payload(parts::LongSend& send, parts::PutReport report) {
  Leaving& leaving = Leaving::of(send);
  const auto source = reinterpret_cast<std::uintptr_t>(send.payload);
  const bool must_register = endpoint_.properties().local_registration;
  fid_mr* const registration = must_register ? endpoint_.segments.local(source, send.payload_bytes) : nullptr;
  const bool are_copied = must_register && !registration;
  leaving.local.report = report;
  leaving.local.are_copied = are_copied;
  const std::size_t most = are_copied
                               ? endpoint_.limits.max_long / Settings::kMostPieces
                               : std::min(endpoint_.properties().max_message_bytes, send.payload_bytes);
  send.pieces = static_cast<std::uint16_t>((send.payload_bytes + most - 1) / most);
  const unsigned spare = send.is_reply ? 0 : SendBuffers::kLargeForReplies;
  if (are_copied && endpoint_.sends.large.free() < send.pieces + spare) {
    endpoint_.receiver.lacks(observe::Retry::kBuffers);
    return parts::PayloadPut::kRetry;
  }
  make_pieces(leaving, most, registration);
  if (!write_pieces(leaving)) {
    // That the target cannot be told is found out by trying.
    if (report == parts::PutReport::kTellTarget && leaving.local.under_way == 0) {
      abandon_pieces(leaving);
      return parts::PayloadPut::kRetry;
    }
    unfinished_.push_back(&leaving);
  }
  return are_copied ? parts::PayloadPut::kHasLeft : parts::PayloadPut::kBegun;
}

void Longs::make_pieces(Leaving& leaving, std::size_t most, fid_mr* registration) {
  const auto* const payload = static_cast<const std::byte*>(leaving.payload);
  for (unsigned i = leaving.pieces; i-- > 0;) {
    const std::size_t offset = i * most;
    const std::size_t bytes = std::min(most, leaving.payload_bytes - offset);
    Piece& piece = pieces_.take();
    piece.handler = this;
    piece.whole = &leaving;
    piece.destination = reinterpret_cast<std::uintptr_t>(leaving.destination) + offset;
    piece.copy = leaving.local.are_copied ? endpoint_.sends.large.take(0) : nullptr;
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
bool Longs::write_pieces(Leaving& leaving) {
  while (Piece* const piece = leaving.local.unsent) {
    Piece* const following = piece->next;
    const RemoteMemory to = endpoint_.segments.remote(leaving.target, piece->destination);
    const auto data = static_cast<std::uint32_t>(endpoint_.self << tag_bits_ | leaving.nonce);
    const Post post =
        leaving.local.report == parts::PutReport::kTellTarget
            ? endpoint_.network.write_and_tell(leaving.target, piece->from, to, data, *piece)
            : endpoint_.network.write(leaving.target, piece->from, to,
                                      leaving.local.report == parts::PutReport::kLanded, *piece);
    if (post == Post::kRetry) return false;
    leaving.local.unsent = following;
    ++leaving.local.under_way;
  }
  return true;
}

void Longs::abandon_pieces(Leaving& leaving) {
  while (Piece* const piece = leaving.local.unsent) {
    leaving.local.unsent = piece->next;
    if (piece->copy) piece->copy->give_back();
    pieces_.give_back(*piece);
  }
}

// Where writes and messages are in order, the envelope is behind all of its pieces.
Post Longs::send_envelope(parts::LongSend& send) {
  Leaving& leaving = Leaving::of(send);
  const bool tells = leaving.local.report == parts::PutReport::kTellTarget;
  if (leaving.local.unsent && !tells) return Post::kRetry;
  const Prefix prefix{endpoint_.self, static_cast<std::uint16_t>(send.nonce),
                      tells ? send.pieces : Prefix::kArrived};
  std::memcpy(leaving.envelope.header, &prefix, sizeof prefix);
  return messages_.send_bytes(send.target, leaving.envelope.header, leaving.envelope.bytes);
}

void Longs::completed(Operation& operation, const Completion&) {
  auto& piece = static_cast<Piece&>(operation);
  Leaving& whole = *piece.whole;
  if (piece.copy) piece.copy->give_back();
  pieces_.give_back(piece);
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

void Longs::finished(parts::LongSend& send) {
  Leaving& leaving = Leaving::of(send);
  leaving.local.is_finished = true;
  retire_if_over(leaving);
}

// Neither protocol nor network need it any more.
void Longs::retire_if_over(Leaving& leaving) {
  if (!leaving.local.is_finished || leaving.local.under_way != 0 || leaving.local.unsent) return;
  leaving_.give_back(leaving);
}

void Longs::proceed() {
  if (!has_unfinished()) return;
  for (std::size_t tries = unfinished_.size(); tries != 0; --tries) {
    Leaving* const leaving = unfinished_.front();
    unfinished_.pop_front();
    if (!write_pieces(*leaving)) unfinished_.push_back(leaving);
  }
  protocol_->poll();
  if (chaining_) chaining_->poll();
}

bool Longs::has_unsent() const {
  return !unfinished_.empty() || (protocol_ && protocol_->has_unsent()) ||
         (chaining_ && chaining_->has_unsent());
}

// The target's side. Requests and replies of a source have their tags from one row.

void Longs::written(std::uint32_t data) {
  const RankId source = data >> tag_bits_;
  if (source >= endpoint_.ranks || !protocol_)
    fatal("ofi", "a piece of a long message has come from rank %u, which is none", source);
  parts::LongArrival* const complete = protocol_->payload_came(source, false, data & ((1u << tag_bits_) - 1));
  if (complete) messages_.ready(static_cast<ArrivedLong&>(*complete));
}

ArrivedLong* Longs::envelope_came(const Prefix& prefix, const parts::DecodedMessage& decoded,
                                  parts::Parcel& parcel) {
  if (kind_ != parts::LongProtocolKind::kReassembly || !protocol_)
    fatal("ofi",
          "rank %u sends long messages in another way: AQUEDUCT_LONG_PROTOCOL must be the same at all ranks",
          prefix.source);
  ArrivedLong& arrived = arrived_.take();
  arrived.source = prefix.source;
  arrived.nonce = prefix.tag;
  arrived.pieces = prefix.pieces;
  arrived.destination = decoded.message.destination;
  arrived.payload_bytes = decoded.message.payload_bytes;
  arrived.credits = decoded.credits;
  arrived.parcel = &parcel;
  parcel.take(prefix.source, decoded.message);
  return static_cast<ArrivedLong*>(protocol_->envelope_came(arrived));
}

}  // namespace aqueduct::conduit::ofi
