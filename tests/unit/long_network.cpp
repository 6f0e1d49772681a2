#include "unit/long_network.hpp"

namespace aqueduct::parts::test {

LongWorld::LongWorld(LongProtocolKind kind, unsigned nodes, std::uint32_t seed)
    : random_(seed), ordered_(kind == LongProtocolKind::kOrdered), unwritten_(nodes * nodes) {
  for (unsigned i = 0; i < 5; ++i) random_();
  for (RankId rank = 0; rank < nodes; ++rank) nodes_.push_back(std::make_unique<LongNode>(*this, rank, kind));
}

LongWorld::~LongWorld() = default;

bool LongWorld::advance() {
  if (chance(3)) node(below(size())).protocol().poll();
  std::vector<std::size_t> possible;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (!steps_[i].may || steps_[i].may()) possible.push_back(i);
  }
  if (possible.empty()) {
    for (unsigned rank = 0; rank < size(); ++rank) node(rank).protocol().poll();
    return !steps_.empty();
  }
  const std::size_t chosen = possible[below(static_cast<unsigned>(possible.size()))];
  const Step step = std::move(steps_[chosen]);
  steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(chosen));
  step.run();
  return true;
}

LongNode::LongNode(LongWorld& world, RankId self, LongProtocolKind kind)
    : world_(world), self_(self), kind_(kind), protocol_(make_long_protocol(kind, *this)) {}

// What the protocol needs, and nothing else.
LongAbilities LongNode::long_abilities() const {
  LongAbilities abilities;
  switch (kind_) {
    case LongProtocolKind::kOrdered:
      abilities.ordered = Ability::kYes;
      break;
    case LongProtocolKind::kPutSyncSend:
    case LongProtocolKind::kAsyncChaining:
      abilities.reports_landing = true;
      break;
    case LongProtocolKind::kRendezvousGet:
      abilities.reads = Ability::kYes;
      break;
    case LongProtocolKind::kReassembly:
      abilities.tells_target = true;
      break;
  }
  return abilities;
}

// A piece is first read and then written; of a LongSend whose put has left nothing is known any more. Some
// payloads are copied before they leave.
PayloadPut LongNode::put_payload(LongSend& send, PutReport report) {
  if (world_.chance(5)) return PayloadPut::kRetry;
  const auto pieces = static_cast<std::uint16_t>(1 + world_.below(3));
  send.pieces = pieces;
  const auto put = std::make_shared<Put>();
  *put = {world_.next_put++, send.target, send.is_reply, send.nonce, report, pieces, pieces, &send};
  put->tells_of_landing = report == PutReport::kLanded || world_.chance(3);
  put->tells_of_leaving = !put->tells_of_landing || (report == PutReport::kLanded && world_.chance(2));
  const bool is_copied = world_.chance(4);
  if (is_copied) {
    put->tells_of_landing = report == PutReport::kLanded;
    put->tells_of_leaving = false;
  }
  world_.unwritten(self_, send.target).insert(put->number);
  for (unsigned i = 0; i < pieces; ++i) {
    const std::size_t begin = send.payload_bytes * i / pieces;
    const std::size_t bytes = send.payload_bytes * (i + 1) / pieces - begin;
    const auto* const from = static_cast<const std::byte*>(send.payload) + begin;
    std::byte* const to = static_cast<std::byte*>(send.destination) + begin;
    if (is_copied) {
      const std::vector<std::byte> copy(from, from + bytes);
      world_.add({[this, put, copy, to] { read_piece(put, copy.data(), to, copy.size()); }, nullptr});
    } else {
      world_.add({[this, put, from, to, bytes] { read_piece(put, from, to, bytes); }, nullptr});
    }
  }
  return is_copied ? PayloadPut::kHasLeft : PayloadPut::kBegun;
}

void LongNode::read_piece(const std::shared_ptr<Put>& put, const std::byte* from, std::byte* to,
                          std::size_t bytes) {
  const std::vector<std::byte> piece(from, from + bytes);
  const auto write = [this, put, piece, to] {
    std::memcpy(to, piece.data(), piece.size());
    piece_is_written(put);
  };
  if (world_.chance(4)) {
    world_.add({[this, to, bytes, write] {
                  std::memset(to, static_cast<int>(world_.below(256)), bytes);
                  world_.add({write, nullptr});
                },
                nullptr});
  } else {
    world_.add({write, nullptr});
  }
  if (--put->unread == 0 && put->tells_of_leaving) {
    world_.add({[this, put] {
                  put->has_left = true;
                  protocol_->put_left(*put->send);
                },
                nullptr});
  }
}

void LongNode::piece_is_written(const std::shared_ptr<Put>& put) {
  if (put->report == PutReport::kTellTarget) {
    LongNode& target = world_.node(put->target);
    world_.add({[this, put, &target] {
                  target.deliver(target.protocol_->payload_came(self_, put->is_reply, put->nonce));
                },
                nullptr});
  }
  if (--put->unwritten != 0) return;
  world_.unwritten(self_, put->target).erase(put->number);
  if (!put->tells_of_landing) return;
  world_.add({[this, put] { protocol_->put_landed(*put->send); },
              [put] { return !put->tells_of_leaving || put->has_left; }});
}

am::Post LongNode::expose_payload(LongSend&) { return world_.chance(5) ? am::Post::kRetry : am::Post::kDone; }

am::Post LongNode::send_envelope(LongSend& send) {
  if (world_.chance(5)) return am::Post::kRetry;
  auto arrival = std::make_unique<Incoming>();
  arrival->source = self_;
  arrival->is_reply = send.is_reply;
  arrival->nonce = send.nonce;
  arrival->pieces = send.pieces;
  arrival->destination = send.destination;
  arrival->payload_bytes = send.payload_bytes;
  arrival->id = static_cast<Outgoing&>(send).id;
  if (kind_ == LongProtocolKind::kRendezvousGet) arrival->from = &send;
  LongNode& target = world_.node(send.target);
  Incoming& there = *target.arrivals_.emplace_back(std::move(arrival));
  std::function<bool()> may;
  if (world_.is_ordered()) {
    may = [&unwritten = world_.unwritten(self_, send.target), before = world_.next_put] {
      return unwritten.empty() || *unwritten.begin() >= before;
    };
  }
  world_.add({[&target, &there] { target.deliver(target.protocol().envelope_came(there)); }, may});
  return am::Post::kDone;
}

void LongNode::serve() { world_.advance(); }

void LongNode::finished(LongSend& send) { static_cast<Outgoing&>(send).is_over = true; }

am::Post LongNode::get_payload(LongArrival& arrival) {
  if (world_.chance(5)) return am::Post::kRetry;
  world_.add({[this, &arrival] {
                std::memcpy(arrival.destination, static_cast<Incoming&>(arrival).from->payload,
                            arrival.payload_bytes);
                world_.add({[this, &arrival] { deliver(protocol_->payload_read(arrival)); }, nullptr});
              },
              nullptr});
  return am::Post::kDone;
}

void LongNode::tell_source(LongArrival& arrival) {
  LongNode& source = world_.node(arrival.source);
  auto& send = const_cast<LongSend&>(*static_cast<Incoming&>(arrival).from);
  world_.add({[&source, &send] { source.protocol_->source_read(send); }, nullptr});
}

}  // namespace aqueduct::parts::test
