#include "crowd.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "papers/nic/portals3/seastar/machine.hpp"
#include "side.hpp"
#include "sim/simulation.hpp"

namespace aqueduct::bench::portals {
namespace {

using portals3::seastar::BridgeKind;
using portals3::seastar::Machine;

constexpr fabric::NodeId kRing = 8;
constexpr ptl_pid_t kPid = 17;
constexpr ptl_pt_index_t kPortal = 4;
constexpr ptl_match_bits_t kBits = 0xc401d;
/// By then every target has its descriptors.
constexpr sim::Time kStart = sim::kMillisecond;

/// A process of the job, with an event queue.
struct Process {
  Process() {
    int interfaces = 0;
    must(PtlInit(&interfaces), "PtlInit");
    must(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, &interface), "PtlNIInit");
    constexpr ptl_size_t kEvents = 64;
    must(PtlEQAlloc(interface, kEvents, PTL_EQ_HANDLER_NONE, &queue), "PtlEQAlloc");
  }

  ptl_md_t descriptor(std::vector<std::byte>& memory, unsigned options) const {
    return {.start = memory.data(),
            .length = memory.size(),
            .threshold = PTL_MD_THRESH_INF,
            .max_size = 0,
            .options = options,
            .user_ptr = nullptr,
            .eq_handle = queue};
  }

  void await(ptl_event_kind_t kind, std::size_t times) const {
    while (times != 0) {
      ptl_event_t event;
      must(PtlEQWait(queue, &event), "PtlEQWait");
      if (event.type == kind) --times;
    }
  }

  ptl_handle_ni_t interface = PTL_INVALID_HANDLE;
  ptl_handle_eq_t queue = PTL_EQ_NONE;
};

class Run {
 public:
  Run(const sim::NetworkModel& model, std::span<const Flow> flows, std::size_t bytes)
      : flows_(flows), bytes_(bytes), simulation_(setup(model)), machine_(simulation_) {
    for (fabric::NodeId node = 0; node < kRing; ++node) {
      const auto arrivals = static_cast<std::size_t>(std::ranges::count(flows, node, &Flow::to));
      if (arrivals != 0) start(node, "target", [this, arrivals] { receive(arrivals); });
    }
    for (const Flow& flow : flows) start(flow.from, "sender", [this, &flow] { send(flow); });
  }

  double mb_per_s() {
    const bool ended = simulation_.run();
    if (!failure_.empty()) throw Failed(failure_);
    if (!ended)
      throw Failed("the simulation came to a standstill:\n" + simulation_.fibers().describe_stuck(4));
    const auto bytes = static_cast<double>(flows_.size() * bytes_);
    return bytes / (static_cast<double>(last_ - kStart) / sim::kMicrosecond);
  }

 private:
  static sim::Setup setup(const sim::NetworkModel& model) {
    sim::Setup setup;
    setup.model = &model;
    setup.nodes = kRing;
    setup.dimensions = sim::Topology::Dimensions{kRing, 1, 1};
    return setup;
  }

  // A node that sends and receives has two processes, of which the target has the pid that is known.
  void start(fabric::NodeId node, const char* name, std::function<void()> main) {
    const ptl_pid_t pid = std::string(name) == "target" ? kPid : kPid + 1;
    machine_.start(node, name, {.bridge = BridgeKind::kQk, .pid = pid}, [this, main = std::move(main)] {
      try {
        main();
      } catch (const Failed& failed) {
        if (failure_.empty()) failure_ = failed.what();
      }
    });
  }

  void receive(std::size_t arrivals) {
    const Process process;
    std::vector<std::byte> memory(bytes_);
    const ptl_process_id_t anybody{PTL_NID_ANY, PTL_PID_ANY};
    ptl_handle_me_t entry{};
    ptl_handle_md_t target{};
    must(PtlMEAttach(process.interface, kPortal, anybody, kBits, 0, PTL_RETAIN, PTL_INS_AFTER, &entry),
         "PtlMEAttach");
    must(PtlMDAttach(entry, process.descriptor(memory, PTL_MD_OP_PUT | PTL_MD_MANAGE_REMOTE), PTL_RETAIN,
                     &target),
         "PtlMDAttach");
    process.await(PTL_EVENT_PUT_END, arrivals);
    last_ = std::max(last_, simulation_.engine().now());
    PtlFini();
  }

  void send(const Flow& flow) {
    const Process process;
    std::vector<std::byte> memory(bytes_);
    ptl_handle_md_t source{};
    must(PtlMDBind(process.interface, process.descriptor(memory, 0), PTL_RETAIN, &source), "PtlMDBind");
    sim::Fiber::current()->sleep_until(kStart);
    must(PtlPut(source, PTL_NO_ACK_REQ, {flow.to, kPid}, kPortal, 0, kBits, 0, 0), "PtlPut");
    process.await(PTL_EVENT_SEND_END, 1);
    PtlFini();
  }

  std::span<const Flow> flows_;
  std::size_t bytes_;
  std::string failure_;
  sim::Time last_ = kStart;
  sim::Simulation simulation_;
  Machine machine_;
};

}  // namespace

double crowd_mb_per_s(const sim::NetworkModel& model, std::span<const Flow> flows, std::size_t bytes) {
  return Run(model, flows, bytes).mb_per_s();
}

}  // namespace aqueduct::bench::portals
