#include "aries_circumstances.hpp"

#include <functional>

#include "papers/bench/portals/side.hpp"
#include "papers/scenarios/long_traffic.hpp"
#include "tools/common/machines.hpp"
#include "tools/scenarios/rank_run.hpp"

namespace aqueduct::figures::xc40 {
namespace {

using scenarios::LongTraffic;
using scenarios::ReassemblyMemory;
using scenarios::RunSettings;
using scenarios::Setting;

constexpr std::size_t kInattentionBytes = 4 << 10;
constexpr unsigned kLongestPauseUs = 256;
constexpr std::size_t kRoutingBytes = 64 << 10;
constexpr unsigned kLoadedRoundTrips = 6;
constexpr unsigned kMostLoad = 8;  // GB/s
constexpr std::size_t kGatheredBytes = 4 << 10;
constexpr unsigned kDepths[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
constexpr unsigned kSenders[] = {1, 4, 16};
constexpr unsigned kGatheredMore = 4;  // times as many as are under way at once

/// A chassis, in which nodes 0 to 3 share a router, and so do nodes 4 to 7. The two measuring nodes are at
/// different ones of these routers, and so are the nodes with the other traffic.
constexpr fabric::NodeId kChassis = 64;
const std::vector<fabric::NodeId> kTwoRouters = {0, 4, 1, 2, 3, 5, 6, 7};

void run(const PaperMachine& machine, const std::vector<fabric::NodeId>& placement, std::size_t bytes,
         std::vector<Setting> settings, const std::function<void(LongTraffic&, RankId)>& program) {
  settings.push_back({"AQUEDUCT_CONDUIT", "aries"});
  const RunSettings here(settings, RunSettings::Priority::kScenario);
  const RunSettings winning(machine.settings, RunSettings::Priority::kScenario);
  sim::Setup setup;
  setup.model = &machine.model;
  setup.nodes = kChassis;
  setup.placement = placement;
  sim::Simulation simulation(setup);
  constexpr std::size_t kMostSegment = 4 << 20;
  const std::string wrong = scenarios::run_ranks(simulation, {.max_segment_bytes = kMostSegment},
                                                 *machines::of_conduit("aries"), "", [&](RankId rank) {
                                                   LongTraffic traffic(bytes);
                                                   program(traffic, rank);
                                                   return 0;
                                                 });
  if (!wrong.empty()) throw bench::portals::Failed(wrong);
}

Curve delivery(const PaperMachine& machine, System system, const char* name, const char* protocol) {
  Curve curve{.system = system, .name = name, .points = {}};
  run(machine, {0, 4}, kInattentionBytes, {{"AQUEDUCT_LONG_PROTOCOL", protocol}},
      [&](LongTraffic& traffic, RankId rank) {
        traffic.delivery_ns(0);
        for (std::uint64_t pause_us = 1; pause_us <= kLongestPauseUs; pause_us *= 2) {
          const double ns = traffic.delivery_ns(pause_us * 1000);
          if (rank == 0) curve.points.push_back({static_cast<double>(pause_us), ns / 1e3});
        }
      });
  return curve;
}

Curve under_load(const PaperMachine& machine, System system, const char* name, const char* protocol,
                 const char* routing) {
  Curve curve{.system = system, .name = name, .points = {}};
  run(machine, kTwoRouters, kRoutingBytes,
      {{"AQUEDUCT_LONG_PROTOCOL", protocol}, {"GASNET_GNI_ROUTING_MODE", routing}},
      [&](LongTraffic& traffic, RankId rank) {
        for (unsigned load = 0; load <= kMostLoad; ++load) {
          const double ns = traffic.loaded_round_trip_ns(kLoadedRoundTrips, load * 1000.0);
          if (rank == 0) curve.points.push_back({static_cast<double>(load), ns / 1e3});
        }
      });
  return curve;
}

ReassemblyMemory gathered(const PaperMachine& machine, unsigned senders, unsigned depth) {
  ReassemblyMemory found;
  std::vector<fabric::NodeId> placement;
  for (fabric::NodeId node = 0; node <= senders; ++node) placement.push_back(node);
  run(machine, placement, kGatheredBytes,
      {{"AQUEDUCT_LONG_PROTOCOL", "reassembly"}, {"GASNET_NETWORKDEPTH", std::to_string(depth)}},
      [&](LongTraffic& traffic, RankId rank) {
        const ReassemblyMemory here = traffic.gather(depth + kGatheredMore);
        if (rank == 0) found = here;
      });
  return found;
}

}  // namespace

Inattention measure_inattention(const PaperMachine& machine) {
  return {
      .async_chaining = delivery(machine, System::kAsyncChaining, "asynchronous chaining", "async-chaining"),
      .reassembly = delivery(machine, System::kReassembly, "reassembly", "reassembly"),
      .put_sync_send = delivery(machine, System::kPutSyncSend, "put-sync-send", "put-sync-send"),
      .rendezvous_get = delivery(machine, System::kRendezvousGet, "rendezvous get", "rendezvous-get")};
}

Routing measure_routing(const PaperMachine& machine) {
  return {.in_order = under_load(machine, System::kPutSyncSend, "all in order", "reassembly", "IN_ORDER"),
          .adaptive = under_load(machine, System::kReassembly, "all adaptive", "reassembly", "ADAPTIVE_0"),
          .ordered = under_load(machine, System::kOrdered, "Longs in order, others adaptive", "ordered",
                                "ADAPTIVE_0")};
}

Memory measure_memory(const PaperMachine& machine) {
  Memory memory;
  for (const unsigned senders : kSenders) {
    Curve curve{.system = System::kReassembly,
                .name = std::to_string(senders) + (senders == 1 ? " sender" : " senders"),
                .points = {}};
    for (const unsigned depth : kDepths) {
      const ReassemblyMemory found = gathered(machine, senders, depth);
      const auto outstanding = static_cast<double>(senders * depth);
      curve.points.push_back({static_cast<double>(depth), static_cast<double>(found.bytes)});
      memory.most_waiting_share =
          std::max(memory.most_waiting_share, static_cast<double>(found.most_waiting) / outstanding);
    }
    memory.by_senders.push_back(std::move(curve));
  }
  return memory;
}

Figure figure(const Inattention& inattention) {
  Chart chart{.title = "An initiator that does not poll",
              .x = {.label = "time in which it computes after the call (µs)", .scale = Scale::kLog},
              .y = {.label = "call to handler, 4 KiB (µs)", .scale = Scale::kLog}};
  chart.curves = {inattention.async_chaining, inattention.reassembly, inattention.put_sync_send,
                  inattention.rendezvous_get};
  return {
      .id = "inattention",
      .chart = std::move(chart),
      .text =
          "The initiator starts one Long and computes. By asynchronous chaining the envelope leaves when it "
          "polls again. By reassembly everything has left when the call returns; by put-sync-send, too, "
          "since the call waits; by rendezvous get the target fetches."};
}

Figure figure(const Routing& routing) {
  Chart chart{.title = "Adaptive against in-order routing, beside other traffic",
              .x = {.label = "what others put between the same two routers (GB/s)"},
              .y = {.label = "round trip, 64 KiB each way (µs)"}};
  chart.curves = {routing.in_order, routing.ordered, routing.adaptive};
  chart.guides = {{.vertical = true, .at = 5.25, .text = "one link: 5.25 GB/s"}};
  return {
      .id = "routing",
      .chart = std::move(chart),
      .text =
          "Two routers of a chassis with four nodes each. One pair exchanges Longs, the other three nodes "
          "put to "
          "their counterparts (GASNET_GNI_ROUTING_MODE). In order, everything takes the one link between the "
          "routers; adaptively it also goes by way of others. Longs that alone keep their order hardly "
          "suffer, "
          "because everybody else makes room for them."};
}

Figure figure(const Memory& memory) {
  Chart chart{.title = "Memory of reassembly",
              .x = {.label = "messages under way from each peer (GASNET_NETWORKDEPTH)", .scale = Scale::kLog},
              .y = {.label = "memory at the target (bytes)",
                    .scale = Scale::kLog,
                    .numbers = Numbers::kBytes,
                    .low = 512,
                    .high = 256 << 10}};
  chart.curves = memory.by_senders;
  return {
      .id = "memory",
      .chart = std::move(chart),
      .text =
          "From bottom to top: 1, 4 and 16 nodes send Longs of 4 KiB to one, as many at once as flow control "
          "lets them. Counted are the table and the records of messages that have come. Both grow when they "
          "are needed, so idle peers cost nothing, and a target that keeps up needs hardly any."};
}

}  // namespace aqueduct::figures::xc40
