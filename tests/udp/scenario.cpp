#include "udp/scenario.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "fabric/udp/port.hpp"
#include "udp/simulated_network.hpp"

namespace aqueduct::fabric::udp::test {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kSecond = 1'000'000'000;
/// Virtual time after which a run is a hang.
constexpr std::uint64_t kHangNs = 3'000 * kSecond;

using Random = std::mt19937_64;

std::uint64_t one_of(Random& random, std::initializer_list<std::uint64_t> choices) {
  return choices.begin()[random() % choices.size()];
}

std::byte pattern(std::uint64_t name, std::size_t at) {
  return static_cast<std::byte>(name * 31 + at * 7 + at / 251);
}

/// What the header of a test message says; further bytes follow, of the pattern of `name`.
struct TestHeader {
  std::uint32_t source;
  std::uint32_t target;
  std::uint64_t number;
  std::uint64_t payload_bytes;
  std::uint64_t is_placed;  ///< then numbers have a sequence of their own, and come in any order
  std::uint64_t name() const { return number * 1009 + source * 31 + target + is_placed * 17; }
};

struct Plan {
  unsigned nodes;
  unsigned messages;
  Faults faults;
  LinkSettings links;
  bool is_sealed;
  bool has_partitions, has_pauses, has_narrow_paths;
  unsigned postpones;  // of 100 arrivals
  unsigned places;     // of 100 messages
};

Plan make_plan(Random& random, bool loses_half) {
  Plan plan;
  plan.nodes = 2 + static_cast<unsigned>(random() % 3);
  plan.messages = 20 + static_cast<unsigned>(random() % 60);
  Faults& faults = plan.faults;
  faults.loss = static_cast<std::uint32_t>(one_of(random, {0, 0, 10'000, 50'000, 300'000}));
  faults.duplication = static_cast<std::uint32_t>(one_of(random, {0, 10'000, 200'000}));
  faults.replay = static_cast<std::uint32_t>(one_of(random, {0, 10'000}));
  faults.no_room = static_cast<std::uint32_t>(one_of(random, {0, 0, 100'000}));
  faults.latency_ns = one_of(random, {2'000, 20'000, 1'000'000});
  faults.jitter_ns = one_of(random, {0, 1'000, 50'000, 2'000'000});
  faults.largest_datagram = one_of(random, {1252, 1472, 8972, 65507});
  faults.receive_room = one_of(random, {std::size_t{128} << 10, std::size_t{1} << 20});
  plan.is_sealed = random() % 4 != 0;
  if (plan.is_sealed) {
    faults.corruption = static_cast<std::uint32_t>(one_of(random, {0, 10'000, 100'000}));
    faults.stray = static_cast<std::uint32_t>(one_of(random, {0, 20'000}));
  }
  plan.links.inline_bytes = one_of(random, {0, 200, 2048, 8192});
  plan.links.beside_bytes = plan.messages % 3 == 0 ? 0 : LinkSettings().beside_bytes;  // no further draw
  plan.links.message_window = one_of(random, {std::size_t{16} << 10, std::size_t{256} << 10});
  plan.links.give_up_ns = 0;
  plan.links.widen_after_ns = 100 * kMillisecond;
  plan.has_partitions = random() % 3 == 0;
  plan.has_pauses = random() % 3 == 0;
  plan.has_narrow_paths = random() % 3 == 0;
  plan.postpones = static_cast<unsigned>(one_of(random, {0, 10, 80}));
  plan.places = static_cast<unsigned>(one_of(random, {0, 30, 100}));
  if (!loses_half) return plan;
  faults.every_second = random() % 2 == 0;
  faults.loss = faults.every_second ? 0 : 500'000;
  plan.links.give_up_ns = 60 * kSecond;
  return plan;
}

class Scenario;

/// One node: its port, and a client that keeps book.
class TestNode : private PortClient {
 public:
  TestNode(Scenario& scenario, unsigned self);
  void act();
  bool is_done() const;
  std::string missing() const;
  void go_on_sending();

  UdpPort& port() { return *port_; }
  std::uint64_t next_answer_ns() const {
    return postponed_.empty() ? Link::kNever : postponed_.begin()->first;
  }
  std::uint64_t paused_until_ns = 0;

 private:
  struct Outgoing {
    unsigned target;
    TestHeader header;
    std::size_t header_bytes;
    std::vector<std::byte> payload;
    std::optional<Place> place;
    bool is_sent = false;
  };
  struct Incoming {
    TestHeader header;
    std::size_t keep = 0;
    std::vector<std::byte> memory;
    std::vector<Piece> pieces;
    bool is_landed = false;
  };

  /// Memory of this node that a message names, with bytes around it that nobody may write.
  struct NamedMemory {
    static constexpr std::size_t kGuard = 64;
    static constexpr auto kUntouched = std::byte{0x55}, kRead = std::byte{0xaa};
    std::byte* begin = nullptr;  // of the payload
    std::size_t bytes = 0;
    bool has_come = false;
  };

  void name_places();
  void check_placed(const Arrival& arrival, const TestHeader& header);
  void check_memory();
  void arrived(const Arrival& arrival) override;
  void landed(std::uint64_t cookie, Outcome outcome) override;
  void sent(std::uint64_t cookie) override;
  void undeliverable(std::uint64_t, NodeId, std::span<const std::byte>) override;
  void answer(std::uint64_t id, const TestHeader& header);

  Scenario& scenario_;
  unsigned self_;
  std::unique_ptr<UdpPort> port_;
  std::vector<Outgoing> outgoing_;
  std::size_t next_ = 0;
  std::size_t sent_ = 0;
  std::vector<std::uint64_t> numbers_;   // that came from each node
  std::vector<std::uint64_t> expected_;  // in all
  std::vector<std::byte> exposed_;
  std::map<std::pair<unsigned, std::uint64_t>, NamedMemory> named_;  // by source and number
  std::vector<std::unique_ptr<std::byte[]>> posted_;
  std::uint64_t placed_left_ = 0;
  std::map<std::uint64_t, Incoming> incoming_;
  std::uint64_t next_cookie_ = 1;
  std::size_t answered_ = 0;
  std::size_t landed_ = 0;
  std::multimap<std::uint64_t, std::pair<std::uint64_t, TestHeader>> postponed_;
  friend class Scenario;
};

class Scenario {
 public:
  Scenario(std::uint64_t seed, bool loses_half)
      : random(seed), plan(make_plan(random, loses_half)), network(clock, plan.nodes, plan.faults, random()) {
    for (unsigned node = 0; node < plan.nodes; ++node)
      nodes.push_back(std::make_unique<TestNode>(*this, node));
    for (auto& sender : nodes) {
      for (const auto& message : sender->outgoing_) {
        if (message.header.is_placed == 0) ++nodes[message.target]->expected_[sender->self_];
      }
    }
    for (auto& target : nodes) target->name_places();
  }
  ScenarioResult run();
  void complain(const std::string& what) {
    if (failure.empty()) failure = what;
  }

  VirtualClock clock;
  Random random;
  Plan plan;
  SimulatedNetwork network;
  std::vector<std::unique_ptr<TestNode>> nodes;
  std::string failure;

 private:
  void make_trouble();
  std::uint64_t next_ns();
  bool is_over() const;
  std::uint64_t next_trouble_ns_ = 0;
  unsigned troubles_ = 0;
};

TestNode::TestNode(Scenario& scenario, unsigned self)
    : scenario_(scenario), self_(self), numbers_(scenario.plan.nodes), expected_(scenario.plan.nodes) {
  PortSetup setup;
  setup.self = self;
  setup.plane = Plane{1};
  setup.job = 0x12345678;
  setup.socket = std::make_unique<SimulatedSocket>(scenario.network, self);
  // Hosts of a job may have different libraries for the same seals.
  if (scenario.plan.is_sealed) setup.seal = std::make_unique<TestSeal>(self % 2 == 0);
  for (unsigned node = 0; node < scenario.plan.nodes; ++node)
    setup.peers.add(SimulatedNetwork::address_of(node));
  setup.peers.close();
  setup.links = scenario.plan.links;
  port_ = std::make_unique<UdpPort>(std::move(setup), scenario.clock);
  port_->set_client(*this);
  std::vector<std::uint64_t> numbers[2] = {std::vector<std::uint64_t>(scenario.plan.nodes),
                                           std::vector<std::uint64_t>(scenario.plan.nodes)};
  Random& random = scenario.random;
  for (unsigned i = 0; i < scenario.plan.messages; ++i) {
    Outgoing& message = outgoing_.emplace_back();
    message.target = static_cast<unsigned>(random() % scenario.plan.nodes);
    const std::size_t most = one_of(random, {0, 100, 2000, 9000, 200'000});
    const std::size_t bytes = most == 0 ? 0 : random() % most;
    const bool is_placed = random() % 100 < scenario.plan.places;
    message.header = {self, message.target, numbers[is_placed][message.target]++, bytes, is_placed};
    if (is_placed) message.place = Place{static_cast<Place::Kind>(random() % 3), 0};
    if (is_placed && message.place->kind == Place::Kind::kBuffer && bytes > Place::kMostBuffered)
      message.place->kind = Place::Kind::kExposed;
    message.header_bytes = sizeof(TestHeader) + random() % (kMaxHeader - sizeof(TestHeader) + 1);
    message.payload.resize(bytes);
    for (std::size_t at = 0; at < bytes; ++at) message.payload[at] = pattern(message.header.name(), at);
  }
}

// Of all messages that name memory of this node: where it is.
void TestNode::name_places() {
  constexpr std::size_t kGuard = NamedMemory::kGuard;
  std::vector<std::pair<Outgoing*, std::size_t>> exposed;
  std::size_t end = kGuard;
  for (auto& sender : scenario_.nodes) {
    for (Outgoing& message : sender->outgoing_) {
      if (message.target != self_ || !message.place) continue;
      ++placed_left_;
      if (message.place->kind == Place::Kind::kBuffer) continue;
      NamedMemory& memory = named_[{sender->self_, message.header.number}];
      memory.bytes = message.payload.size();
      if (message.place->kind == Place::Kind::kExposed) {
        exposed.emplace_back(&message, end);
        end += memory.bytes + kGuard;
        continue;
      }
      posted_.push_back(std::make_unique<std::byte[]>(memory.bytes + 2 * kGuard));
      memory.begin = posted_.back().get() + kGuard;
      std::fill_n(posted_.back().get(), memory.bytes + 2 * kGuard, NamedMemory::kUntouched);
      message.place->at = port_->post(sender->self_, {memory.begin, memory.bytes});
    }
  }
  exposed_.assign(end, NamedMemory::kUntouched);
  port_->expose({exposed_.data() + kGuard, end - kGuard});
  for (const auto& [message, offset] : exposed) {
    named_[{message->header.source, message->header.number}].begin = exposed_.data() + offset;
    message->place->at = reinterpret_cast<std::uint64_t>(exposed_.data() + offset);
  }
}

void TestNode::check_placed(const Arrival& arrival, const TestHeader& header) {
  if (placed_left_-- == 0) return scenario_.complain("a message that names its place came twice");
  if (!arrival.inline_payload && arrival.payload_bytes != 0)
    return scenario_.complain("a message came before its payload was in its place");
  for (std::size_t at = 0; at < arrival.payload_bytes; ++at) {
    if (arrival.inline_payload[at] != pattern(header.name(), at))
      return scenario_.complain("a payload is wrong in its place");
  }
  const auto found = named_.find({header.source, header.number});
  if (found == named_.end()) return;
  NamedMemory& memory = found->second;
  if (std::exchange(memory.has_come, true)) return scenario_.complain("a message came twice");
  const bool travels_by_itself = arrival.payload_bytes > port_->traits().inline_bytes;
  if (travels_by_itself && arrival.inline_payload != memory.begin)
    return scenario_.complain("a payload came to another place");
  std::fill_n(memory.begin, memory.bytes, NamedMemory::kRead);
}

// Nobody has written where nothing was to be written, nor a second time.
void TestNode::check_memory() {
  for (const auto& [name, memory] : named_) {
    const auto is = [](std::byte wanted) { return [wanted](std::byte have) { return have == wanted; }; };
    const std::byte* const end = memory.begin + memory.bytes;
    if (!std::all_of(memory.begin - NamedMemory::kGuard, memory.begin, is(NamedMemory::kUntouched)) ||
        !std::all_of(end, end + NamedMemory::kGuard, is(NamedMemory::kUntouched)))
      scenario_.complain("something was written beside a place");
    if (!std::all_of(static_cast<const std::byte*>(memory.begin), end, is(NamedMemory::kRead)))
      scenario_.complain("something was written after the message had come");
  }
}

void TestNode::go_on_sending() {
  for (unsigned burst = 0; next_ < outgoing_.size() && burst < 8; ++burst) {
    Outgoing& message = outgoing_[next_];
    std::byte header[kMaxHeader];
    std::memcpy(header, &message.header, sizeof message.header);
    for (std::size_t at = sizeof message.header; at < message.header_bytes; ++at)
      header[at] = pattern(message.header.name(), at);
    // In up to three pieces.
    const std::size_t a = message.payload.size() / 3, b = message.payload.size() / 2;
    std::vector<Piece> pieces;
    if (!message.payload.empty())
      pieces = {{message.payload.data(), a},
                {message.payload.data() + a, b - a},
                {message.payload.data() + b, message.payload.size() - b}};
    const std::span<const std::byte> head(header, message.header_bytes);
    const Traits traits = port_->traits();
    const bool is_released =
        message.place && message.payload.size() <= traits.released_bytes && message.header.name() % 2 == 0;
    const Release release = is_released ? Release::kAtReturn : Release::kWhenSent;
    const Post post = message.place
                          ? port_->send_placed(message.target, head, pieces, *message.place, release, next_)
                          : port_->send(message.target, head, pieces, next_);
    if (post == Post::kRetry) return;
    // What was copied may change.
    if (is_released || (!message.place && message.payload.size() <= traits.copied_bytes))
      std::fill(message.payload.begin(), message.payload.end(), std::byte{0xee});
    ++next_;
  }
}

void TestNode::arrived(const Arrival& arrival) {
  TestHeader header;
  if (arrival.header.size() < sizeof header) return scenario_.complain("a header is too short");
  std::memcpy(&header, arrival.header.data(), sizeof header);
  if (header.source != arrival.source || header.target != self_)
    scenario_.complain("a message came to the wrong node");
  if (header.is_placed != 0) {
    check_placed(arrival, header);
  } else if (header.number != numbers_[arrival.source]) {
    scenario_.complain("message " + std::to_string(header.number) + " of node " +
                       std::to_string(arrival.source) + " came in place of " +
                       std::to_string(numbers_[arrival.source]));
  }
  if (header.is_placed == 0) ++numbers_[arrival.source];
  if (header.payload_bytes != arrival.payload_bytes) scenario_.complain("a payload has another size");
  for (std::size_t at = sizeof header; at < arrival.header.size(); ++at) {
    if (arrival.header[at] != pattern(header.name(), at)) return scenario_.complain("a header was damaged");
  }
  if (header.is_placed == 0 &&
      (arrival.inline_payload != nullptr) != (arrival.payload_bytes <= port_->traits().inline_bytes) &&
      arrival.payload_bytes != 0)
    scenario_.complain("a payload came along that should not have, or not");
  if (named_.contains({header.source, header.number}) && header.is_placed != 0) {
    port_->discard(arrival.id);
    ++answered_;
    ++landed_;
  } else if (scenario_.random() % 100 < scenario_.plan.postpones) {
    postponed_.emplace(scenario_.clock.now + scenario_.random() % (20 * kMillisecond),
                       std::pair(arrival.id, header));
  } else {
    answer(arrival.id, header);
  }
}

void TestNode::answer(std::uint64_t id, const TestHeader& header) {
  ++answered_;
  Random& random = scenario_.random;
  if (random() % 10 == 0) {
    port_->discard(id);
    ++landed_;
    return;
  }
  const std::uint64_t cookie = next_cookie_++;
  Incoming& incoming = incoming_[cookie];
  incoming.header = header;
  incoming.keep = static_cast<std::size_t>(random() % 5 == 0 ? random() % (header.payload_bytes + 1)
                                                             : header.payload_bytes);
  incoming.memory.assign(header.payload_bytes + 1, std::byte{0x55});
  const std::size_t half = random() % (incoming.memory.size() + 1);
  incoming.pieces = {{incoming.memory.data(), half},
                     {nullptr, 0},
                     {incoming.memory.data() + half, incoming.memory.size() - half}};
  port_->accept(id, incoming.pieces, incoming.keep, cookie);
}

void TestNode::landed(std::uint64_t cookie, Outcome outcome) {
  const auto found = incoming_.find(cookie);
  if (found == incoming_.end() || found->second.is_landed)
    return scenario_.complain("a payload landed twice");
  Incoming& incoming = found->second;
  incoming.is_landed = true;
  ++landed_;
  if (outcome != Outcome::kOk) return scenario_.complain("a payload did not come");
  for (std::size_t at = 0; at < incoming.memory.size(); ++at) {
    const std::byte wanted = at < incoming.keep ? pattern(incoming.header.name(), at) : std::byte{0x55};
    if (incoming.memory[at] != wanted)
      return scenario_.complain("byte " + std::to_string(at) + " of a payload is wrong");
  }
}

void TestNode::sent(std::uint64_t cookie) {
  if (cookie >= outgoing_.size() || outgoing_[cookie].is_sent)
    return scenario_.complain("sent() was said twice");
  outgoing_[cookie].is_sent = true;
  ++sent_;
  // The memory is ours again.
  std::fill(outgoing_[cookie].payload.begin(), outgoing_[cookie].payload.end(), std::byte{0xdd});
}

void TestNode::undeliverable(std::uint64_t, NodeId, std::span<const std::byte>) {
  scenario_.complain("a message was given up");
}

bool TestNode::is_done() const {
  return next_ == outgoing_.size() && sent_ == outgoing_.size() && numbers_ == expected_ &&
         placed_left_ == 0 && postponed_.empty() && landed_ == answered_;
}

std::string TestNode::missing() const {
  return "node " + std::to_string(self_) + ": " + std::to_string(next_) + " of " +
         std::to_string(outgoing_.size()) + " posted, " + std::to_string(sent_) + " sent, " +
         std::to_string(answered_) + " answered, " + std::to_string(landed_) + " landed, " +
         std::to_string(placed_left_) + " of those that name a place to come";
}

void TestNode::act() {
  port_->service();
  while (!postponed_.empty() && postponed_.begin()->first <= scenario_.clock.now) {
    const auto [id, header] = postponed_.begin()->second;
    postponed_.erase(postponed_.begin());
    answer(id, header);
  }
  go_on_sending();
  port_->service();
}

void Scenario::make_trouble() {
  if (clock.now < next_trouble_ns_ || troubles_ == 20) return;
  ++troubles_;
  next_trouble_ns_ = clock.now + random() % (50 * kMillisecond);
  const auto node = static_cast<unsigned>(random() % plan.nodes),
             other = static_cast<unsigned>(random() % plan.nodes);
  if (plan.has_partitions && random() % 2 == 0)
    network.cut(node, other, clock.now + random() % (100 * kMillisecond));
  if (plan.has_pauses && random() % 2 == 0)
    nodes[node]->paused_until_ns = clock.now + random() % (100 * kMillisecond);
  if (plan.has_narrow_paths && random() % 2 == 0) {
    const std::size_t largest = one_of(random, {1252, 1400, ~std::size_t{0}});
    network.narrow(node, other, largest, random() % 2 == 0);
  }
}

std::uint64_t Scenario::next_ns() {
  std::uint64_t next = network.next_ns();
  for (const auto& node : nodes) {
    std::uint64_t theirs = std::min(node->port().deadline_ns(), node->next_answer_ns());
    if (node->next_ < node->outgoing_.size()) theirs = std::min(theirs, clock.now + kMillisecond);
    if (network.has_something_for(node->self_)) theirs = clock.now;
    next = std::min(next, std::max(theirs, node->paused_until_ns));
  }
  return std::max(next, clock.now + 100);
}

bool Scenario::is_over() const {
  for (const auto& node : nodes) {
    if (!node->is_done()) return false;
  }
  return true;
}

ScenarioResult Scenario::run() {
  const std::uint64_t begin = clock.now;
  while (failure.empty() && !is_over()) {
    make_trouble();
    network.deliver();
    for (const auto& node : nodes) {
      if (clock.now >= node->paused_until_ns) node->act();
    }
    const std::uint64_t next = next_ns();
    if (is_over()) break;
    clock.now = std::min(next, begin + kHangNs);
    if (next - begin < kHangNs) continue;
    complain("it hangs");
    for (const auto& node : nodes) failure += "; " + node->missing();
  }
  if (failure.empty()) {
    for (const auto& node : nodes) node->check_memory();
  }
  ScenarioResult result;
  result.failure = failure;
  result.messages = std::uint64_t{plan.nodes} * plan.messages;
  result.datagrams = network.carried();
  result.virtual_ns = clock.now - begin;
  for (const auto& node : nodes) result.counters += node->port().counters();
  return result;
}

}  // namespace

ScenarioResult run_scenario(std::uint64_t seed, bool loses_half) { return Scenario(seed, loses_half).run(); }

}  // namespace aqueduct::fabric::udp::test
