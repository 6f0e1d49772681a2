#include "simulated.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "sim/simulation.hpp"

namespace aqueduct::bench::portals {
namespace {

using portals3::seastar::Machine;
using sim::Fiber;

constexpr double kPicosecondsPerNs = 1000;
/// Longer than any work that continues after an operation has ended for its process.
constexpr sim::Time kQuiet = 200 * sim::kMicrosecond;
constexpr ptl_pid_t kPid = 17;

/// Few where each takes long on the machine that simulates.
std::uint64_t operations_for(const Task& task) {
  constexpr std::size_t kLong = 64 << 10;
  if (is_stream(task.pattern)) return task.bytes > kLong ? 2 : 64;
  return task.bytes > kLong ? 1 : 8;
}

/// Nanoseconds for one operation. For a stream, the time that the second half of a long one adds, without its
/// beginning and end.
double time_of(Exchange& exchange, const Task& task) {
  const std::uint64_t count = operations_for(task);
  const double each = exchange.run(count);
  return is_stream(task.pattern) ? 2 * exchange.run(2 * count) - each : each;
}

sim::Setup setup(const SimulatedPair& pair) {
  sim::Setup setup;
  setup.model = pair.model;
  setup.nodes = 2;
  setup.seed = pair.seed;
  setup.faults = pair.faults;
  return setup;
}

/// A meeting of two fibers, which costs only idle time.
class Meeting {
 public:
  void meet(sim::Engine& engine) {
    if (first_ == nullptr) {
      first_ = Fiber::current();
      first_->park("the other side of the measurement");
    } else {
      std::exchange(first_, nullptr)->wake();
    }
    Fiber::current()->sleep_until(engine.now() + kQuiet);
  }

 private:
  Fiber* first_ = nullptr;
};

class Run {
 public:
  Run(const SimulatedPair& pair, std::span<const Task> tasks)
      : tasks_(tasks), measured_(tasks.size()), simulation_(setup(pair)), machine_(simulation_) {
    for (const NodeId node : {0u, 1u}) {
      machine_.start(node, node == 0 ? "leading side" : "other side", {.bridge = pair.bridge, .pid = kPid},
                     [this, node] { side_main(node); });
    }
  }

  std::vector<Measured> result() {
    const bool ended = simulation_.run();
    if (!failure_.empty()) throw Failed(failure_);
    if (!ended)
      throw Failed("the simulation came to a standstill:\n" + simulation_.fibers().describe_stuck(4));
    return std::move(measured_);
  }

 private:
  using NodeId = fabric::NodeId;

  void side_main(NodeId node) {
    try {
      measure_all(node);
    } catch (const Failed& failed) {
      if (failure_.empty()) failure_ = failed.what();
    }
  }

  void measure_all(NodeId node) {
    int interfaces = 0;
    Side side{.peer = {1 - node, kPid}, .leads = node == 0};
    must(PtlInit(&interfaces), "PtlInit");
    must(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, &side.interface), "PtlNIInit");
    side.now_ns = [this] { return static_cast<double>(simulation_.engine().now()) / kPicosecondsPerNs; };
    side.meet = [this] { meeting_.meet(simulation_.engine()); };
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const std::uint64_t before = interrupts();
      Exchange exchange(side, tasks_[i].pattern, tasks_[i].bytes);
      const double ns = time_of(exchange, tasks_[i]);
      if (!exchange.intact()) throw Failed("what has arrived is not what was sent");
      if (node == 0) {
        measured_[i] = {.ns = ns, .interrupts = interrupts() - before, .operations = exchange.operations()};
      }
    }
    PtlNIFini(side.interface);
    PtlFini();
  }

  std::uint64_t interrupts() const { return machine_.nal(0).interrupts() + machine_.nal(1).interrupts(); }

  std::span<const Task> tasks_;
  std::vector<Measured> measured_;
  std::string failure_;
  Meeting meeting_;
  sim::Simulation simulation_;
  Machine machine_;
};

}  // namespace

bool carries_portals(const sim::NetworkModel& model) {
  return model.find_cost("interrupt_entry").has_value();
}

std::vector<Measured> measure(const SimulatedPair& pair, std::span<const Task> tasks) {
  return Run(pair, tasks).result();
}

}  // namespace aqueduct::bench::portals
