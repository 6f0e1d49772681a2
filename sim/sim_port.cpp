#include "sim/sim_port.hpp"

#include <bit>
#include <utility>

namespace aqueduct::sim {
namespace {

/// How often one is doubled until it is `count` at least.
unsigned doublings(std::size_t count) {
  return count > 1 ? static_cast<unsigned>(std::bit_width(count - 1)) : 0;
}

}  // namespace

fabric::Traits SimPort::traits() const {
  const NetworkModel& model = network_.model();
  return {static_cast<fabric::NodeId>(network_.ports_.size()), model.ordered, model.inline_bytes, 0};
}

unsigned SimPort::distance(fabric::NodeId port) const {
  return network_.topology_.distance(network_.node_of(self_), network_.node_of(port));
}

fabric::Post SimPort::send(fabric::NodeId target, std::span<const std::byte> header,
                           std::span<const fabric::Piece> payload, std::uint64_t cookie) {
  const PortCosts& costs = network_.port_costs_;
  if (!costs.send && !costs.sent && !costs.other_peer)
    return network_.send(*this, target, header, payload, cookie);
  std::size_t bytes = 0;
  for (const fabric::Piece& piece : payload) bytes += piece.bytes;
  sends_ = true;
  pay(costs.send, bytes);
  pay_for_other_peer(target, last_target_, sent_to_other_);
  const fabric::Post post = network_.send(*this, target, header, payload, cookie);
  pay(costs.sent);
  sends_ = false;
  return post;
}

// A rank that has left pays no more, and neither do events.
void SimPort::pay(std::optional<CostId> cost, std::size_t bytes, unsigned times) {
  if (cost && times != 0 && reports_wait_ && Fiber::current())
    network_.simulation_.host(self_).charge(*cost, bytes, times);
}

void SimPort::pay_for_other_peer(fabric::NodeId peer, fabric::NodeId& last, bool& has_paid) {
  const std::optional<CostId> cost = network_.port_costs_.other_peer;
  const unsigned times = doublings(lanes_.size());
  if (cost && std::exchange(last, peer) != peer && times != 0 && !std::exchange(has_paid, true))
    pay(cost, 0, times);
}

void SimPort::report(const Report& report) {
  Host& host = network_.simulation_.host(self_);
  if (host.crashed()) {
    if (report.message) network_.release(*report.message);
    return;
  }
  if (reports_wait_) {
    reports_.push_back(report);
    reports_.back().crossed = sends_;
  } else {
    tell(report);
  }
  if (report.kind == Report::Kind::kSent && reports_wait_ && client_ && !client_->awaits_sent(report.cookie))
    return;
  host.notify();
}

void SimPort::tell(const Report& report) {
  NetworkMessage* const message = report.message;
  switch (report.kind) {
    case Report::Kind::kArrived: {
      if (!client_) {
        discard(message->id());
        break;
      }
      const std::byte* inline_payload = nullptr;
      if (network_.is_inline(*message)) {
        // An empty payload counts as inline as well; its address may be any.
        inline_payload = message->payload_bytes != 0 ? message->payload.data() : message->header.data();
      }
      client_->arrived({message->source,
                        {message->header.data(), message->header_bytes},
                        message->payload_bytes,
                        inline_payload,
                        message->id()});
      break;
    }
    case Report::Kind::kLanded:
      if (client_) client_->landed(report.cookie, report.outcome);
      break;
    case Report::Kind::kSent:
      if (client_) client_->sent(report.cookie);
      break;
    case Report::Kind::kUndeliverable:
      if (client_) {
        client_->undeliverable(report.cookie, report.peer, {message->header.data(), message->header_bytes});
      }
      break;
    case Report::Kind::kLost:
      if (client_) client_->lost(report.peer);
      break;
  }
  if (message) network_.release(*message);
}

void SimPort::close() {
  client_ = nullptr;
  reports_wait_ = false;
  progress();
}

void SimPort::report_at_once() {
  reports_wait_ = false;
  progress();
}

unsigned SimPort::progress() {
  const PortCosts& costs = network_.port_costs_;
  unsigned told = 0;
  bool has_received = false, received_from_other = false;
  sent_to_other_ = false;
  while (first_report_ != reports_.size()) {
    const Report report = reports_[first_report_++];
    if (report.kind == Report::Kind::kArrived) {
      const bool is_further = std::exchange(has_received, true) && costs.receive_more;
      pay(is_further ? costs.receive_more : costs.receive, report.message->payload_bytes);
      if (report.crossed) pay(costs.crossed);
      pay_for_other_peer(report.message->source, last_source_, received_from_other);
    }
    tell(report);
    ++told;
  }
  reports_.clear();
  first_report_ = 0;
  if (told == 0) pay(costs.poll);
  return told;
}

}  // namespace aqueduct::sim
