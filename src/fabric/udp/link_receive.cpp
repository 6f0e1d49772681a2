// Links: what comes in, and time.
#include <algorithm>

#include "fabric/udp/link.hpp"

namespace aqueduct::fabric::udp {
namespace {

/// How much a link takes for a change of order at most, in packets, and how long it remembers those that it
/// took for lost.
constexpr std::uint64_t kMostReordering = 64;
/// An acknowledgement goes by itself once so much has come.
constexpr unsigned kOwedPackets = 16;  // those that are alike and come together count as one
constexpr std::size_t kOwedBytes = std::size_t{256} << 10;
/// Large datagrams lost in a row, with small ones coming through, before the path is taken to be narrower.
constexpr unsigned kLargeLost = 8;
/// Probes without an answer before a peer may be given up: time alone would also pass while we were stopped.
constexpr unsigned kLeastProbes = 8;
/// How often the wait for a peer's room doubles: an update of it that is lost is asked for within 100 ms.
constexpr unsigned kMostRoomProbes = 8;
/// Probes without an answer before the window begins anew.
constexpr unsigned kSilentProbes = 4;

}  // namespace

bool Link::has_room_for(const Frames& frames) const {
  if (frames.has_messages) {
    const Range part{frames.messages.offset, frames.messages.offset + frames.messages.data.size()};
    if (part.end > released_ + settings_.message_window || !messages_in_.has_room_for(part)) return false;
  }
  return !frames.has_control ||
         control_in_.has_room_for(
             {frames.control.offset, frames.control.offset + frames.control.data.size()});
}

// A datagram with a part that may not be landed is dropped whole, and not acknowledged. `count`: of datagrams
// with parts that name the same place.
bool Link::may_land(const PartFrame& part, unsigned count) {
  const auto memory = [&](const Place& place, std::uint64_t bytes) {
    return owner_.memory_of(peer(), place, bytes);
  };
  switch (arriving_.judge(part, memory)) {
    case ArrivingMessages::Verdict::kGood:
    case ArrivingMessages::Verdict::kOver:
      return true;
    case ArrivingMessages::Verdict::kTooFar:
      counters_.dropped_room += count;
      return false;
    case ArrivingMessages::Verdict::kMalformed:
      counters_.dropped_malformed += count;
      return false;
    case ArrivingMessages::Verdict::kNoPlace:
      counters_.dropped_place += count;
      return false;
  }
  return false;
}

bool Link::receive(std::uint64_t number, const Frames& frames, std::uint64_t now_ns) {
  if (is_dead_) {
    ++counters_.dropped_gone;
    return false;
  }
  if (frames.has_ack && frames.ack.largest >= packets_.next_number()) {
    ++counters_.dropped_malformed;  // it acknowledges what was never sent
    return false;
  }
  if (!has_room_for(frames)) {
    ++counters_.dropped_room;
    return false;
  }
  if (frames.has_part && !may_land(frames.part, 1)) return false;
  ++counters_.datagrams_received;
  const bool is_newest = !received_.has_any() || number > received_.largest();
  const bool shows_gap = received_.add(number);
  if (is_newest) largest_came_ns_ = now_ns;
  if (frames.elicits())
    owe(1, frames.bulk.data.size() + frames.part.data.size(), shows_gap || frames.has_ping, now_ns);
  if (frames.has_ack) take_ack(frames.ack, now_ns);
  if (frames.has_control) take_control(frames.control);
  if (frames.has_messages) take_messages(frames.messages);
  if (frames.has_bulk) take_bulk(frames.bulk);
  if (frames.has_part) take_parts(frames.part, 1, 0);
  return true;
}

void Link::receive_alike(unsigned count, const PartFrame& part, std::size_t stride, std::uint64_t now_ns) {
  if (is_dead_) {
    counters_.dropped_gone += count;
    return;
  }
  if (!may_land(part, count)) return;
  counters_.datagrams_received += count;
  received_.add_next(count);
  largest_came_ns_ = now_ns;
  owe(1, count * part.data.size(), false, now_ns);
  take_parts(part, count, stride);
}

void Link::owe(unsigned packets, std::size_t bytes, bool at_once, std::uint64_t now_ns) {
  if (owed_packets_ == 0) owed_since_ns_ = now_ns;
  owed_packets_ += packets;
  owed_bytes_ += bytes;
  if (at_once || owed_packets_ >= kOwedPackets || owed_bytes_ >= kOwedBytes) owes_now_ = true;
}

void Link::take_messages(const StreamFrame& frame) {
  bool is_malformed = false;
  const auto consume = [&](std::span<const std::byte> bytes) {
    std::size_t used = 0;
    while (used < bytes.size()) {
      MessageRecord record;
      const Decoded decoded = decode_message(bytes.subspan(used), settings_.inline_bytes, &record);
      if (decoded == Decoded::kIncomplete) break;
      if (decoded == Decoded::kMalformed) {
        is_malformed = true;
        return bytes.size();
      }
      ++counters_.messages_received;
      if (record.kind == RecordKind::kLarge) arriving_.skip(record.transfer);
      owner_.message_came(*this, record);
      used += record.bytes;
    }
    return used;
  };
  messages_in_.feed(frame.offset, frame.data, consume, owner_.kept());
  if (!is_malformed) return;
  ++counters_.dropped_malformed;
  fail();
}

void Link::take_control(const StreamFrame& frame) {
  const auto consume = [&](std::span<const std::byte> bytes) {
    std::size_t used = 0;
    for (; used < bytes.size(); used += ControlRecord::kBytes) {
      ControlRecord record;
      const Decoded decoded = decode_control(bytes.subspan(used), &record);
      if (decoded == Decoded::kIncomplete) break;
      if (decoded == Decoded::kWhole) {
        follow(record);
      } else {
        ++counters_.dropped_malformed;
      }
    }
    return used;
  };
  control_in_.feed(frame.offset, frame.data, consume, owner_.kept());
}

void Link::follow(const ControlRecord& record) {
  OutgoingTransfer* const going = transfer(record.transfer);
  if (!going || going->is_going || going->is_over || record.keep_bytes > going->payload_bytes) {
    ++counters_.dropped_malformed;
    return;
  }
  going->is_going = true;
  going->keep_bytes = record.keep_bytes;
  if (record.keep_bytes == 0) finish(*going);
}

void Link::finish(OutgoingTransfer& transfer) {
  transfer.is_over = true;
  --transfers_in_use_;
  give_copy_back(transfer);
  owner_.sent(transfer.cookie);
  while (!transfers_.empty() && transfers_.front().is_over) {
    transfers_.drop_first();
    ++first_transfer_;
  }
}

void Link::give_copy_back(OutgoingTransfer& transfer) {
  if (transfer.is_copied) copied_bytes_ -= transfer.payload_bytes;
  owner_.buffers().give_back(std::move(transfer.copy));
}

void Link::take_bulk(const BulkFrame& frame) {
  const auto landing = std::find_if(landings_.begin(), landings_.end(),
                                    [&](const Landing& one) { return one.transfer == frame.transfer; });
  if (landing == landings_.end()) {
    ++counters_.stale_parts;
    return;
  }
  if (frame.offset + frame.data.size() > landing->keep_bytes) {
    ++counters_.dropped_malformed;
    return;
  }
  landing->received.land(landing->pieces, frame.offset, frame.data);
  if (landing->received.bytes() != landing->keep_bytes) return;
  owner_.landed(landing->cookie, Outcome::kOk);
  std::swap(*landing, landings_.back());
  landings_.pop_back();
  owes_now_ = true;  // its sender waits for the memory
}

void Link::take_parts(const PartFrame& first, unsigned count, std::size_t stride) {
  // A message that was given up while this datagram was taken is over as well.
  const auto nowhere = [](const Place&, std::uint64_t) { return PlacedMemory{}; };
  if (is_dead_ || arriving_.judge(first, nowhere) != ArrivingMessages::Verdict::kGood) {
    counters_.stale_parts += count;
    return;
  }
  ArrivingMessage& message = arriving_.of(first);
  if (!message.is_all_in(first) || !owner_.exchange_received(message.buffer)) {
    message.take(first.offset, {first.data.data(), first.data.size(), stride, count});
    if (!message.is_whole()) return;
  } else {
    message.leave_in(first);
  }
  ++counters_.messages_received;
  owner_.message_placed(*this, message);
  arriving_.end(message);
}

std::uint64_t Link::lost_before() const {
  return largest_acknowledged_ < 2 * kMostReordering ? 0 : largest_acknowledged_ - 2 * kMostReordering;
}

void Link::settle(const SentPackets::Stretch& packets) {
  packets_.set(packets, SentPackets::State::kSettled);
  packets_in_flight_ -= packets.count();
  bytes_in_flight_ -= packets.count() * packets.run.bytes;
}

// A ping without anything else wants an answer, and any answer will do.
void Link::settle_pings() {
  for (std::uint64_t number = packets_.base(); number != packets_.next_number();) {
    const SentPackets::Stretch packets = packets_.stretch(number, packets_.next_number());
    if (packets.state == SentPackets::State::kInFlight && !packets.run.carries_something()) settle(packets);
    number = packets.end;
  }
}

void Link::acknowledge(const SentPackets::Stretch& packets) {
  const SentRun& run = packets.run;
  if (packets.state == SentPackets::State::kWideProbe) {
    largest_ = ceiling_;
    large_lost_ = 0;
    widen_at_ns_ = kNever;
    widen_after_ns_ = settings_.widen_after_ns;
    ++counters_.path_widened;
  } else {
    congestion_.acknowledged(packets.count(), run.bytes, largest_, was_full_);
    if (run.bytes > kSafeDatagram) large_lost_ = 0;
  }
  settle(packets);
  if (run.messages.size() != 0) messages_.acknowledge(run.messages);
  if (run.control.size() != 0) control_.acknowledge(run.control);
  if (run.bulk.size() == 0) return;
  OutgoingTransfer* const going = transfer(run.transfer);
  if (!going || going->is_over) return;
  going->acknowledge(run.bulk_of(packets.begin, packets.end));
  if (going->is_whole()) finish(*going);
}

void Link::take_ack(const AckFrame& ack, std::uint64_t now_ns) {
  if (ack.message_room > message_limit_) {
    message_limit_ = ack.message_room;
    room_probes_ = 0;
  }
  peer_flight_room_ = ack.flight_room;
  std::uint64_t end = ack.largest + 1;  // behind the run
  bool is_news = false;
  for (unsigned i = 0; i < ack.runs && end > packets_.base(); ++i) {
    end -= ack.run[i].gap;
    const std::uint64_t begin = std::max(end - ack.run[i].run, packets_.base());
    for (std::uint64_t number = begin; number < end;) {
      const SentPackets::Stretch packets = packets_.stretch(number, end);
      number = packets.end;
      if (packets.state == SentPackets::State::kSettled) continue;
      silent_since_ns_ = now_ns;
      if (packets.state == SentPackets::State::kLost) {
        // They were only late.
        packets_.set(packets, SentPackets::State::kSettled);
        for (std::uint64_t i = 0; i != packets.count() && reordering_ < kMostReordering; ++i)
          reordering_ = std::min(2 * reordering_, kMostReordering);
        counters_.late += packets.count();
        continue;
      }
      if (packets.end == ack.largest + 1)
        round_trip_.add_sample(now_ns - packets.run.sent_ns, ack.delay * AckFrame::kDelayUnitNs);
      acknowledge(packets);
      is_news = true;
    }
    end -= ack.run[i].run;
  }
  if (!is_news) return;
  if (probes_ != 0) settle_pings();
  probes_ = 0;
  was_full_ = is_held_back();
  if (!has_acknowledged_ || ack.largest > largest_acknowledged_) largest_acknowledged_ = ack.largest;
  has_acknowledged_ = true;
  find_lost(now_ns);
  drop_delivered();
}

void Link::drop_delivered() {
  while (!undelivered_.empty()) {
    const std::span<const Undelivered> all = undelivered_.all();
    const std::uint64_t end = all.size() > 1 ? all[1].begin : messages_.end();
    if (end > messages_.base()) return;
    undelivered_.drop_first();
  }
}

// Those sent before one that has been acknowledged.
void Link::find_lost(std::uint64_t now_ns) {
  loss_deadline_ns_ = kNever;
  const std::uint64_t delay = round_trip_.loss_delay_ns();
  const std::uint64_t end = std::min(largest_acknowledged_, packets_.next_number());
  for (std::uint64_t number = packets_.base(); number < end;) {
    const SentPackets::Stretch packets = packets_.stretch(number, end);
    number = packets.end;
    if (!packets.is_in_flight()) continue;
    const bool are_late = packets.run.sent_ns + delay <= now_ns;
    // Behind those that are lost because of later ones.
    const std::uint64_t lost_end =
        largest_acknowledged_ >= reordering_ ? largest_acknowledged_ - reordering_ + 1 : 0;
    const std::uint64_t middle = are_late ? packets.end : std::clamp(lost_end, packets.begin, packets.end);
    if (middle != packets.begin) lose(packets.part(packets.begin, middle), now_ns);
    if (middle != packets.end) loss_deadline_ns_ = std::min(loss_deadline_ns_, packets.run.sent_ns + delay);
  }
  packets_.drop_settled(lost_before());
}

void Link::lose(const SentPackets::Stretch& packets, std::uint64_t now_ns) {
  settle(packets);
  if (packets.state == SentPackets::State::kWideProbe) return;
  packets_.set(packets, SentPackets::State::kLost);
  counters_.lost += packets.count();
  constexpr std::uint64_t kSlowNs = 1'000'000;
  const bool is_slow = round_trip_.smoothed_ns() > 4 * round_trip_.least_ns() + kSlowNs;
  const bool are_large = packets.run.bytes > kSafeDatagram;
  for (std::uint64_t number = packets.begin; number != packets.end; ++number) {
    owner_.retried(peer(), observe::Retry::kLoss);
    if (congestion_.lost(packets.run.sent_ns, now_ns, is_slow, largest_)) ++counters_.window_cuts;
    if (are_large && ++large_lost_ >= kLargeLost && largest_ > kSafeDatagram) {
      narrow();
      widen_at_ns_ = now_ns + widen_after_ns_;
    }
  }
  requeue(packets);
}

void Link::requeue(const SentPackets::Stretch& packets) {
  const SentRun& run = packets.run;
  if (run.messages.size() != 0) messages_.lose(run.messages);
  if (run.control.size() != 0) control_.lose(run.control);
  if (run.bulk.size() == 0) return;
  OutgoingTransfer* const going = transfer(run.transfer);
  if (going && !going->is_over) going->lose(run.bulk_of(packets.begin, packets.end));
}

void Link::narrow() {
  largest_ = std::min(ceiling_, kSafeDatagram);
  large_lost_ = 0;
  ++counters_.path_narrowed;
}

void Link::set_ceiling(std::size_t largest_datagram) {
  if (largest_datagram == ceiling_) return;
  if (largest_datagram < largest_) ++counters_.path_narrowed;
  if (largest_ == ceiling_ || largest_ > largest_datagram) largest_ = largest_datagram;
  ceiling_ = largest_datagram;
}

// The second case: blocked by the receiver's window, whose update may be lost.
bool Link::awaits_something() const {
  return packets_in_flight_ != 0 ||
         (messages_.unsent() != 0 && messages_.end() - messages_.unsent() >= message_limit_);
}

std::uint64_t Link::deadline_ns() const {
  if (is_dead_) return kNever;
  std::uint64_t deadline = packets_in_flight_ != 0 ? std::min(loss_deadline_ns_, widen_at_ns_) : kNever;
  if (owed_packets_ != 0) deadline = std::min(deadline, owed_since_ns_ + kAckDelayNs);
  if (awaits_something()) deadline = std::min(deadline, probe_at_ns());
  return deadline;
}

void Link::tick(std::uint64_t now_ns) {
  if (is_dead_) return;
  if (now_ns >= loss_deadline_ns_) find_lost(now_ns);
  if (!awaits_something() || now_ns < probe_at_ns()) return;
  if (settings_.give_up_ns != 0 && probes_ >= kLeastProbes &&
      now_ns - silent_since_ns_ >= settings_.give_up_ns) {
    ++counters_.timeouts;
    return fail();
  }
  probe(now_ns);
}

void Link::probe(std::uint64_t now_ns) {
  ++counters_.probes;
  owner_.retried(peer(), observe::Retry::kTimeout);
  ++probes_;
  if (packets_in_flight_ == 0) {
    ++counters_.room_closed;
    room_probes_ = std::min(room_probes_ + 1, kMostRoomProbes);
    if (probes_ == 1) silent_since_ns_ = now_ns;
  }
  if (probes_ == kSilentProbes) congestion_.silent(now_ns, largest_);
  last_sent_ns_ = now_ns;
  // At times one or two more datagrams follow, which carry nothing: should it be the size that does not come
  // through. A die decides, because steps that repeat could keep time with a path that loses every second
  // datagram: that would always be the one that matters, or its answer where answers take the same path, as
  // those of a node to itself do.
  small_probes_ = roll() % 3;
  may_probe_ = 1 + small_probes_;
  for (std::uint64_t number = packets_.base(); number != packets_.next_number();) {
    const SentPackets::Stretch packets = packets_.stretch(number, packets_.next_number());
    number = packets.end;
    if (packets.state != SentPackets::State::kInFlight || !packets.run.carries_something()) continue;
    requeue(packets.part(packets.begin, packets.begin + 1));
    return;
  }
}

void Link::release_memory() {
  messages_.release_memory();
  control_.release_memory();
  transfers_.release_memory();
  packets_.release_memory();
  messages_in_.release_memory();
  control_in_.release_memory();
  arriving_.release_memory();
  undelivered_.release_memory();
  if (landings_.empty()) landings_ = std::vector<Landing>();
}

std::size_t Link::memory_bytes() const {
  return messages_.memory_bytes() + control_.memory_bytes() + transfers_.memory_bytes() +
         packets_.memory_bytes() + messages_in_.memory_bytes() + control_in_.memory_bytes() +
         arriving_.memory_bytes() + undelivered_.memory_bytes() + landings_.capacity() * sizeof(Landing);
}

// What waits to be sent, what came early, what is in flight, and copies of payloads.
std::size_t Link::most_bytes(const LinkSettings& settings) {
  return 2 * settings.message_window + SentPackets::most_bytes() + settings.most_copied +
         settings.most_transfers * sizeof(OutgoingTransfer);
}

void Link::fail() {
  if (is_dead_) return;
  is_dead_ = true;
  for (const Undelivered& message : undelivered_.all()) {
    std::byte head[MessageRecord::kInlineHeadBytes + kMaxHeader];
    messages_.copy_out({message.begin, std::min(messages_.end(), message.begin + sizeof head)}, head);
    const auto header_bytes = static_cast<std::size_t>(head[1]);
    owner_.undeliverable(peer(), message.cookie, {head + MessageRecord::kInlineHeadBytes, header_bytes});
  }
  undelivered_.clear();
  for (std::size_t i = 0; i < transfers_.size(); ++i) {
    OutgoingTransfer& transfer = transfers_[i];
    if (transfer.is_over) continue;
    give_copy_back(transfer);
    owner_.sent(transfer.cookie);
    owner_.undeliverable(peer(), transfer.cookie, transfer.header);
  }
  transfers_.clear();
  transfers_in_use_ = 0;
  held_bytes_ = 0;
  for (const Landing& landing : landings_) owner_.landed(landing.cookie, Outcome::kFailed);
  landings_.clear();
  arriving_.abandon([&](ArrivingMessage& message) { owner_.abandoned(message); });
  packets_in_flight_ = 0;
  bytes_in_flight_ = 0;
  owner_.lost(peer());
}

}  // namespace aqueduct::fabric::udp
