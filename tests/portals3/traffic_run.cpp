// Random traffic in a simulated world that goes wrong: which network, which interfaces and which faults
// follow from the seed.
#include <cstdio>

#include "papers/nic/portals3/fabric_nal.hpp"
#include "papers/nic/portals3/seastar/machine.hpp"
#include "portals3/seeds.hpp"
#include "portals3/traffic.hpp"
#include "sim/simulation.hpp"

namespace aqueduct::test {
namespace {

using namespace portals3;
namespace sim = aqueduct::sim;

const sim::NetworkModel& network(const char* name) {
  static std::vector<std::unique_ptr<sim::NetworkModel>> loaded;
  for (const auto& model : loaded) {
    if (model->name == name) return *model;
  }
  std::string error;
  auto model = sim::NetworkModel::load(std::string(AQUEDUCT_NETWORKS "/") + name + ".toml", {}, &error);
  if (!model) std::fprintf(stderr, "%s\n", error.c_str());
  return *loaded.emplace_back(std::make_unique<sim::NetworkModel>(std::move(model.value())));
}

/// A bridge that costs nothing, with faults.
class FreeBridge : public Bridge {
 public:
  FreeBridge(sim::Host& host, sim::Faults& faults) : host_(host), faults_(faults) {}
  Identity identity() const override { return {}; }
  int validate(std::span<const Piece>, MemoryKey& key) override {
    if (faults_.registration_fails(host_.node())) return PTL_VAL_FAILED;
    key = 1;
    ++registered;
    return PTL_OK;
  }
  void invalidate(MemoryKey) override { --registered; }
  std::uint64_t now_ns() override { return host_.engine().now() / sim::kNanosecond; }
  void wait(Nal&, const Activity& activity, std::uint64_t seen, std::uint64_t deadline_ns) override {
    const std::uint64_t host_seen = host_.activity();
    if (activity.load(std::memory_order_relaxed) != seen) return;
    if (deadline_ns == kForever) {
      host_.rest(host_seen, "a Portals event");
    } else {
      host_.rest_until(host_seen, deadline_ns * sim::kNanosecond, "a Portals event");
    }
  }
  void posted() override { host_.notify(); }
  EventFault event_fault() override {
    return faults_.event_queue_full(host_.node()) ? EventFault::kQueueFull : EventFault::kNone;
  }

  int registered = 0;

 private:
  sim::Host& host_;
  sim::Faults& faults_;
};

/// A process on a node whose interface is nothing but a wire.
struct PlainSeat {
  PlainSeat(sim::Simulation& simulation, Node& node, fabric::NodeId at)
      : bridge(simulation.host(at), simulation.faults()) {
    process.offer(PTL_IFACE_DEFAULT, node, bridge);
  }
  FreeBridge bridge;
  Process process;
};

struct PlainNode {
  explicit PlainNode(fabric::Port& port) : nal(port), node(nal) {}
  FabricNal nal;
  Node node;
};

struct Scenario {
  bool seastar = false;
  const char* network = "crossbar";
  fabric::NodeId nodes = 2;
  bool crashes = false, loses = false;
  sim::FaultPlan faults;
  TrafficPlan traffic;
};

Scenario scenario_of(std::uint64_t seed) {
  Random random{key_of(seed, 0x5ce0)};
  const auto pick = [&](std::uint64_t choices) { return random() % choices; };
  Scenario scenario;
  scenario.nodes = static_cast<fabric::NodeId>(2 + pick(4));
  scenario.seastar = pick(3) == 0;
  scenario.network = scenario.seastar ? "seastar-redstorm" : pick(2) == 0 ? "crossbar" : "torus";
  scenario.traffic.processes = scenario.nodes * (pick(4) == 0 ? 2 : 1);
  scenario.traffic.operations = static_cast<unsigned>(4 + pick(12));
  scenario.traffic.provokes_failures = pick(10) == 0;
  scenario.traffic.impatient = pick(4) == 0;
  scenario.traffic.strays = pick(5) == 0;
  if (pick(6) == 0) scenario.traffic.queue_events = static_cast<unsigned>(2 + pick(20));
  sim::FaultPlan& faults = scenario.faults;
  const auto rate = [&](std::uint32_t most) {
    return pick(3) == 0 ? static_cast<std::uint32_t>(pick(most)) : 0u;
  };
  faults.drop = rate(150'000);
  faults.corrupt = rate(150'000);
  faults.duplicate = rate(200'000);
  faults.delay = rate(300'000);
  faults.registration = rate(100'000);
  if (pick(8) == 0) faults.event_queue_full = static_cast<std::uint32_t>(pick(100'000));
  const auto node = [&] { return static_cast<fabric::NodeId>(pick(scenario.nodes)); };
  const auto when = [&] { return pick(pick(2) == 0 ? 100 : 3000) * sim::kMicrosecond; };
  if (pick(4) == 0) faults.slow.push_back({node(), static_cast<std::uint32_t>(150 + pick(900))});
  if (pick(4) == 0) faults.freezes.push_back({node(), when(), pick(3000) * sim::kMicrosecond});
  if (pick(4) == 0) {
    faults.crashes.push_back({node(), when()});
    scenario.crashes = true;
  }
  if (pick(8) == 0) faults.cuts.push_back({{.a = 0, .b = 1}, when()});
  // With enough bad luck all tries of a message fail.
  scenario.loses = faults.drop + faults.corrupt > 0 || !faults.cuts.empty();
  return scenario;
}

void count(const Traffic& traffic, const sim::Faults& faults) {
  for (const Operation& operation : traffic.operations) {
    traffic_reached["operations completed"] += operation.ends;
    traffic_reached["operations refused"] += !operation.begun;
    traffic_reached["acknowledgements"] += operation.acks;
    traffic_reached["replies"] += operation.replies;
    traffic_reached["failed sends"] += operation.send_failures;
    traffic_reached["failed acknowledgements"] += operation.ack_failures;
    traffic_reached["failed replies"] += operation.reply_failures;
    traffic_reached["failed arrivals"] += operation.end_failures;
  }
  for (unsigned i = 0; i < traffic.plan.processes; ++i) {
    const Correspondent& process = traffic.process(i);
    traffic_reached["events lost"] += process.counters[PTL_SR_EVENT_LOST_COUNT];
    traffic_reached["requests dropped"] += process.counters[PTL_SR_DROP_COUNT];
    traffic_reached["answers too late"] += process.counters[PTL_SR_LATE_COUNT];
    traffic_reached["messages undeliverable"] += process.counters[PTL_SR_UNDELIVERABLE_COUNT];
    traffic_reached["strays"] += process.counters[PTL_SR_STRAY_COUNT];
  }
  for (auto probe = sim::FaultProbe{}; probe < sim::FaultProbe::kCount;
       probe = static_cast<sim::FaultProbe>(static_cast<unsigned>(probe) + 1)) {
    if (probe == sim::FaultProbe::kReordered) continue;    // all networks here keep their order
    if (probe == sim::FaultProbe::kEventFailed) continue;  // every failure here must have a reason
    traffic_reached[std::string("fault: ") + sim::name_of(probe)] += faults.count(probe);
  }
}

std::string run_once(std::uint64_t seed, std::uint64_t& hash, std::uint64_t& digest) {
  const Scenario scenario = scenario_of(seed);
  sim::Simulation simulation({.model = &network(scenario.network),
                              .nodes = scenario.nodes,
                              .seed = seed,
                              .faults = scenario.faults});
  Traffic traffic{scenario.traffic, seed, [&] { return simulation.engine().now() / sim::kNanosecond; }};
  std::vector<std::unique_ptr<PlainNode>> nodes;
  std::vector<std::unique_ptr<PlainSeat>> seats;
  std::unique_ptr<seastar::Machine> machine;
  if (scenario.seastar) {
    machine = std::make_unique<seastar::Machine>(simulation);
  } else {
    for (fabric::NodeId i = 0; i < scenario.nodes; ++i)
      nodes.push_back(std::make_unique<PlainNode>(simulation.port(i)));
  }
  for (unsigned i = 0; i < scenario.traffic.processes; ++i) {
    const fabric::NodeId at = i % scenario.nodes;
    const auto main = [&traffic, i] { traffic.process(i).main(); };
    if (scenario.seastar) {
      const auto kind = static_cast<seastar::BridgeKind>(key_of(seed, i) % 4);
      machine->start(at, "process " + std::to_string(i), {.bridge = kind}, main);
      continue;
    }
    PlainSeat& seat = *seats.emplace_back(std::make_unique<PlainSeat>(simulation, nodes[at]->node, at));
    simulation.fibers().start(simulation.host(at), "process " + std::to_string(i), [&seat, main] {
      const Process::Current scope{&seat.process};
      main();
    });
  }
  if (!simulation.run()) {
    traffic.complain("processes are stuck:\n" + simulation.fibers().describe_stuck(5));
  }
  for (unsigned i = 0; i < seats.size(); ++i) {
    if (traffic.process(i).finished && seats[i]->bridge.registered != 0)
      traffic.complain("memory stays registered");
  }
  count(traffic, simulation.faults());
  hash = simulation.engine().trace().hash();
  digest = traffic.digest;
  return traffic.verdict(scenario.crashes, scenario.loses);
}

}  // namespace

std::map<std::string, std::uint64_t> traffic_reached;

std::string run_traffic_seed(std::uint64_t seed) {
  std::uint64_t hash = 0, digest = 0;
  std::string wrong = run_once(seed, hash, digest);
  if (wrong.empty() && seed % 16 == 0) {
    std::uint64_t again = 0, digest_again = 0;
    wrong = run_once(seed, again, digest_again);
    if (wrong.empty() && (hash != again || digest != digest_again)) wrong = "the second run was another one";
  }
  if (wrong.empty()) return wrong;
  const Scenario scenario = scenario_of(seed);
  return wrong + "\n  network " + scenario.network + (scenario.seastar ? " with SeaStar" : "") + ", " +
         std::to_string(scenario.nodes) + " nodes, " + std::to_string(scenario.traffic.processes) +
         " processes, faults: " + scenario.faults.text();
}

}  // namespace aqueduct::test
