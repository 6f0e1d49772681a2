// Links: what goes out.
#include <algorithm>
#include <cstring>

#include "fabric/udp/link.hpp"

namespace aqueduct::fabric::udp {
namespace {

/// A datagram with so many bytes of messages is full enough.
constexpr std::size_t kFullOfMessages = std::size_t{16} << 10;
/// Answers may always be written: one for each payload that the peer may have on its way, and one more round.
constexpr std::size_t kControlBytes = std::size_t{64} << 10;
constexpr std::size_t kUsualAckBytes = AckFrame::bytes_for(1);
constexpr std::size_t kFirstFlightRoom = std::size_t{256} << 10;

}  // namespace

Link::Link(const LinkSettings& settings, const Names& names, std::size_t largest_datagram,
           std::uint32_t flight_room, LinkOwner& owner, Counters& counters)
    : settings_(settings),
      names_(names),
      owner_(owner),
      counters_(counters),
      messages_(settings.message_window),
      control_(kControlBytes),
      message_limit_(settings.message_window),
      peer_flight_room_(kFirstFlightRoom),
      ceiling_(largest_datagram),
      largest_(largest_datagram),
      widen_after_ns_(settings.widen_after_ns),
      messages_in_(settings.message_window),
      control_in_(kControlBytes),
      flight_room_(flight_room) {
  die_ = 1 + (names.self * 0x9e3779b9u + names.peer) % 0x7fff'fffe;
}

bool Link::send(std::span<const std::byte> header, std::span<const Piece> payload, std::size_t payload_bytes,
                const Place* place, Release release, std::uint64_t cookie) {
  if (is_dead_) {
    owner_.sent(cookie);
    owner_.undeliverable(peer(), cookie, header);
    return true;
  }
  const bool is_large = payload_bytes > settings_.inline_bytes;
  const bool may_go_beside =
      may_begin_transfer() && (!place || release == Release::kWhenSent || may_copy(payload_bytes));
  if (is_large && !may_go_beside) return false;
  const bool is_beside =
      place && (is_large || (payload_bytes > settings_.beside_bytes && may_go_beside && is_little_used()));
  if (is_beside) {
    send_beside(header, payload, payload_bytes, *place, release, cookie);
    return true;
  }
  std::byte head[MessageRecord::kLargeHeadBytes];
  std::size_t head_bytes = 0;
  if (is_large) {
    head_bytes = write_large_head(
        head, header.size(), first_transfer_ + static_cast<std::uint32_t>(transfers_.size()), payload_bytes);
    if (messages_.room() < head_bytes + header.size()) return false;
    begin_transfer(header, payload_bytes, cookie).pieces.assign(payload.begin(), payload.end());
  } else {
    head_bytes = write_inline_head(head, header.size(), payload_bytes);
    if (messages_.room() < head_bytes + header.size() + payload_bytes) return false;
    undelivered_.add({messages_.end(), cookie});
  }
  if (messages_.unsent() != 0) ++counters_.shared;
  ++counters_.messages_sent;
  messages_.append(head, head_bytes);
  messages_.append(header.data(), header.size());
  if (!is_large) {
    for (const Piece& piece : payload)
      messages_.append(static_cast<const std::byte*>(piece.base), piece.bytes);
    owner_.sent(cookie);  // another thread may report it at once
  }
  return true;
}

void Link::send_beside(std::span<const std::byte> header, std::span<const Piece> payload,
                       std::size_t payload_bytes, const Place& place, Release release, std::uint64_t cookie) {
  OutgoingTransfer& transfer = begin_transfer(header, payload_bytes, cookie);
  transfer.is_going = transfer.is_placed = true;
  transfer.is_copied = release == Release::kAtReturn;
  if (transfer.is_copied) copied_bytes_ += payload_bytes;
  transfer.place = place;
  transfer.keep_bytes = header.size() + payload_bytes;
  transfer.pieces.reserve(1 + payload.size());
  transfer.pieces.push_back({transfer.header.data(), transfer.header.size()});
  transfer.pieces.insert(transfer.pieces.end(), payload.begin(), payload.end());
  hold(transfer);
  ++counters_.messages_sent;
  ++counters_.placed;
}

// One that does not wait takes those along that do.
void Link::hold(OutgoingTransfer& transfer) {
  const std::size_t bytes = kPacketHeadBytes + kUsualAckBytes + PartFrame::kFixedBytes +
                            static_cast<std::size_t>(transfer.keep_bytes);
  const bool may_wait = packets_in_flight_ >= kFewInFlight && bytes <= largest_ && 2 * bytes <= kCutAtOnce;
  if (may_wait) {
    ++counters_.held;
    transfer.is_held = true;
    held_bytes_ += bytes;
  }
  if (held_bytes_ != 0 && (!may_wait || held_bytes_ + bytes > kCutAtOnce)) let_held_go();
}

void Link::let_held_go() {
  for (std::size_t i = 0; i < transfers_.size(); ++i) transfers_[i].is_held = false;
  held_bytes_ = 0;
}

void Link::release_payload() {
  if (transfers_.empty()) return;
  OutgoingTransfer& transfer = transfers_.back();
  if (!transfer.is_copied || transfer.copy) return;
  ++counters_.copied;
  transfer.copy = owner_.buffers().take();
  std::byte* to = transfer.copy.get();
  for (const Piece& piece : std::span(transfer.pieces).subspan(1)) {
    std::memcpy(to, piece.base, piece.bytes);
    owner_.moved(piece, to);
    to += piece.bytes;
  }
  transfer.pieces.resize(1);
  transfer.pieces.push_back({transfer.copy.get(), static_cast<std::size_t>(transfer.payload_bytes)});
}

OutgoingTransfer& Link::begin_transfer(std::span<const std::byte> header, std::uint64_t payload_bytes,
                                       std::uint64_t cookie) {
  OutgoingTransfer& transfer = transfers_.add();
  transfer.cookie = cookie;
  transfer.payload_bytes = payload_bytes;
  transfer.header.assign(header.begin(), header.end());
  ++transfers_in_use_;
  return transfer;
}

void Link::accept(std::uint32_t transfer, std::span<const Piece> where, std::uint64_t keep_bytes,
                  std::uint64_t cookie) {
  if (is_dead_) {
    if (keep_bytes != 0) owner_.landed(cookie, Outcome::kFailed);
    return;
  }
  std::byte record[ControlRecord::kBytes];
  control_.append(record, write_control(record, {transfer, keep_bytes}));
  if (keep_bytes == 0) return;
  Landing& landing = landings_.emplace_back();
  landing.transfer = transfer;
  landing.keep_bytes = keep_bytes;
  landing.cookie = cookie;
  landing.pieces.assign(where.begin(), where.end());
}

void Link::release(std::size_t record_bytes) {
  released_ += record_bytes;
  // A sender that is short of room hears of it at once.
  if (released_ - advertised_ >= settings_.message_window / 4) owes_now_ = true;
}

bool Link::window_is_open() const {
  if (packets_.is_full()) return false;
  return packets_in_flight_ == 0 || bytes_in_flight_ < std::min(congestion_.window(), peer_flight_room_);
}

bool Link::has_lost_something() const { return messages_.has_lost() || control_.has_lost(); }

bool Link::message_may_go(bool flush) const {
  const std::uint64_t unsent = messages_.unsent();
  if (unsent == 0 || messages_.end() - unsent >= message_limit_) return false;
  return flush || packets_in_flight_ < kFewInFlight || unsent >= std::min(largest_, kFullOfMessages);
}

std::size_t Link::next_transfer() const {
  for (std::size_t i = 0; i < transfers_.size(); ++i) {
    if (transfers_[i].has_work()) return i;
  }
  return kNoTransfer;
}

bool Link::wants_wide_probe(std::uint64_t now_ns) const {
  return now_ns >= widen_at_ns_ && packets_in_flight_ != 0 && !packets_.is_full();
}

bool Link::wants_to_send(std::uint64_t now_ns, bool flush) {
  if (is_dead_) return false;
  if (held_bytes_ != 0 && (flush || packets_in_flight_ < kFewInFlight)) let_held_go();
  if (owes_now_ || may_probe_ != 0 || (owed_packets_ != 0 && now_ns - owed_since_ns_ >= kAckDelayNs))
    return true;
  const bool has_data = control_.unsent() != 0 || has_lost_something() || message_may_go(flush) ||
                        next_transfer() != kNoTransfer;
  return (has_data && window_is_open()) || wants_wide_probe(now_ns);
}

std::size_t Link::add_ack(std::byte* at, std::size_t room, std::uint64_t now_ns) {
  AckFrame ack;
  received_.report(&ack, (room - AckFrame::kFixedBytes) / sizeof(AckRun));
  ack.message_room = released_ + settings_.message_window;
  ack.flight_room = flight_room_;
  ack.delay = static_cast<std::uint16_t>(
      std::min<std::uint64_t>((now_ns - largest_came_ns_) / AckFrame::kDelayUnitNs, 0xffff));
  advertised_ = released_;
  owed_packets_ = 0;
  owed_bytes_ = 0;
  owes_now_ = false;
  return static_cast<std::size_t>(write_ack(at, ack) - at);
}

std::size_t Link::add_stream(SendStream& stream, FrameType type, std::uint64_t limit, std::byte* at,
                             std::size_t room, Range* range) {
  if (room <= StreamFrame::kFixedBytes) return 0;
  const bool goes_again = stream.has_lost();
  *range = stream.take(room - StreamFrame::kFixedBytes, limit);
  if (range->size() == 0) return 0;
  if (goes_again) ++counters_.retransmitted;
  stream.copy_out(*range, write_stream(at, type, range->begin, static_cast<std::size_t>(range->size())));
  return StreamFrame::kFixedBytes + static_cast<std::size_t>(range->size());
}

// A payload that lands in a buffer of the target's begins in its datagram where a client can use it: the
// target's port may leave it there.
std::size_t Link::padding_before(const OutgoingTransfer& transfer, std::size_t bytes_before) const {
  if (!transfer.is_placed || transfer.place.kind != Place::Kind::kBuffer || transfer.begins_at() != 0)
    return 0;
  return -(bytes_before + transfer.header.size()) % PartFrame::kPayloadAlignment;
}

std::size_t Link::add_bulk(std::size_t used, std::byte* at, std::size_t room, SentRun* packet,
                           BuiltDatagram* built) {
  const std::size_t index = next_transfer();
  if (index == kNoTransfer) return 0;
  OutgoingTransfer& transfer = transfers_[index];
  const std::size_t head = transfer.is_placed ? PartFrame::kFixedBytes : BulkFrame::kFixedBytes;
  const std::size_t padding = padding_before(transfer, used + head);
  const std::size_t fixed = head + padding;
  if (room <= fixed) return 0;
  if (!transfer.lost.empty()) ++counters_.retransmitted;
  packet->bulk = transfer.take(room - fixed);
  packet->transfer = first_transfer_ + static_cast<std::uint32_t>(index);
  built->pieces = transfer.pieces;
  built->part = packet->bulk;
  // The last of a burst asks for an acknowledgement; that of a message which names its place asks only where
  // more must wait: mostly it has an answer, which the acknowledgement travels with.
  const auto bytes = static_cast<std::size_t>(packet->bulk.size());
  const bool asks =
      fills_window() || may_probe_ != 0 || (!transfer.is_placed && next_transfer() == kNoTransfer);
  if (transfer.is_placed) {
    const auto header_bytes = static_cast<std::uint8_t>(transfer.header.size());
    write_part(
        at, {packet->transfer, packet->bulk.begin, transfer.payload_bytes, transfer.place, header_bytes, {}},
        bytes, asks, padding);
  } else {
    write_bulk(at, packet->transfer, packet->bulk.begin, bytes, asks);
  }
  return fixed;
}

// Most datagrams of a large payload differ from the one before in their number and their offset alone.
void Link::keep_alike(const std::byte* begin, const SentRun& packet, BuiltDatagram* built) const {
  built->alike_bytes = 0;
  if (built->bytes > BuiltDatagram::kMostAlike || built->whole_bytes() != largest_ || may_probe_ != 0 ||
      packet.bulk.size() == 0 || packet.messages.size() + packet.control.size() != 0 ||
      built->part_at + PartFrame::kFixedBytes != built->bytes || fills_window())
    return;
  built->transfer = packet.transfer;
  std::copy_n(begin, built->bytes, built->alike.begin());
  built->alike_bytes = built->bytes;
}

unsigned Link::build_alike(std::uint64_t now_ns, unsigned most, BuiltDatagram* built) {
  if (built->alike_bytes == 0 || fills_window()) return 0;
  const std::size_t index = next_transfer();
  if (index == kNoTransfer || first_transfer_ + static_cast<std::uint32_t>(index) != built->transfer)
    return 0;
  OutgoingTransfer& transfer = transfers_[index];
  const bool may_follow = transfer.lost.empty() && transfer.next == packets_.last().bulk_end() &&
                          control_.unsent() == 0 && messages_.unsent() == 0 && !has_lost_something() &&
                          may_probe_ == 0 && owed_packets_ == 0 && !owes_now_ && !wants_wide_probe(now_ns);
  if (!may_follow) return 0;
  // None of them is the one that fills the window.
  const std::size_t bytes = built->whole_bytes();
  const std::uint64_t in_window = (window() - bytes_in_flight_ - largest_ - 1) / bytes + 1;
  const std::uint64_t in_payload = (transfer.keep_bytes - transfer.next) / built->part.size();
  const auto count =
      static_cast<unsigned>(std::min({std::uint64_t{most}, in_window, in_payload, packets_.room()}));
  if (count == 0) return 0;
  const std::uint64_t part_bytes = built->part.size();
  const Range taken = transfer.take(count * part_bytes);
  built->number = packets_.next_number();
  built->part = {taken.begin, taken.begin + part_bytes};
  packets_.add_alike(count);
  takes_off(count, bytes, now_ns);
  return count;
}

void Link::build(std::uint64_t now_ns, std::byte* to, BuiltDatagram* built) {
  const bool is_probe = may_probe_ != 0;
  const bool is_small = is_probe && may_probe_ <= small_probes_;
  const bool is_wide = !is_probe && wants_wide_probe(now_ns);
  const bool may_carry = (window_is_open() || is_probe) && !is_small && !is_wide;
  const std::size_t most = largest_;
  SentRun packet;
  SentPackets::State state = SentPackets::State::kSettled;
  packet.first = built->number = packets_.next_number();
  packet.count = 1;
  packet.sent_ns = now_ns;
  built->pieces = {};
  built->part = {};
  std::byte* at = write_head(to, {kPacketVersion, static_cast<std::uint8_t>(names_.plane), 0, names_.job,
                                  names_.self, names_.peer, built->number});
  const auto room = [&] { return most - static_cast<std::size_t>(at - to); };
  const bool repeats_ack = built->has_ack && may_carry && next_transfer() != kNoTransfer;
  const bool has_ack = received_.has_any() && (owed_packets_ != 0 || owes_now_ || repeats_ack);
  built->has_ack = has_ack;
  if (has_ack) at += add_ack(at, std::min<std::size_t>(room(), kSafeDatagram / 2), now_ns);
  bool elicits = false;
  if (may_carry) {
    at += add_stream(control_, FrameType::kControl, kNever, at, room(), &packet.control);
    at += add_stream(messages_, FrameType::kMessages, message_limit_, at, room(), &packet.messages);
    built->part_at = static_cast<std::size_t>(at - to);
    at += add_bulk(built->part_at, at, room(), &packet, built);
    elicits = packet.control.size() + packet.messages.size() + packet.bulk.size() != 0;
  }
  if (may_carry || is_small) {
    if (is_probe) --may_probe_;
    if ((is_probe || (!elicits && !has_ack)) && packet.bulk.size() == 0 && room() != 0) {
      at = write_ping(at);
      elicits = true;
    }
  }
  if (is_wide) {
    at = write_ping(at);
    std::memset(at, 0, ceiling_ - static_cast<std::size_t>(at - to));
    at = to + ceiling_;
    state = SentPackets::State::kWideProbe;
    widen_after_ns_ *= 2;
    widen_at_ns_ = now_ns + widen_after_ns_;
  } else if (elicits) {
    state = SentPackets::State::kInFlight;
  } else {
    ++counters_.acks_alone;
  }
  built->bytes = static_cast<std::size_t>(at - to);
  write_size(to, built->whole_bytes());
  packet.bytes = static_cast<std::uint32_t>(built->whole_bytes());
  packets_.add(packet, state);
  if (state == SentPackets::State::kSettled) {
    ++counters_.datagrams_sent;
    packets_.drop_settled(lost_before());
  } else {
    takes_off(1, packet.bytes, now_ns);
  }
  keep_alike(to, packet, built);
}

void Link::takes_off(std::uint32_t count, std::size_t bytes, std::uint64_t now_ns) {
  if (packets_in_flight_ == 0) silent_since_ns_ = now_ns;
  packets_in_flight_ += count;
  bytes_in_flight_ += count * bytes;
  last_sent_ns_ = now_ns;
  counters_.datagrams_sent += count;
}

}  // namespace aqueduct::fabric::udp
