// The receiving half of the network: checks arrivals, puts them in order and lands payloads.
#include <algorithm>
#include <cstring>

#include "base/fatal.hpp"
#include "sim/crc32.hpp"
#include "sim/network.hpp"
#include "sim/sim_port.hpp"

namespace aqueduct::sim {
namespace {

using State = NetworkMessage::State;

bool before(std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a - b) < 0; }

// Damages the bytes as a bad packet does; a second call undoes it.
void flip_bit(std::byte* bytes, std::size_t count, std::uint64_t where) {
  bytes[(where >> 3) % count] ^= std::byte{1} << static_cast<unsigned>(where & 7);
}

}  // namespace

void Network::header_arrives(NetworkMessage& message, bool corrupted) {
  if (message.is_background) {
    if (!gates_[node_of(message.target)].crashed) faults_.reached(FaultProbe::kHotSpot);
    settle_sender(message);
    return;
  }
  if (gates_[node_of(message.target)].crashed) {
    retry_at(message, engine_.now() + model().retry_timeout);
    return;
  }
  if (is_inline(message) && !message.captured) return;  // its source crashed while it was sending
  if (!check_header(message, corrupted)) return;
  if (message.state != State::kUnseen) {
    faults_.reached(FaultProbe::kDuplicate);
    return;
  }
  ++message.holders;  // the target
  message.state = State::kHeld;
  if (is_inline(message) || message.payload_here) payload_is_here(message);
  if (keeps_order(message)) {
    put_in_order(message);
  } else {
    deliver(message);
  }
}

bool Network::check_header(NetworkMessage& message, bool corrupted) {
  if (!corrupted) {
    const bool intact = crc32(message.header.data(), message.header_bytes) == message.header_crc &&
                        (!is_inline(message) || check_payload(message, false));
    if (!intact) fatal("simulation", "a header that nothing has damaged fails its check");
    return true;
  }
  // Headers and inline payloads share a packet; whichever has bytes is hit.
  std::byte* const bytes = message.header_bytes != 0 ? message.header.data() : message.payload.data();
  const std::size_t count = message.header_bytes != 0 ? message.header_bytes : message.payload.size();
  if (count != 0) {
    flip_bit(bytes, count, message.draw.where);
    const bool caught = crc32(message.header.data(), message.header_bytes) != message.header_crc ||
                        crc32(message.payload.data(), message.payload.size()) != message.payload_crc;
    flip_bit(bytes, count, message.draw.where);
    if (!caught) fatal("simulation", "a damaged header passes its check");
  }
  faults_.reached(FaultProbe::kHeaderCorrupted);
  retry_at(message, engine_.now() + way_back(message));
  return false;
}

void Network::payload_arrives(NetworkMessage& message, bool corrupted) {
  if (gates_[node_of(message.target)].crashed) {
    retry_at(message, engine_.now() + model().retry_timeout);
    return;
  }
  if (message.payload_here || message.state == State::kOver) {
    faults_.reached(FaultProbe::kDuplicate);
    return;
  }
  if (check_payload(message, corrupted)) payload_is_here(message);
}

bool Network::check_payload(NetworkMessage& message, bool corrupted) {
  if (!faults_.may_damage()) return true;
  if (corrupted) flip_bit(message.payload.data(), message.payload_bytes, message.draw.where);
  const bool intact = crc32(message.payload.data(), message.payload_bytes) == message.payload_crc;
  if (corrupted) flip_bit(message.payload.data(), message.payload_bytes, message.draw.where);
  if (intact == corrupted) {
    fatal("simulation", corrupted ? "a damaged payload passes its check"
                                  : "a payload that nothing has damaged fails its check");
  }
  if (intact) return true;
  faults_.reached(FaultProbe::kPayloadCorrupted);
  retry_at(message, engine_.now() + way_back(message));
  return false;
}

// The payload is whole and intact: the sender need not try again.
void Network::payload_is_here(NetworkMessage& message) {
  message.payload_here = true;
  if (message.state == State::kUnseen) return;  // the payload has overtaken its header
  if (!message.in_queue) settle_sender(message);
  if (message.state == State::kDiscarded) {
    over(message);
  } else if (message.state == State::kAccepted) {
    const Time when = message.accepted_at + drain_time(message.payload_bytes);
    if (when <= engine_.now()) {
      land(message);
    } else {
      later(when, kReport, message.target, message, [](Network& self, NetworkMessage& it) { self.land(it); });
    }
  }
}

void Network::put_in_order(NetworkMessage& message) {
  Lane& lane = *message.lane;
  NetworkMessage** place = &lane.held;
  while (*place && before((*place)->sequence, message.sequence)) place = &(*place)->next_held;
  message.next_held = *place;
  *place = &message;
  if (lane.held->sequence != lane.expected) faults_.reached(FaultProbe::kHeldForOrder);
  while (lane.held && lane.held->sequence == lane.expected) {
    NetworkMessage& next = *lane.held;
    lane.held = next.next_held;
    ++lane.expected;
    if (next.state == State::kHeld) {
      deliver(next);
    } else {
      release(next);  // the sender gave it up before its header was seen
    }
  }
}

void Network::deliver(NetworkMessage& message) {
  message.state = State::kArrived;
  ++traffic_.messages;
  traffic_.payload_bytes += message.payload_bytes;
  engine_.note(std::uint64_t{message.source} << 32 | message.target);
  engine_.note(message.payload_bytes);
  if (simulation_.setup().trace_bytes) {
    engine_.note(std::uint64_t{message.header_crc} << 32 | message.payload_crc);
  }
  ++message.holders;  // the report
  ports_[message.target]->report(
      {SimPort::Report::Kind::kArrived, fabric::Outcome::kOk, message.source, 0, &message});
}

void Network::accept(std::uint64_t arrival, std::span<const fabric::Piece> where, std::size_t keep_bytes,
                     std::uint64_t cookie) {
  NetworkMessage* const message = pool_.find(arrival);
  if (!message || message->state != State::kArrived) fatal("simulation", "accept() of what did not arrive");
  message->state = State::kAccepted;
  free_room(*message);
  message->where.assign(where.begin(), where.end());
  message->keep_bytes = std::min(keep_bytes, message->payload_bytes);
  message->landing_cookie = cookie;
  message->accepted_at = engine_.now();
  if (message->payload_here) {
    const Time wait = is_inline(*message) ? 0 : drain_time(message->payload_bytes);
    later(engine_.now() + wait, kReport, message->target, *message,
          [](Network& self, NetworkMessage& it) { self.land(it); });
  } else if (message->abandoned) {
    later(engine_.now(), kReport, message->target, *message,
          [](Network& self, NetworkMessage& it) { self.fail(it); });
  }
}

void Network::discard(std::uint64_t arrival) {
  NetworkMessage* const message = pool_.find(arrival);
  if (!message || message->state != State::kArrived) fatal("simulation", "discard() of what did not arrive");
  message->state = State::kDiscarded;
  free_room(*message);
  if (message->payload_here || message->abandoned) over(*message);
}

void Network::land(NetworkMessage& message) {
  std::size_t done = 0;
  for (const fabric::Piece& piece : message.where) {
    const std::size_t bytes = std::min(piece.bytes, message.keep_bytes - done);
    if (bytes != 0) std::memcpy(piece.base, message.payload.data() + done, bytes);
    done += bytes;
  }
  ports_[message.target]->report({SimPort::Report::Kind::kLanded, fabric::Outcome::kOk, message.source,
                                  message.landing_cookie, nullptr});
  over(message);
}

void Network::fail(NetworkMessage& message) {
  ports_[message.target]->report({SimPort::Report::Kind::kLanded, fabric::Outcome::kFailed, message.source,
                                  message.landing_cookie, nullptr});
  over(message);
}

void Network::over(NetworkMessage& message) {
  message.state = State::kOver;
  free_room(message);
  release(message);
}

void Network::learn_of_abandonment(NetworkMessage& message) {
  if (message.abandoned) return;
  message.abandoned = true;
  switch (message.state) {
    case State::kUnseen:
      ++message.holders;  // the target
      message.state = State::kOver;
      if (keeps_order(message)) {
        put_in_order(message);
      } else {
        release(message);
      }
      break;
    case State::kAccepted:
      if (message.payload_here) break;  // the payload is about to land
      faults_.reached(FaultProbe::kHalfArrived);
      fail(message);
      break;
    case State::kDiscarded:
      over(message);
      break;
    case State::kHeld:
    case State::kArrived:  // the client learns it when it accepts
      if (!message.payload_here) faults_.reached(FaultProbe::kHalfArrived);
      break;
    case State::kOver:
      break;
  }
}

}  // namespace aqueduct::sim
