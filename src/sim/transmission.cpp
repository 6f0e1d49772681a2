// The sending half of the network: through the gate, over the links, again if need be.
#include <algorithm>

#include "base/crc32.hpp"
#include "base/fatal.hpp"
#include "sim/network.hpp"
#include "sim/sim_port.hpp"

namespace aqueduct::sim {

Network::Network(Simulation& simulation)
    : simulation_(simulation),
      engine_(simulation.engine()),
      faults_(simulation.faults()),
      topology_(simulation.topology()),
      gates_(simulation.setup().nodes),
      links_(topology_.links()) {
  ports_.reserve(simulation.ports());
  for (fabric::NodeId port = 0; port < simulation.ports(); ++port) {
    ports_.push_back(std::make_unique<SimPort>(*this, port, simulation.setup().reports_wait));
  }
}

Network::~Network() = default;

fabric::Post Network::send(SimPort& from, fabric::NodeId target, std::span<const std::byte> header,
                           std::span<const fabric::Piece> payload, std::uint64_t cookie) {
  if (target >= ports_.size()) fatal("simulation", "a message to node %u, which does not exist", target);
  if (header.size() > fabric::kMaxHeader) fatal("simulation", "a header of %zu bytes", header.size());
  if (from.under_way_ >= kMostUnderWay) return fabric::Post::kRetry;
  ++from.under_way_;
  NetworkMessage& message = pool_.take();
  message.source = from.self_;
  message.target = target;
  message.cookie = cookie;
  message.lane = &from.lanes_[target];
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
  ++traffic_.tries;
  message.injected_bytes = 0;
  message.retry_wanted = 0;
  message.draw = faults_.draw(node);
  const Passage header =
      pass(message, message.header_bytes + (is_inline(message) ? message.payload_bytes : 0), 1, true);
  const bool lost = !header.through || (message.draw.fate == Faults::Fate::kDropped && hits_header(message));
  if (is_inline(message)) {
    later(header.injected, kInjectionEnds, message.source, message,
          [lost](Network& self, NetworkMessage& it) { self.injection_done(it, lost); });
  }
  if (lost) {
    if (header.through) faults_.reached(Probe::kHeaderDropped);
  } else {
    const bool corrupted = message.draw.fate == Faults::Fate::kCorrupted && hits_header(message);
    if (message.draw.delay != 0) {
      faults_.reached(message.draw.may_overtake ? Probe::kReordered : Probe::kDelayed);
    }
    const Time when = header.arrived + message.draw.delay;
    const auto arrive = [corrupted](Network& self, NetworkMessage& it) {
      self.header_arrives(it, corrupted);
    };
    later(when, kHeaderArrives, message.target, message, arrive);
    if (message.draw.fate == Faults::Fate::kDuplicated) {
      later(when + model().hop + kNanosecond, kHeaderArrives, message.target, message, arrive);
    }
  }
  if (!is_inline(message)) inject_payload(message);
}

// The next burst of a payload that does not come along with its header.
void Network::inject_payload(NetworkMessage& message) {
  const std::size_t bytes = std::min(kBurstBytes, message.payload_bytes - message.injected_bytes);
  message.injected_bytes += bytes;
  const Passage burst = pass(message, bytes, packets(bytes), false);
  later(burst.injected, kInjectionEnds, message.source, message, [burst](Network& self, NetworkMessage& it) {
    if (self.gates_[self.node_of(it.source)].crashed) {
      self.injection_done(it, true);
      return;
    }
    if (it.injected_bytes != it.payload_bytes) {
      self.inject_payload(it);
      return;
    }
    using Fate = Faults::Fate;
    const Fate fate = it.draw.fate;
    const bool header_hit = self.hits_header(it);
    const bool dropped = fate == Fate::kDropped || !burst.through;
    if (fate == Fate::kDropped && !header_hit) self.faults_.reached(Probe::kPayloadDropped);
    self.capture(it);
    // A payload whose header was lost or damaged comes with the next try. The damage may have been noticed
    // while we were still sending.
    const bool in_vain = dropped || (fate == Fate::kCorrupted && header_hit);
    if (!in_vain) {
      const bool corrupted = fate == Fate::kCorrupted;
      const Time when = burst.arrived + it.draw.delay;
      const auto arrive = [corrupted](Network& net, NetworkMessage& that) {
        net.payload_arrives(that, corrupted);
      };
      self.later(when, kPayloadArrives, it.target, it, arrive);
      if (fate == Fate::kDuplicated) {
        self.later(when + self.model().hop + kNanosecond, kPayloadArrives, it.target, it, arrive);
      }
    }
    self.injection_done(it, in_vain);
  });
}

bool Network::hits_header(const NetworkMessage& message) const {
  return is_inline(message) || message.draw.where % (1 + packets(message.payload_bytes)) == 0;
}

Network::Passage Network::pass(const NetworkMessage& message, std::size_t bytes, std::size_t packet_count,
                               bool is_header) {
  const NetworkModel& network = model();
  const fabric::NodeId from = node_of(message.source);
  const fabric::NodeId to = node_of(message.target);
  const auto through_gate = [&](const Gate& gate) {
    return (is_header ? gate.per_message : 0) + gate.per_packet * packet_count + gate.rate.of(bytes);
  };
  Passage passage;
  const Time start = gates_[from].injection.reserve(engine_.now(), through_gate(network.injection));
  Time head = start + (is_header ? network.injection.per_message : 0);
  Time tail = passage.injected = start + through_gate(network.injection);
  const Time on_link = network.link.of(bytes);
  topology_.route(from, to, [&](LinkId link) {
    if (!cut_links_.empty() && cut_links_[link]) passage.through = false;
    if (!passage.through) return;
    Time& free_at = links_[link].free_at;
    const Time begin = std::max(head, free_at);
    free_at = begin + on_link;
    head = begin + network.hop;
    tail = std::max(tail, free_at) + network.hop;
  });
  if (!passage.through) return passage;
  const Time into_node = through_gate(network.ejection);
  const Time begin = gates_[to].ejection.reserve(head, into_node);
  passage.arrived = std::max(tail, begin + into_node);
  return passage;
}

void Network::capture(NetworkMessage& message) {
  if (message.captured) return;
  message.captured = true;
  message.payload.reserve(message.payload_bytes);
  for (const fabric::Piece& piece : message.pieces) {
    const auto* bytes = static_cast<const std::byte*>(piece.base);
    message.payload.insert(message.payload.end(), bytes, bytes + piece.bytes);
  }
  message.payload_crc = crc32(message.payload.data(), message.payload_bytes);
  message.pieces.clear();
  ports_[message.source]->report(
      {SimPort::Report::Kind::kSent, fabric::Outcome::kOk, message.target, message.cookie, nullptr});
}

// The gate is free for the next message. `lost`: nothing, or not everything, will arrive.
void Network::injection_done(NetworkMessage& message, bool lost) {
  const fabric::NodeId node = node_of(message.source);
  Gates& gates = gates_[node];
  if (!gates.crashed) capture(message);
  message.in_queue = false;
  gates.first = message.next;
  if (!gates.first) gates.last = nullptr;
  if (gates.crashed) {
    abandon(message, engine_.now() + model().retry_timeout * model().tries);
    settle_sender(message);
    while (NetworkMessage* next = gates.first) {
      gates.first = next->next;
      next->in_queue = false;
      abandon(*next, engine_.now() + model().retry_timeout * model().tries);
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
  if (message.payload_here) settle_sender(message);
  if (gates.first) start_try(node);
}

void Network::retry_at(NetworkMessage& message, Time when) {
  if (message.retry_planned) return;
  if (message.in_queue) {
    // Its header has failed while its payload is still being injected, which goes on in vain.
    message.retry_wanted = when;
    return;
  }
  message.retry_planned = true;
  later(when, kRetry, message.source, message, [](Network& self, NetworkMessage& it) { self.retry(it); });
}

void Network::retry(NetworkMessage& message) {
  message.retry_planned = false;
  if (message.sender_done) return;
  if (message.payload_here) {
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
    faults_.reached(Probe::kRetried);
    enqueue(message);
  }
}

void Network::give_up(NetworkMessage& message) {
  faults_.reached(Probe::kUndeliverable);
  ++message.holders;  // the report
  ports_[message.source]->report({SimPort::Report::Kind::kUndeliverable, fabric::Outcome::kFailed,
                                  message.target, message.cookie, &message});
  abandon(message, engine_.now() + way_back(message));
  settle_sender(message);
}

// The target learns at `when` that no more will come.
void Network::abandon(NetworkMessage& message, Time when) {
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
  pool_.give_back(message);
  // Somebody may have been told to try again later.
  if (source.under_way_-- == kMostUnderWay) simulation_.host(source.self_).notify();
}

void Network::crash(fabric::NodeId node) {
  gates_[node].crashed = true;
  faults_.reached(Probe::kCrashed);
  // The others learn of it when all tries of a message that was under way have failed.
  engine_.after(model().retry_timeout * (model().tries + 1), {kNodeFails, node}, [this, node] {
    const unsigned per_node = simulation_.setup().ports_per_node;
    for (const auto& port : ports_) {
      if (node_of(port->self_) == node) continue;
      for (fabric::NodeId lost = node * per_node; lost < (node + 1) * per_node; ++lost) {
        port->report({SimPort::Report::Kind::kLost, fabric::Outcome::kFailed, lost, 0, nullptr});
      }
    }
  });
}

void Network::cut(fabric::NodeId node, fabric::NodeId neighbour) {
  if (cut_links_.empty()) cut_links_.resize(links_.size());
  topology_.route(node, neighbour, [&](LinkId link) { cut_links_[link] = true; });
  topology_.route(neighbour, node, [&](LinkId link) { cut_links_[link] = true; });
  faults_.reached(Probe::kLinkCut);
}

}  // namespace aqueduct::sim
