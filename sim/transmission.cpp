// The sending half of the network: sends messages through the gate and over the links, and repeats tries.
#include <algorithm>

#include "base/fatal.hpp"
#include "sim/crc32.hpp"
#include "sim/network.hpp"
#include "sim/sim_port.hpp"

namespace aqueduct::sim {

Network::Network(Simulation& simulation)
    : simulation_(simulation),
      engine_(simulation.engine()),
      faults_(simulation.faults()),
      topology_(simulation.topology()),
      gates_(simulation.setup().nodes),
      switching_(*this, engine_),
      port_costs_(*simulation.setup().model) {
  ports_.reserve(simulation.ports());
  for (fabric::NodeId port = 0; port < simulation.ports(); ++port) {
    ports_.push_back(std::make_unique<SimPort>(*this, port, simulation.setup().reports_wait));
  }
  for (const FaultPlan::HotSpot& plan : faults_.plan().hot_spots) hot_spots_.emplace_back(*this, plan);
}

Network::~Network() = default;

fabric::Post Network::send(SimPort& from, fabric::NodeId target, std::span<const std::byte> header,
                           std::span<const fabric::Piece> payload, std::uint64_t cookie, bool in_order) {
  if (target >= ports_.size()) fatal("simulation", "a message to node %u, which does not exist", target);
  if (header.size() > fabric::kMaxHeader) fatal("simulation", "a header of %zu bytes", header.size());
  if (from.under_way_ >= model().most_under_way) return fabric::Post::kRetry;
  ++from.under_way_;
  NetworkMessage& message = pool_.take();
  message.source = from.self_;
  message.target = target;
  message.cookie = cookie;
  message.in_order = in_order && !model().ordered;
  message.lane = &lane(message.in_order ? from.ordered_lanes_ : from.lanes_, target);
  message.sequence = message.lane->next_sequence++;
  message.header_bytes = static_cast<std::uint32_t>(header.size());
  std::copy(header.begin(), header.end(), message.header.begin());
  message.header_crc = crc32(header.data(), header.size());
  message.pieces.assign(payload.begin(), payload.end());
  for (const fabric::Piece& piece : payload) message.payload_bytes += piece.bytes;
  message.holders = 1;  // the sender
  enqueue(message);
  return fabric::Post::kDone;
}

void Network::send_background(fabric::NodeId port, fabric::NodeId target, unsigned most_under_way) {
  Gates& gates = gates_[node_of(port)];
  if (gates.crashed || gates.background >= most_under_way) return;
  ++gates.background;
  NetworkMessage& message = pool_.take();
  message.source = port;
  message.target = target;
  message.is_background = true;
  message.captured = true;
  message.holders = 1;  // the sender
  enqueue(message);
}

std::size_t Network::header_burst_bytes(const NetworkMessage& message) const {
  if (message.is_background) return model().packet_bytes;
  const std::size_t header = model().header_bytes != 0 ? model().header_bytes : message.header_bytes;
  return header + (is_inline(message) ? message.payload_bytes : 0);
}

Lane& Network::lane(PeerMap<std::uint32_t>& lanes, fabric::NodeId target) {
  std::uint32_t& place = lanes.at(target);
  if (place == 0) {
    lanes_.emplace_back();
    place = static_cast<std::uint32_t>(lanes_.size());
  }
  return lanes_[place - 1];
}

void Network::enqueue(NetworkMessage& message) {
  Gates& gates = gates_[node_of(message.source)];
  message.in_queue = true;
  message.next = nullptr;
  if (gates.first) {
    gates.last->next = &message;
    gates.last = &message;
    return;
  }
  gates.first = gates.last = &message;
  start_try(node_of(message.source));
}

void Network::start_try(fabric::NodeId node) {
  NetworkMessage& message = *gates_[node].first;
  ++message.tries;
  if (!message.is_background) ++traffic_.tries;
  message.injected_bytes = 0;
  message.retry_wanted = 0;
  message.flights = 0;
  message.part_lost = false;
  message.payload_out = false;
  message.payload_arrival = 0;
  free_room(message);
  if (!message.is_background) message.draw = faults_.draw(node);
  const Burst header{header_burst_bytes(message), 1, true};
  const std::optional<Passage> passage = pass(message, header);
  if (!passage) return;  // flight_left and flight_arrived go on from here
  message.part_lost = !passage->through;
  const bool lost =
      message.part_lost || (message.draw.fate == Faults::Fate::kDropped && hits_header(message));
  if (is_inline(message)) {
    later(passage->injected, kInjectionEnds, message.source, message,
          [lost](Network& self, NetworkMessage& it) { self.header_left(it, lost); });
  }
  if (passage->through) header_through(message, passage->arrived);
  if (!is_inline(message)) inject_payload(message);
}

// The header's last byte has left.
void Network::header_left(NetworkMessage& message, bool lost) {
  if (is_inline(message)) {
    injection_done(message, lost);
  } else {
    inject_payload(message);
  }
}

// The header has reached the target by `when`, unless a fault of this try hits it.
void Network::header_through(NetworkMessage& message, Time when) {
  if (message.draw.fate == Faults::Fate::kDropped && hits_header(message)) {
    faults_.reached(FaultProbe::kHeaderDropped);
    return;
  }
  const bool corrupted = message.draw.fate == Faults::Fate::kCorrupted && hits_header(message);
  if (message.draw.delay != 0) {
    faults_.reached(message.draw.may_overtake ? FaultProbe::kReordered : FaultProbe::kDelayed);
  }
  when += message.draw.delay;
  const auto arrive = [corrupted](Network& self, NetworkMessage& it) { self.header_arrives(it, corrupted); };
  later(when, kHeaderArrives, message.target, message, arrive);
  if (message.draw.fate == Faults::Fate::kDuplicated) {
    later(when + model().hop + kNanosecond, kHeaderArrives, message.target, message, arrive);
  }
}

// Injects the next burst of a payload that is not inline.
void Network::inject_payload(NetworkMessage& message) {
  const std::size_t bytes = std::min(kBurstBytes, message.payload_bytes - message.injected_bytes);
  message.injected_bytes += bytes;
  const std::optional<Passage> burst = pass(message, {bytes, packets(bytes), false});
  if (!burst) {
    ++message.flights;
    return;
  }
  message.payload_arrival = std::max(message.payload_arrival, burst->arrived);
  const bool through = burst->through;
  later(burst->injected, kInjectionEnds, message.source, message,
        [through](Network& self, NetworkMessage& it) { self.payload_left(it, through); });
}

// A burst's last byte has left.
void Network::payload_left(NetworkMessage& message, bool through) {
  if (gates_[node_of(message.source)].crashed) {
    injection_done(message, true);
    return;
  }
  if (!through) message.part_lost = true;
  if (message.injected_bytes != message.payload_bytes) {
    inject_payload(message);
    return;
  }
  using Fate = Faults::Fate;
  const Fate fate = message.draw.fate;
  const bool header_hit = hits_header(message);
  const bool dropped = fate == Fate::kDropped || message.part_lost;
  if (fate == Fate::kDropped && !header_hit) faults_.reached(FaultProbe::kPayloadDropped);
  capture(message);
  // A payload whose header was lost or damaged comes with the next try. The damage may have been noticed
  // while we were still sending.
  const bool in_vain = dropped || (fate == Fate::kCorrupted && header_hit);
  if (!in_vain) {
    message.payload_out = true;
    if (message.flights == 0) payload_through(message);
  }
  injection_done(message, in_vain);
}

// The whole payload will have arrived at payload_arrival.
void Network::payload_through(NetworkMessage& message) {
  const bool corrupted = message.draw.fate == Faults::Fate::kCorrupted;
  const Time when = message.payload_arrival + message.draw.delay;
  const auto arrive = [corrupted](Network& self, NetworkMessage& it) { self.payload_arrives(it, corrupted); };
  later(when, kPayloadArrives, message.target, message, arrive);
  if (message.draw.fate == Faults::Fate::kDuplicated) {
    later(when + model().hop + kNanosecond, kPayloadArrives, message.target, message, arrive);
  }
}

void Network::flight_left(Flight& flight) {
  NetworkMessage& message = *flight.message;
  if (flight.burst.is_header) {
    const bool crashed = gates_[node_of(message.source)].crashed;
    const bool dropped = message.draw.fate == Faults::Fate::kDropped && hits_header(message);
    if (crashed && !is_inline(message)) {
      injection_done(message, true);
    } else {
      header_left(message, dropped);
    }
  } else {
    payload_left(message, true);
  }
}

void Network::flight_arrived(Flight& flight) {
  NetworkMessage& message = *flight.message;
  if (flight.attempt != message.tries) return;  // it belongs to an earlier try
  if (flight.lost) {
    // The timeout begins when all of this try has left, as it does for what is lost in closed form.
    message.part_lost = true;
    if (!message.in_queue) retry_at(message, message.left_at + model().retry_timeout);
  } else if (flight.burst.is_header) {
    header_through(message, engine_.now());
  } else {
    message.payload_arrival = std::max(message.payload_arrival, flight.arrived);
    if (--message.flights == 0 && message.payload_out) payload_through(message);
  }
}

bool Network::hits_header(const NetworkMessage& message) const {
  return is_inline(message) || message.draw.where % (1 + packets(message.payload_bytes)) == 0;
}

std::optional<Network::Passage> Network::pass(NetworkMessage& message, const Burst& burst) {
  const NetworkModel& network = model();
  const fabric::NodeId from = node_of(message.source);
  const fabric::NodeId to = node_of(message.target);
  switching_.router().choose(from, to, message.in_order, steps_);
  Resource& gate = gates_[from].injection;
  if (is_finite()) {
    const Time start = std::max(engine_.now(), gate.free_at());
    if (!switching_.is_clear(message, burst, steps_, start)) {
      switching_.launch(message, burst, start);
      return std::nullopt;
    }
  }
  if (switching_.router().is_detour(steps_)) faults_.reached(FaultProbe::kDetour);
  Passage passage;
  const Time through_gate = gate_time(network.injection, burst);
  const Time start = gate.reserve(engine_.now(), through_gate);
  Time head = start + (burst.is_header ? network.injection.per_message : 0);
  Time tail = passage.injected = start + through_gate;
  for (const Step& step : steps_) {
    if (is_cut(step.link)) {
      faults_.reached(FaultProbe::kLostAtCut);
      passage.through = false;
      return passage;
    }
    // Without buffers each burst waits for all that were injected before it.
    const Time begin = is_finite() ? head : std::max(head, switching_.links()[step.link].taken.until());
    const Time end = begin + switching_.on_link(step.link, 0, burst.bytes);
    switching_.take(step.link, begin, end, burst.packets);
    head = begin + switching_.hop(step.link);
    tail = std::max(tail, end) + switching_.hop(step.link);
  }
  const Time into_node = gate_time(network.ejection, burst);
  Calendar& ejection = gates_[to].ejection;
  const Time begin = is_finite() ? ejection.earliest(head, into_node) : std::max(head, ejection.until());
  ejection.take(engine_.now(), begin, begin + into_node);
  passage.arrived = std::max(tail, begin + into_node);
  if (is_finite() && !burst.is_header) enters(message, burst.bytes);
  return passage;
}

// Payload waits for room only if its header was delivered. Otherwise it could wait for a header behind it,
// for ever.
bool Network::has_room(const NetworkMessage& message, std::size_t bytes) const {
  if (message.state != NetworkMessage::State::kArrived) return true;
  const Gates& gates = gates_[node_of(message.target)];
  return gates.crashed || gates.room_used + bytes <= model().room;
}

bool Network::will_find_room(const NetworkMessage& message, std::size_t bytes) const {
  if (!awaits_answer(message)) return true;
  const Gates& gates = gates_[node_of(message.target)];
  return gates.crashed || gates.room_used + bytes <= model().room;
}

void Network::enters(NetworkMessage& message, std::size_t bytes) {
  if (!awaits_answer(message)) return;
  message.room += bytes;
  gates_[node_of(message.target)].room_used += bytes;
}

void Network::free_room(NetworkMessage& message) {
  if (!is_finite()) return;
  const fabric::NodeId node = node_of(message.target);
  gates_[node].room_used -= message.room;
  message.room = 0;
  switching_.room_freed(node);
}

void Network::capture(NetworkMessage& message) {
  if (message.captured) return;
  message.captured = true;
  message.payload.reserve(message.payload_bytes);
  for (const fabric::Piece& piece : message.pieces) {
    const auto* bytes = static_cast<const std::byte*>(piece.base);
    message.payload.insert(message.payload.end(), bytes, bytes + piece.bytes);
  }
  if (faults_.may_damage()) message.payload_crc = crc32(message.payload.data(), message.payload_bytes);
  message.pieces.clear();
  ports_[message.source]->report(
      {SimPort::Report::Kind::kSent, fabric::Outcome::kOk, message.target, message.cookie, nullptr});
}

// The gate is free for the next message. `lost`: not everything will arrive.
void Network::injection_done(NetworkMessage& message, bool lost) {
  const fabric::NodeId node = node_of(message.source);
  Gates& gates = gates_[node];
  if (!gates.crashed) capture(message);
  message.in_queue = false;
  message.left_at = engine_.now();
  gates.first = message.next;
  if (!gates.first) gates.last = nullptr;
  if (gates.crashed) {
    const Time when = engine_.now() + model().retry_timeout * model().tries;
    abandon(message, when);
    settle_sender(message);
    while (NetworkMessage* next = gates.first) {
      gates.first = next->next;
      next->in_queue = false;
      abandon(*next, when);
      settle_sender(*next);
    }
    gates.last = nullptr;
    return;
  }
  if (message.retry_wanted != 0) {
    retry_at(message, std::max(message.retry_wanted, engine_.now()));
  } else if (lost) {
    retry_at(message, engine_.now() + model().retry_timeout);
  }
  if (is_there(message)) settle_sender(message);
  if (gates.first) start_try(node);
}

void Network::retry_at(NetworkMessage& message, Time when) {
  if (message.is_background) {
    settle_sender(message);
    return;
  }
  if (message.retry_planned) return;
  if (message.in_queue) {
    // The header has failed while the payload is still being injected, which goes on.
    message.retry_wanted = when;
    return;
  }
  message.retry_planned = true;
  later(when, kRetry, message.source, message, [](Network& self, NetworkMessage& it) { self.retry(it); });
}

void Network::retry(NetworkMessage& message) {
  message.retry_planned = false;
  if (message.sender_done) return;
  if (is_there(message)) {
    settle_sender(message);
  } else if (message.state == NetworkMessage::State::kDiscarded) {
    settle_sender(message);
    over(message);
  } else if (gates_[node_of(message.source)].crashed) {
    abandon(message, engine_.now());
    settle_sender(message);
  } else if (message.tries >= model().tries) {
    give_up(message);
  } else {
    faults_.reached(FaultProbe::kRetried);
    enqueue(message);
  }
}

void Network::give_up(NetworkMessage& message) {
  faults_.reached(FaultProbe::kUndeliverable);
  ++message.holders;  // the report
  ports_[message.source]->report({SimPort::Report::Kind::kUndeliverable, fabric::Outcome::kFailed,
                                  message.target, message.cookie, &message});
  abandon(message, engine_.now() + way_back(message));
  settle_sender(message);
}

// Tells the target at `when` that no more will come.
void Network::abandon(NetworkMessage& message, Time when) {
  if (message.is_background) return;  // nobody waits for it
  later(when, kGiveUp, message.target, message,
        [](Network& self, NetworkMessage& it) { self.learn_of_abandonment(it); });
}

void Network::settle_sender(NetworkMessage& message) {
  if (message.sender_done) return;
  message.sender_done = true;
  release(message);
}

Time Network::way_back(const NetworkMessage& message) const {
  return model().hop * topology_.distance(node_of(message.source), node_of(message.target));
}

Time Network::drain_time(std::size_t bytes) const {
  const NetworkModel& network = model();
  const std::size_t count = packets(bytes);
  return std::max({network.injection.rate.of(bytes) + network.injection.per_packet * count,
                   network.ejection.rate.of(bytes) + network.ejection.per_packet * count,
                   network.link.of(bytes)});
}

void Network::release(NetworkMessage& message) {
  if (--message.holders != 0) return;
  SimPort& source = *ports_[message.source];
  const bool is_background = message.is_background;
  pool_.give_back(message);
  if (is_background) {
    --gates_[node_of(source.self_)].background;
    return;
  }
  // A send may have been refused because of the limit.
  if (source.under_way_-- == model().most_under_way) simulation_.host(source.self_).notify();
}

void Network::crash(fabric::NodeId node) {
  if (gates_[node].crashed) return;
  gates_[node].crashed = true;
  if (is_finite()) switching_.room_freed(node);
  faults_.reached(FaultProbe::kCrashed);
  // Other nodes learn about the crash when all tries of a message that was under way would have failed.
  engine_.after(model().retry_timeout * (model().tries + 1), {kNodeFails, node}, [this, node] {
    std::vector<fabric::NodeId> lost;
    for (fabric::NodeId port = 0; port < ports_.size(); ++port) {
      if (node_of(port) == node) lost.push_back(port);
    }
    for (const auto& port : ports_) {
      if (node_of(port->self_) == node) continue;
      for (const fabric::NodeId gone : lost)
        port->report({SimPort::Report::Kind::kLost, fabric::Outcome::kFailed, gone, 0, nullptr});
    }
  });
}

void Network::close(fabric::NodeId port) { ports_[port]->close(); }
void Network::report_at_once(fabric::NodeId port) { ports_[port]->report_at_once(); }

void Network::cut(std::span<const LinkId> links, fabric::NodeId node) {
  if (cut_links_.empty()) cut_links_.resize(topology_.links());
  for (const LinkId link : links) cut_links_[link] = true;
  if (model().reroute == kNever) return;
  const std::vector<LinkId>* const its = &failures_.emplace_back(links.begin(), links.end());
  engine_.after(model().reroute, {kTablesChange, node}, [this, its] {
    for (const LinkId link : *its) switching_.router().avoid(link);
  });
}

}  // namespace aqueduct::sim
