#include "fabric/udp/peer.hpp"

#include <cstring>
#include <utility>

namespace aqueduct::fabric::udp {

UdpPort::Peer::Peer(UdpPort& of, NodeId node, std::size_t largest_datagram, std::uint32_t flight_room)
    : port(of),
      link(of.setup_.links, Link::Names{of.setup_.job, of.setup_.plane, of.setup_.self, node},
           largest_datagram, flight_room, *this, counters) {}

UdpPort::Peer::~Peer() { delete left.load(std::memory_order_relaxed); }

LeftMessages& UdpPort::Peer::left_messages() {
  if (LeftMessages* const known = known_left()) return *known;
  LeftMessages* const made = new LeftMessages;
  LeftMessages* known = nullptr;
  if (left.compare_exchange_strong(known, made, std::memory_order_acq_rel)) return *made;
  delete made;
  return *known;
}

PeerMemory peer_memory(const LinkSettings& links) {
  PeerMemory memory;
  memory.silent = sizeof(std::atomic<void*>) + PeerTable::kPeerBytes;
  memory.known = memory.silent + UdpPort::peer_bytes();
  memory.busy = memory.known + Link::most_bytes(links) + LeftMessages::most_bytes();
  return memory;
}

void UdpPort::Peer::report(Report report) {
  if (has_turn) {
    port.reports_.add(std::move(report));
  } else {
    port.reports_.post(std::move(report));
  }
}

// Messages come in a look alone.
WaitingArrival& UdpPort::Peer::new_arrival() {
  WaitingArrival& waiting = port.arrivals_.take();
  waiting.is_answered = false;
  waiting.source = link.peer();
  port.reports_.add({.kind = Report::Kind::kArrived, .node = link.peer(), .arrival = &waiting, .header = {}});
  return waiting;
}

void UdpPort::Peer::message_came(Link&, const MessageRecord& record) {
  WaitingArrival& waiting = new_arrival();
  waiting.is_borrowed = record.kind == RecordKind::kInline && record.payload_bytes != 0;
  waiting.kind = record.kind;
  waiting.transfer = record.transfer;
  waiting.payload_bytes = record.payload_bytes;
  waiting.header = record.header;
  waiting.payload = record.payload;
  waiting.record_bytes = record.bytes;
}

void UdpPort::Peer::message_placed(Link&, ArrivingMessage& message) {
  if (message.place.kind == Place::Kind::kPosted) port.places_.withdraw(message.place.at);
  WaitingArrival& waiting = new_arrival();
  waiting.is_borrowed = false;
  waiting.buffer = std::move(message.buffer);
  waiting.kind = RecordKind::kInline;
  waiting.payload_bytes = message.payload_bytes;
  std::memcpy(waiting.own_header.data(), message.header.data(), message.header_bytes);
  waiting.header = {waiting.own_header.data(), message.header_bytes};
  waiting.payload = message.payload;
  waiting.record_bytes = 0;
}

void UdpPort::Peer::landed(std::uint64_t cookie, Outcome outcome) {
  report({.kind = Report::Kind::kLanded, .outcome = outcome, .cookie = cookie, .header = {}});
}

void UdpPort::Peer::sent(std::uint64_t cookie) {
  if (cookie == kNoReport) return;
  report({.kind = Report::Kind::kSent, .cookie = cookie, .header = {}});
}

void UdpPort::Peer::undeliverable(NodeId peer, std::uint64_t cookie, std::span<const std::byte> header) {
  report({.kind = Report::Kind::kUndeliverable,
          .node = peer,
          .cookie = cookie,
          .header = {header.begin(), header.end()}});
}

void UdpPort::Peer::lost(NodeId peer) {
  report({.kind = Report::Kind::kLost, .node = peer, .header = {}});
  forget_unsent();  // it may refer to memory that is the client's again
}

void UdpPort::Peer::keep_unsent(std::unique_ptr<SendBatch> batch) {
  unsent = std::move(batch);
  port.full_.fetch_add(1, std::memory_order_relaxed);
}

void UdpPort::Peer::forget_unsent() {
  if (!unsent) return;
  unsent.reset();
  port.full_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace aqueduct::fabric::udp
