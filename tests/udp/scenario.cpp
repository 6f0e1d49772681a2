#include "udp/scenario.hpp"

#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
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
  std::uint64_t name() const { return number * 1009 + source * 31 + target; }
};

struct Plan {
  unsigned nodes;
  unsigned messages;
  Faults faults;
  LinkSettings links;
  bool is_sealed;
  bool has_partitions, has_pauses, has_narrow_paths;
  unsigned postpones;  // of 100 arrivals
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
  plan.links.message_window = one_of(random, {std::size_t{16} << 10, std::size_t{256} << 10});
  plan.links.give_up_ns = 0;
  plan.links.widen_after_ns = 100 * kMillisecond;
  plan.has_partitions = random() % 3 == 0;
  plan.has_pauses = random() % 3 == 0;
  plan.has_narrow_paths = random() % 3 == 0;
  plan.postpones = static_cast<unsigned>(one_of(random, {0, 10, 80}));
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
    bool is_sent = false;
  };
  struct Incoming {
    TestHeader header;
    std::size_t keep = 0;
    std::vector<std::byte> memory;
    std::vector<Piece> pieces;
    bool is_landed = false;
  };

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
      for (const auto& message : sender->outgoing_) ++nodes[message.target]->expected_[sender->self_];
    }
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
  if (scenario.plan.is_sealed) setup.seal = std::make_unique<TestSeal>();
  for (unsigned node = 0; node < scenario.plan.nodes; ++node)
    setup.peers.add(SimulatedNetwork::address_of(node));
  setup.peers.close();
  setup.links = scenario.plan.links;
  port_ = std::make_unique<UdpPort>(std::move(setup), scenario.clock);
  port_->set_client(*this);
  std::vector<std::uint64_t> numbers(scenario.plan.nodes);
  Random& random = scenario.random;
  for (unsigned i = 0; i < scenario.plan.messages; ++i) {
    Outgoing& message = outgoing_.emplace_back();
    message.target = static_cast<unsigned>(random() % scenario.plan.nodes);
    const std::size_t most = one_of(random, {0, 100, 2000, 9000, 200'000});
    const std::size_t bytes = most == 0 ? 0 : random() % most;
    message.header = {self, message.target, numbers[message.target]++, bytes};
    message.header_bytes = sizeof(TestHeader) + random() % (kMaxHeader - sizeof(TestHeader) + 1);
    message.payload.resize(bytes);
    for (std::size_t at = 0; at < bytes; ++at) message.payload[at] = pattern(message.header.name(), at);
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
    if (port_->send(message.target, {header, message.header_bytes}, pieces, next_) == Post::kRetry) return;
    // What was copied may change.
    if (message.payload.size() <= port_->traits().copied_bytes)
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
  if (header.number != numbers_[arrival.source]) {
    scenario_.complain("message " + std::to_string(header.number) + " of node " +
                       std::to_string(arrival.source) + " came in place of " +
                       std::to_string(numbers_[arrival.source]));
  }
  ++numbers_[arrival.source];
  if (header.payload_bytes != arrival.payload_bytes) scenario_.complain("a payload has another size");
  for (std::size_t at = sizeof header; at < arrival.header.size(); ++at) {
    if (arrival.header[at] != pattern(header.name(), at)) return scenario_.complain("a header was damaged");
  }
  if ((arrival.inline_payload != nullptr) != (arrival.payload_bytes <= port_->traits().inline_bytes) &&
      arrival.payload_bytes != 0)
    scenario_.complain("a payload came along that should not have, or not");
  if (scenario_.random() % 100 < scenario_.plan.postpones) {
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
         postponed_.empty() && landed_ == answered_;
}

std::string TestNode::missing() const {
  return "node " + std::to_string(self_) + ": " + std::to_string(next_) + " of " +
         std::to_string(outgoing_.size()) + " posted, " + std::to_string(sent_) + " sent, " +
         std::to_string(answered_) + " answered, " + std::to_string(landed_) + " landed";
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
