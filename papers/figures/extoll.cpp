#include "extoll.hpp"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <utility>

#include "extoll_criteria.hpp"
#include "extoll_native.hpp"
#include "known_results.hpp"
#include "mesh_picture.hpp"
#include "pair_bench.hpp"
#include "papers/bench/portals/side.hpp"

namespace aqueduct::figures {
namespace {

namespace cluster = extoll_cluster;
using scenarios::Pattern;

constexpr std::size_t kSizes[] = {8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536};
/// The largest Medium on all of these networks; longer messages are Longs.
constexpr std::size_t kMostMedium = 2048;
constexpr unsigned kProcesses[] = {16, 32, 64, 128, 256, 512};
constexpr sim::Topology::Dimensions kMesh3{4, 4, 4}, kMesh2{8, 8, 1};
/// The costs of the software of a conduit or MPI above a model network.
const std::vector<std::string> kBare{"costs.am_send=0ns", "costs.am_receive=0ns", "costs.copy=0ns",
                                     "costs.copy.each=0ns"};

const Axis kPayload{.label = "payload (bytes)", .scale = Scale::kLog, .numbers = Numbers::kBytes};
const Axis kTime{.label = "half a round trip (µs)", .scale = Scale::kLog};
const Axis kPercent{.label = "overhead (%)"};
const Axis kCount{.label = "processes, 16 to a node", .scale = Scale::kLog};
const Axis kUpdates{.label = "GUP/s"};

/// A network of the study and the settings that win there.
struct Ground {
  sim::NetworkModel model;
  std::vector<scenarios::Setting> settings;
};

Ground ground_of(const PaperMachine& machine) { return {machine.model, machine.settings}; }

Ground ground_of(const PaperMachine& machine, const char* network,
                 const std::vector<std::string>& overrides = {}) {
  return {machine.other(network, overrides), machine.settings};
}

Curve messages(const Ground& ground, const char* conduit, System system, const char* name) {
  std::vector<PairTask> tasks;
  for (const std::size_t bytes : kSizes)
    tasks.push_back({bytes <= kMostMedium ? Pattern::kRoundTrip : Pattern::kLongRoundTrip, bytes, 8});
  const std::vector<double> ns = known_or_measured<std::vector<double>>(
      fmt::format("{} messages {}", conduit, key_of(ground.model, ground.settings)),
      [&] { return measure(ground.model, {.conduit = conduit}, tasks, ground.settings); });
  Curve curve{.system = system, .name = name, .points = {}};
  for (std::size_t i = 0; i < ns.size(); ++i)
    curve.points.push_back({static_cast<double>(tasks[i].bytes), ns[i] / 2e3});
  return curve;
}

Curve bare_messages(const sim::NetworkModel& model) {
  const auto us = known_or_measured<std::vector<double>>(
      "bare messages " + key_of(model, {}), [&] { return native_half_round_trips(model, kSizes); });
  Curve curve{.system = System::kVelo, .name = "VELO/RMA", .points = {}};
  for (std::size_t i = 0; i < us.size(); ++i) curve.points.push_back({static_cast<double>(kSizes[i]), us[i]});
  return curve;
}

Curve accesses(const Ground& ground, AccessRun run, System system, const char* name,
               const std::function<void()>& step, std::map<unsigned, Access>* loads = nullptr) {
  Curve curve{.system = system, .name = name, .points = {}};
  for (const unsigned processes : kProcesses) {
    run.processes = processes;
    run.settings = ground.settings;
    auto access =
        known_or_measured<Access>(fmt::format("{} {}", text_of(run), key_of(ground.model, ground.settings)),
                                  [&] { return run_access(ground.model, run); });
    curve.points.push_back({static_cast<double>(processes), access.gups});
    if (loads != nullptr) (*loads)[processes] = std::move(access);
    step();
  }
  return curve;
}

/// The loads of the cables, by number of processes.
struct Loads {
  std::map<unsigned, Access> mesh3, mesh2;
};

cluster::Latencies measure_latencies(const PaperMachine& machine, const std::function<void()>& step) {
  const auto model_of = [&](const char* network, const std::vector<std::string>& overrides = {}) {
    return ground_of(machine, network, overrides);
  };
  cluster::Latencies found;
  found.velo_rma = bare_messages(machine.model);
  found.extoll_conduit = messages(ground_of(machine), "extoll", System::kExtollConduit, "extoll conduit");
  found.extoll_mpi = messages(model_of("extoll-mpi"), "wire", System::kMpi, "MPI (model)");
  step();
  found.verbs = messages(model_of("infiniband-verbs", kBare), "wire", System::kVerbs, "Verbs (model)");
  found.ibv_conduit =
      messages(model_of("infiniband-verbs"), "wire", System::kIbvConduit, "ibv conduit (model)");
  found.udp_conduit =
      messages(model_of("udp-infiniband"), "wire", System::kUdpConduit, "udp conduit (model)");
  step();
  found.uncached_udp = messages(model_of("udp-uncached", kBare), "wire", System::kUdp, "UDP (model)");
  found.uncached_udp_conduit =
      messages(model_of("udp-uncached"), "wire", System::kUdpConduit, "udp conduit (model)");
  step();
  return found;
}

cluster::Accesses measure_accesses(const PaperMachine& machine, Loads& loads,
                                   const std::function<void()>& step) {
  const Ground model = ground_of(machine), mpi = ground_of(machine, "extoll-mpi");
  cluster::Accesses found;
  found.upc_first =
      accesses(model, {.am = "first", .as_upc = true}, System::kFirstAm, "AM implementation 1", step);
  found.upc_second =
      accesses(model, {.am = "second", .as_upc = true}, System::kExtollConduit, "AM implementation 2", step);
  found.velo = accesses(model, {.version = "velo"}, System::kVelo, "VELO/RMA", step);
  found.conduit = accesses(model, {}, System::kExtollConduit, "extoll conduit", step, &loads.mesh3);
  found.mpi = accesses(mpi, {.conduit = "wire"}, System::kMpi, "MPI (model)", step);
  found.conduit_2d =
      accesses(model, {.mesh = kMesh2}, System::kExtollConduit, "extoll conduit", step, &loads.mesh2);
  return found;
}

Figure chart_of(const char* id, const char* title, const Axis& x, const Axis& y, std::vector<Curve> curves,
                const char* text) {
  Chart chart{.title = title, .x = x, .y = y, .curves = std::move(curves)};
  return {.id = id, .chart = std::move(chart), .text = text};
}

std::vector<Figure> draw_latencies(const cluster::Latencies& of) {
  const Curve conduit = cluster::overhead_of(of.extoll_conduit, of.velo_rma);
  const Curve ibv = cluster::overhead_of(of.ibv_conduit, of.verbs);
  return {
      chart_of("figure1", "Figure 1. Ping-pong over InfiniBand: ibv conduit and udp conduit", kPayload, kTime,
               {of.ibv_conduit, of.udp_conduit},
               "Both are calibrated models of what messages cost, not of how they work."),
      chart_of("figure8", "Figure 8. Ping-pong with caches disabled: UDP and udp conduit", kPayload, kTime,
               {of.uncached_udp, of.uncached_udp_conduit}, "A calibrated model."),
      chart_of("figure9", "Figure 9. Ping-pong over EXTOLL", kPayload, kTime,
               {of.velo_rma, of.extoll_conduit, of.extoll_mpi},
               "VELO/RMA and the conduit are simulated card and library; MPI is a model of its costs. "
               "Messages up to "
               "2 KiB are Mediums, longer ones Longs; VELO/RMA puts from 64 bytes on."),
      chart_of("figure9-overhead", "Figure 9. Overhead above VELO/RMA", kPayload, kPercent,
               {conduit, cluster::overhead_of(of.extoll_mpi, of.velo_rma)},
               "In percent of the time of VELO/RMA."),
      chart_of("figure10", "Figure 10. Ping-pong over InfiniBand: Verbs and ibv conduit", kPayload, kTime,
               {of.verbs, of.ibv_conduit}, "A model: Verbs is the network without the costs of the conduit."),
      chart_of("figure11", "Figure 11. Overhead of both conduits", kPayload, kPercent, {conduit, ibv},
               "Of the extoll conduit above VELO/RMA, and of the modelled ibv conduit above Verbs.")};
}

std::vector<Figure> draw_accesses(const cluster::Accesses& of) {
  Figure upc = chart_of(
      "figure3", "Figure 3. RandomAccess of UPC: two implementations of active messages", kCount, kUpdates,
      {of.upc_first, of.upc_second},
      "Each process gets a word and puts it back, one after the other, by active messages, on the 3D mesh.");
  upc.chart.guides = {{.at = 0.035, .text = "where the paper's axis ends"}};
  return {
      std::move(upc),
      chart_of("figure12", "Figure 12. RandomAccess: VELO/RMA and conduit, 3D mesh", kCount, kUpdates,
               {of.velo, of.conduit}, "An update is one message."),
      chart_of("figure13", "Figure 13. RandomAccess: VELO/RMA and MPI, 3D mesh", kCount, kUpdates,
               {of.velo, of.mpi}, "MPI is a model of its costs on the same mesh."),
      chart_of("figure14", "Figure 14. RandomAccess: conduit and MPI, 3D mesh", kCount, kUpdates,
               {of.conduit, of.mpi}, "The same."),
      chart_of(
          "figure15", "Figure 15. RandomAccess on another topology: the 2D mesh", kCount, kUpdates,
          {of.conduit_2d},
          "The step from 256 to 512 processes makes the longest side of the job 8 nodes long, and the cables "
          "across its middle do not become more.")};
}

Picture picture(const char* id, const char* mesh_name, const sim::Topology::Dimensions& mesh,
                unsigned processes, const Access& access) {
  Picture drawn =
      mesh_picture(fmt::format("{}-{}", id, processes), fmt::format("{}, {} processes", mesh_name, processes),
                   mesh, nodes_of_job(processes, mesh), access);
  drawn.text = fmt::format(
      "How busy cables are in RandomAccess over the extoll conduit; of each the busier direction. The job "
      "has the {} nodes "
      "that are filled. The busiest cable carries something for {:.0f} % of the whole run, with its start "
      "and end.",
      access.nodes_used, 100 * access.busiest);
  return drawn;
}

Found measure_extoll(const PaperMachine& machine, const Advance& advance) {
  constexpr double kSteps = 3 + 6 * std::size(kProcesses);
  double done = 0;
  const auto step = [&] { advance(++done / kSteps); };
  cluster::Measurements all;
  Loads loads;
  all.latency = measure_latencies(machine, step);
  all.access = measure_accesses(machine, loads, step);
  Found found;
  found.figures = draw_latencies(all.latency);
  for (Figure& figure : draw_accesses(all.access)) found.figures.push_back(std::move(figure));
  for (const unsigned processes : {128u, 256u, 512u}) {
    found.pictures.push_back(picture("mesh-3d", "3D mesh", kMesh3, processes, loads.mesh3[processes]));
    found.pictures.push_back(picture("mesh-2d", "2D mesh", kMesh2, processes, loads.mesh2[processes]));
  }
  found.criteria = cluster::criteria(all);
  return found;
}

}  // namespace

Study extoll() {
  return {
      .name = "extoll",
      .summary = "A conduit for EXTOLL: latencies and RandomAccess, figures 1, 3 and 8 to 15",
      .network = "extoll-fpga",
      .title = "A GASNet conduit for EXTOLL: figures 1, 3 and 8 to 15, from simulation",
      .introduction =
          {"VELO/RMA and the conduit extoll are the code that runs live, on simulated FPGA cards of 64 nodes "
           "in a "
           "mesh, in virtual time. InfiniBand, UDP and MPI on EXTOLL are calibrated models: networks that "
           "say what "
           "messages cost there and nothing of how they work. The paper's curves are pictures; ours are held "
           "to "
           "what its text states.",
           "In RandomAccess nodes have 16 processes, one for each core, and a job has the most cube-like box "
           "of "
           "nodes in a corner of the mesh. On the 3D mesh the longest side of that box becomes 4 nodes with "
           "256 "
           "processes and stays so with 512, which have twice as many cables across the middle: the jump. On "
           "the 2D mesh it is 4 nodes with 256 and 8 with 512, across whose middle there are as many cables "
           "as before."},
      .fitting =
          "Fitted were the time of a VELO message, what a UPC program spends on an update, and the models of "
          "UDP.",
      .measure = measure_extoll,
      .needs_portals = false,
      .other_networks = {"extoll-mpi", "infiniband-verbs", "udp-infiniband", "udp-uncached"},
      .mechanisms = {{.name = "unlimited-credits",
                      .summary = "links, cards and requests lack no room and no credits",
                      .overrides = {"link.buffer=65536", "ejection.room=1024MiB", "nic.send_credits=65535",
                                    "nic.mailbox_slots=65536", "extoll-mpi: link.buffer=65536",
                                    "extoll-mpi: ejection.room=1024MiB"},
                      .settings = {{"AQUEDUCT_EXTOLL_REQUESTS", "255"}}},
                     {.name = "no-congestion",
                      .summary = "links as fast as anybody may wish",
                      .overrides = {"link.bandwidth=1000GB/s", "extoll-mpi: link.bandwidth=1000GB/s"}},
                     {.name = "free-copies",
                      .summary = "copies of software take no time",
                      .overrides = {"costs.copy=0ns", "costs.copy.each=0ns", "extoll-mpi: costs.copy=0ns",
                                    "extoll-mpi: costs.copy.each=0ns"}},
                     {.name = "no-flits",
                      .summary = "packets take their bytes of a link, not whole flits",
                      .overrides = {"link.flit_bytes=1B", "extoll-mpi: link.flit_bytes=1B"}},
                     {.name = "no-second-am",
                      .summary = "active messages are those of the first implementation",
                      .settings = {{"AQUEDUCT_EXTOLL_AM", "first"}}},
                     {.name = "no-packing",
                      .summary = "all payloads of Longs go by RMA",
                      .settings = {{"AQUEDUCT_EXTOLL_PACKED_LONG", "0"}}}}};
}

}  // namespace aqueduct::figures
