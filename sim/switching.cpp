#include "sim/switching.hpp"

#include <algorithm>
#include <bitset>

#include "sim/network.hpp"

namespace aqueduct::sim {
namespace {

constexpr std::uint32_t kGate = ~0u;        // in place of a link's number
constexpr std::size_t kMostChannels = 128;  // a file has 64 at most, and detours have theirs

}  // namespace

struct Switching::Packet {
  Flight* flight = nullptr;
  Steps steps;
  std::size_t step = 0;            // the next one
  std::size_t begin = 0, end = 0;  // its bytes of the burst
  Time tail = 0;                   // when its last byte reaches the place where its first one waits
  Time gate_end = 0;               // when it has left its node's memory, if nothing holds it up
  Packet* next = nullptr;          // in its buffer
};

struct Switching::Buffer {
  Packet* first = nullptr;
  Packet* last = nullptr;
  Buffer* next = nullptr;            // in the list of those that ask for the same output
  std::uint32_t link = kGate;        // the link at whose end it is
  std::vector<Time> places;          // when each is free, in the order of use; kNever while it is taken
  std::size_t taken = 0, freed = 0;  // places, ever

  Time next_place() const { return places[taken % places.size()]; }
};

// A link, or the ejection gate of a node.
struct Switching::Output {
  bool is_gate = false;
  std::uint32_t number = 0;  // of the link or the node
  Buffer* first = nullptr;   // the buffers that ask, in order
  Buffer* last = nullptr;
  std::uint32_t asking = 0;
  Time wakes_at = kNever;
  std::vector<Buffer> ends;  // of a link, by channel
};

Switching::Switching(Network& network, Engine& engine)
    : network_(network),
      engine_(engine),
      model_(network.model()),
      topology_(network.simulation().topology()),
      links_(topology_.links()),
      router_(model_, topology_, *this, engine.seed(), network.faults_.plan().cables_fail()),
      one_by_one_(network.simulation().setup().every_packet || !credits_come_in_time()) {}

Switching::~Switching() = default;

// Whether the packets that fit into a buffer keep the link as busy as the gate can while a credit is on its
// way.
bool Switching::credits_come_in_time() const {
  const std::size_t packet = model_.packet_bytes;
  const Time at_gate = model_.injection.rate.of(packet) + model_.injection.per_packet;
  const auto covers = [&](const LinkSpeed& line) {
    const Time on_it = line.rate.of(wire_bytes(packet));
    return std::max(at_gate, on_it) * model_.buffer >= 2 * line.hop + on_it;
  };
  return covers({model_.link, model_.hop}) && covers(model_.column_line) && covers(model_.global_line);
}

std::size_t Switching::wire_bytes(std::size_t bytes) const {
  if (model_.flit_bytes == 1 && model_.packet_overhead == 0) return bytes;
  const auto one = [this](std::size_t payload) {
    const std::size_t all = payload + model_.packet_overhead;
    return (all + model_.flit_bytes - 1) / model_.flit_bytes * model_.flit_bytes;
  };
  const std::size_t whole = bytes / model_.packet_bytes, rest = bytes % model_.packet_bytes;
  return whole * one(model_.packet_bytes) + (rest != 0 ? one(rest) : 0);
}

void Switching::slow_down(LinkId link, std::uint32_t percent) {
  if (slow_.empty()) slow_.resize(topology_.links(), 100);
  slow_[link] = percent;
}

Time Switching::on_link(LinkId link, std::size_t begin, std::size_t end) const {
  Rate rate = model_.link;
  if (topology_.kind() == TopologyKind::kDragonfly) {
    const LinkClass its = topology_.class_of(link);
    if (its == LinkClass::kColumn) rate = model_.column_line.rate;
    if (its == LinkClass::kGlobal) rate = model_.global_line.rate;
  }
  const std::uint32_t percent = slow_.empty() ? 100 : slow_[link];
  const auto time_of = [&](std::size_t bytes) { return rate.of(wire_bytes(bytes)) * 100 / percent; };
  return time_of(end) - time_of(begin);
}

Time Switching::hop(LinkId link) const {
  if (topology_.kind() != TopologyKind::kDragonfly) return model_.hop;
  const LinkClass its = topology_.class_of(link);
  return its == LinkClass::kLocal    ? model_.hop
         : its == LinkClass::kColumn ? model_.column_line.hop
                                     : model_.global_line.hop;
}

void Switching::take(LinkId link, Time begin, Time end, std::size_t packets) {
  Link& it = links_[link];
  it.taken.take(engine_.now(), begin, end);
  it.busy += end - begin;
  it.packets += packets;
  if (!slow_.empty() && slow_[link] != 100) network_.faults_.reached(FaultProbe::kLinkSlowed, packets);
}

bool Switching::is_clear(const NetworkMessage& message, const Burst& burst, const Steps& steps,
                         Time start) const {
  if (one_by_one_) return false;
  const fabric::NodeId to = network_.node_of(message.target);
  const Network::Gates& target = network_.gates_[to];
  if (target.claims != 0) return false;
  if (!burst.is_header && !network_.will_find_room(message, burst.bytes)) return false;
  const Time through = network_.gate_time(model_.injection, burst);
  const Time into = network_.gate_time(model_.ejection, burst);
  Time head = start + (burst.is_header ? model_.injection.per_message : 0);
  for (const Step& step : steps) {
    const Link& link = links_[step.link];
    if (link.claims != 0 || link.taken.earliest(head, on_link(step.link, 0, burst.bytes)) != head)
      return false;
    head += hop(step.link);
    if (burst.packets == 1) continue;
    if (on_link(step.link, 0, burst.bytes) > through) return false;  // the link is slower than the gate
  }
  // What waits at the ejection gate fits into the last buffer.
  const Time wait = target.ejection.earliest(head, into) - head + (into > through ? into - through : 0);
  return wait == 0 || wait <= into / burst.packets * (steps.empty() ? 1 : model_.buffer);
}

unsigned Switching::queued(LinkId link) const {
  const std::uint32_t place = links_[link].output;
  if (place == 0) return links_[link].taken.until() > engine_.now() ? 1 : 0;
  const Output& output = outputs_[place - 1];
  auto count = static_cast<unsigned>(output.asking);
  for (const Buffer& buffer : output.ends) count += static_cast<unsigned>(buffer.taken - buffer.freed);
  return count;
}

Switching::Output& Switching::output_of(LinkId link) {
  std::uint32_t& place = links_[link].output;
  if (place == 0) {
    Output& made = outputs_.emplace_back();
    place = static_cast<std::uint32_t>(outputs_.size());
    made.number = link;
    made.ends.resize(router_.channels());
    for (Buffer& end : made.ends) {
      end.link = link;
      end.places.resize(model_.buffer);
    }
  }
  return outputs_[place - 1];
}

Switching::Output& Switching::ejection_of(fabric::NodeId node) {
  if (ejections_.empty()) ejections_.resize(topology_.nodes());
  std::uint32_t& place = ejections_[node];
  if (place == 0) {
    Output& made = outputs_.emplace_back();
    place = static_cast<std::uint32_t>(outputs_.size());
    made.is_gate = true;
    made.number = node;
  }
  return outputs_[place - 1];
}

// From the gate into the network.

void Switching::launch(NetworkMessage& message, const Burst& burst, Time start) {
  if (free_flights_.empty()) free_flights_.push_back(&flights_.emplace_back());
  Flight& flight = *free_flights_.back();
  free_flights_.pop_back();
  Steps steps = std::move(flight.steps);
  flight = Flight{};
  flight.steps = std::move(steps);
  flight.message = &message;
  flight.attempt = message.tries;
  flight.burst = burst;
  flight.start = start;
  ++message.holders;
  if (injections_.empty()) injections_.resize(topology_.nodes());
  if (!router_.is_adaptive() || message.in_order) {
    router_.choose(network_.node_of(message.source), network_.node_of(message.target), message.in_order,
                   flight.steps);
  }
  start_packet(flight);
}

void Switching::start_packet(Flight& flight) {
  const fabric::NodeId node = network_.node_of(flight.message->source);
  const Time head = flight.start + (flight.burst.is_header ? model_.injection.per_message : 0);
  Flight* const its = &flight;
  engine_.at(head, {kPacketLeaves, node}, [this, its, node] {
    Flight& going = *its;
    if (network_.gates_[node].crashed) {
      going.lost = true;
      gate_free(going);
      return;
    }
    if (free_packets_.empty()) free_packets_.push_back(&packets_.emplace_back());
    Packet& packet = *free_packets_.back();
    free_packets_.pop_back();
    packet.flight = its;
    gate_reached(packet);
  });
}

void Switching::gate_reached(Packet& packet) {
  Flight& flight = *packet.flight;
  const NetworkMessage& message = *flight.message;
  const fabric::NodeId from = network_.node_of(message.source), to = network_.node_of(message.target);
  packet.begin = flight.made * model_.packet_bytes;
  packet.end =
      flight.made + 1 == flight.burst.packets ? flight.burst.bytes : packet.begin + model_.packet_bytes;
  ++flight.made;
  ++flight.under_way;
  ++packets_under_way_;
  if (router_.is_adaptive() && !message.in_order) {
    router_.choose(from, to, false, packet.steps);
  } else {
    packet.steps = flight.steps;
  }
  packet.step = 0;
  packet.next = nullptr;
  const Rate rate = model_.injection.rate;
  packet.gate_end = engine_.now() + model_.injection.per_packet + rate.of(packet.end) - rate.of(packet.begin);
  packet.tail = packet.gate_end;
  if (router_.is_detour(packet.steps)) network_.faults_.reached(FaultProbe::kDetour);
  for (const Step& step : packet.steps) ++links_[step.link].claims;
  ++network_.gates_[to].claims;
  Buffer& buffer = injections_[from];
  buffer.first = buffer.last = &packet;  // one at a time
  ask(buffer);
}

// The packet has got its first link, or the ejection gate of its own node: the next one may come to the gate.
void Switching::packet_left_gate(Packet& packet, Time granted) {
  Flight& flight = *packet.flight;
  flight.start = std::max(packet.gate_end, granted);
  network_.gates_[network_.node_of(flight.message->source)].injection.hold_until(flight.start);
  if (flight.made < flight.burst.packets) {
    start_packet(flight);
    return;
  }
  Flight* const its = &flight;
  engine_.at(flight.start, {kInjectionEnds, network_.node_of(flight.message->source)},
             [this, its] { gate_free(*its); });
}

void Switching::gate_free(Flight& flight) {
  flight.left = true;
  network_.flight_left(flight);
  if (flight.under_way == 0) finish(flight);
}

// From buffer to buffer.

void Switching::ask(Buffer& buffer) {
  const Packet& packet = *buffer.first;
  Output& output = packet.step < packet.steps.size()
                       ? output_of(packet.steps[packet.step].link)
                       : ejection_of(network_.node_of(packet.flight->message->target));
  buffer.next = nullptr;
  *(output.first != nullptr ? &output.last->next : &output.first) = &buffer;
  output.last = &buffer;
  ++output.asking;
  serve(output);
}

void Switching::serve(Output& output) {
  Time again = kNever;
  while (output.first != nullptr) {
    again = kNever;
    if (!serve_one(output, &again)) break;
  }
  if (output.first != nullptr && again != kNever) wake(output, again);
}

// Serves the first buffer that can be served; if there is none, `*again` is when to try next, unless
// something happens before.
bool Switching::serve_one(Output& output, Time* again) {
  const Time now = engine_.now();
  Buffer* before = nullptr;
  std::bitset<kMostChannels> full;  // channels without a place
  for (Buffer* buffer = output.first; buffer != nullptr; before = buffer, buffer = buffer->next) {
    Packet& packet = *buffer->first;
    Buffer* next = nullptr;
    Time duration = 0;
    if (output.is_gate) {
      const Flight& flight = *packet.flight;
      duration = into_node(packet);
      const Time free_at = network_.gates_[output.number].ejection.earliest(now, duration);
      if (free_at > now) {
        *again = std::min(*again, free_at);
        continue;
      }
      if (!flight.burst.is_header && !network_.has_room(*flight.message, packet.end - packet.begin)) continue;
    } else {
      const Link& link = links_[output.number];
      duration = on_link(output.number, packet.begin, packet.end);
      if (const Time free_at = link.taken.earliest(now, duration); free_at > now) {
        *again = std::min(*again, free_at);
        continue;
      }
      next = &output.ends[packet.steps[packet.step].channel];
      if (next->next_place() > now) {
        *again = std::min(*again, next->next_place());
        full.set(packet.steps[packet.step].channel);
        if (full.count() == output.ends.size()) return false;
        continue;
      }
    }
    *(before != nullptr ? &before->next : &output.first) = buffer->next;
    if (output.last == buffer) output.last = before;
    --output.asking;
    if (output.is_gate) {
      grant_ejection(output, *buffer, duration);
    } else {
      grant_link(output, *buffer, *next, duration);
    }
    return true;
  }
  return false;
}

void Switching::grant_link(Output& output, Buffer& buffer, Buffer& next, Time duration) {
  const Time now = engine_.now();
  take(output.number, now, now + duration, 1);
  next.places[next.taken++ % next.places.size()] = kNever;
  Packet& packet = take_first(buffer);
  --links_[output.number].claims;
  packet.tail = std::max(packet.tail, now + duration);
  free_place(buffer, packet.tail);
  packet.tail += hop(output.number);
  if (buffer.link == kGate) packet_left_gate(packet, now);
  Packet* const its = &packet;
  const bool cut = network_.is_cut(output.number);
  engine_.at(now + hop(output.number), {kPacketArrives, topology_.ends(output.number)[1]}, [this, its, cut] {
    if (!cut) {
      arrives(*its);
      return;
    }
    // A cut link has swallowed the packet; the sender gets no answer.
    Packet& swallowed = *its;
    swallowed.flight->lost = true;
    network_.faults_.reached(FaultProbe::kLostAtCut);
    const Step& step = swallowed.steps[swallowed.step];
    free_place(output_of(step.link).ends[step.channel], swallowed.tail);
    for (std::size_t i = swallowed.step + 1; i < swallowed.steps.size(); ++i)
      --links_[swallowed.steps[i].link].claims;
    --network_.gates_[network_.node_of(swallowed.flight->message->target)].claims;
    packet_done(swallowed, engine_.now());
  });
  if (buffer.first != nullptr) ask(buffer);
}

void Switching::arrives(Packet& packet) {
  const Step& step = packet.steps[packet.step++];
  Buffer& buffer = output_of(step.link).ends[step.channel];
  packet.next = nullptr;
  const bool is_first = buffer.first == nullptr;
  *(is_first ? &buffer.first : &buffer.last->next) = &packet;
  buffer.last = &packet;
  if (is_first) ask(buffer);
}

Time Switching::into_node(const Packet& packet) const {
  const Gate& gate = model_.ejection;
  return (packet.flight->burst.is_header ? gate.per_message : 0) + gate.per_packet +
         gate.rate.of(packet.end) - gate.rate.of(packet.begin);
}

void Switching::grant_ejection(Output& output, Buffer& buffer, Time duration) {
  const Time now = engine_.now();
  Packet& packet = take_first(buffer);
  Flight& flight = *packet.flight;
  Network::Gates& gates = network_.gates_[output.number];
  gates.ejection.take(now, now, now + duration);
  --gates.claims;
  const Time done = std::max(packet.tail, now + duration);
  if (!flight.burst.is_header) network_.enters(*flight.message, packet.end - packet.begin);
  free_place(buffer, done);
  if (buffer.link == kGate) packet_left_gate(packet, now);
  packet_done(packet, done);
  if (buffer.first != nullptr) ask(buffer);
}

Switching::Packet& Switching::take_first(Buffer& buffer) {
  Packet& packet = *buffer.first;
  buffer.first = packet.next;
  return packet;
}

// The last byte leaves at `when`; the credit takes as long as a packet's first byte.
void Switching::free_place(Buffer& buffer, Time when) {
  if (buffer.link == kGate) return;
  const Time back = when + hop(buffer.link);
  buffer.places[buffer.freed++ % buffer.places.size()] = back;
  Output& output = output_of(buffer.link);
  if (output.first != nullptr) wake(output, back);
}

void Switching::wake(Output& output, Time when) {
  if (when >= output.wakes_at) return;
  output.wakes_at = when;
  Output* const its = &output;
  const std::uint32_t node = output.is_gate ? output.number : topology_.ends(output.number)[0];
  engine_.at(when, {kLinkFree, node}, [this, its] {
    if (its->wakes_at != engine_.now()) return;  // it was woken before that, and will be again
    its->wakes_at = kNever;
    serve(*its);
  });
}

void Switching::room_freed(fabric::NodeId node) {
  if (ejections_.empty() || ejections_[node] == 0) return;
  Output& output = outputs_[ejections_[node] - 1];
  // Not at once, because a report must not come from inside accept().
  if (output.first != nullptr) wake(output, engine_.now());
}

void Switching::packet_done(Packet& packet, Time arrived) {
  Flight& flight = *packet.flight;
  flight.arrived = std::max(flight.arrived, arrived);
  --flight.under_way;
  --packets_under_way_;
  free_packets_.push_back(&packet);
  if (flight.left && flight.under_way == 0) finish(flight);
}

void Switching::finish(Flight& flight) {
  Flight* const its = &flight;
  engine_.at(flight.arrived, {kPayloadArrives, network_.node_of(flight.message->target)}, [this, its] {
    NetworkMessage& message = *its->message;
    network_.flight_arrived(*its);
    free_flights_.push_back(its);
    network_.release(message);
  });
}

}  // namespace aqueduct::sim
