#include "aries.hpp"

#include <utility>

#include "aries_circumstances.hpp"
#include "pair_bench.hpp"

namespace aqueduct::figures {
namespace {

namespace xc = xc40;
using scenarios::Pattern;

constexpr std::size_t kSmallest = 2 << 10;
constexpr std::size_t kLargest = 1 << 20;
constexpr unsigned kDeepest = 256;
/// A size of figure 3 and how its two curves look.
struct Injected {
  std::size_t bytes;
  System put_sync_send, reassembly;
};
constexpr Injected kInjected[] = {{4 << 10, System::kSmallPutSyncSend, System::kSmallReassembly},
                                  {64 << 10, System::kPutSyncSend, System::kReassembly},
                                  {1 << 20, System::kLargePutSyncSend, System::kLargeReassembly}};

constexpr Carrier kPutSyncSend{.conduit = "aries", .long_protocol = "put-sync-send"};
constexpr Carrier kReassembly{.conduit = "aries", .long_protocol = "reassembly"};
constexpr Carrier kRendezvousGet{.conduit = "aries", .long_protocol = "rendezvous-get"};

const Axis kPayload{.label = "payload (bytes)", .scale = Scale::kLog, .numbers = Numbers::kBytes};
const Axis kTime{.label = "round trip (µs)", .scale = Scale::kLog};
const Axis kRate{.label = "bandwidth, both ways (MB/s)"};
const Axis kTimes{.label = "put-sync-send / reassembly"};
const Axis kDepth{.label = "messages at once", .scale = Scale::kLog};
const Axis kOverhead{.label = "time to start one (µs)", .scale = Scale::kLog};

Curve round_trips(const PaperMachine& machine, System system, const char* name, const Carrier& carrier) {
  std::vector<PairTask> tasks;
  for (std::size_t size = kSmallest; size <= kLargest; size *= 2)
    tasks.push_back({Pattern::kLongRoundTrip, size});
  const std::vector<double> ns = measure(machine.model, carrier, tasks, machine.settings);
  Curve curve{.system = system, .name = name, .points = {}};
  for (std::size_t i = 0; i < tasks.size(); ++i)
    curve.points.push_back({static_cast<double>(tasks[i].bytes), ns[i] / 1e3});
  return curve;
}

Curve injection(const PaperMachine& machine, System system, std::string name, const Carrier& carrier,
                std::size_t bytes) {
  std::vector<PairTask> tasks;
  for (unsigned depth = 1; depth <= kDeepest; depth *= 2)
    tasks.push_back({Pattern::kLongInjection, bytes, depth});
  const std::vector<double> ns = measure(machine.model, carrier, tasks, machine.settings);
  Curve curve{.system = system, .name = std::move(name), .points = {}};
  for (std::size_t i = 0; i < tasks.size(); ++i)
    curve.points.push_back({static_cast<double>(tasks[i].count), ns[i] / 1e3});
  return curve;
}

/// Payloads of both ways count, as in the paper's benchmark.
Curve bandwidth_of(const Curve& trips) {
  Curve curve = trips;
  for (Point& point : curve.points) point.y = 2 * point.x / point.y;
  return curve;
}

Figure bandwidth(const xc::RoundTrips& trip) {
  Chart chart{.title = "Figure 1. AM Long ping-pong: bandwidth", .x = kPayload, .y = kRate};
  chart.curves = {bandwidth_of(trip.put_sync_send), bandwidth_of(trip.reassembly),
                  bandwidth_of(trip.rendezvous_get)};
  return {.id = "figure1",
          .chart = std::move(chart),
          .text =
              "A Long request and a Long reply with as much payload. At 2 KiB the payload is packed into the "
              "message, whatever the protocol. Rendezvous get is not in the paper's figure."};
}

Figure ratio(const xc::RoundTrips& trip) {
  Chart chart{.title = "Figure 1, as a ratio", .x = kPayload, .y = kTimes};
  chart.curves = {xc::ratio_of(trip.put_sync_send, trip.reassembly, "reassembly over put-sync-send")};
  chart.stated = {{.curve = 0, .at = {4096, 1.49}, .text = "1.49 at 4 KiB"}};
  return {.id = "figure1-ratio",
          .chart = std::move(chart),
          .text = "How many times the bandwidth of put-sync-send. The paper draws it over the same figure."};
}

Figure latency(const xc::RoundTrips& trip) {
  Chart chart{.title = "Figure 2. AM Long ping-pong: latency", .x = kPayload, .y = kTime};
  chart.curves = {trip.put_sync_send, trip.reassembly, trip.rendezvous_get};
  chart.stated = {{.curve = 0, .at = {4096, 13.0}, .text = "13.0 us at 4 KiB"},
                  {.curve = 1, .at = {4096, 8.7}, .text = "8.7 us at 4 KiB"}};
  return {
      .id = "figure2",
      .chart = std::move(chart),
      .text =
          "The same as round trips. What reassembly saves are the two answers that put-sync-send waits for, "
          "one each way."};
}

Figure overhead(const std::vector<xc::Injections>& all) {
  Chart chart{.title = "Figure 3. AM Long: injection overhead", .x = kDepth, .y = kOverhead};
  for (const xc::Injections& of_size : all) {
    chart.curves.push_back(of_size.put_sync_send);
    chart.curves.push_back(of_size.reassembly);
  }
  chart.guides = {{.vertical = true, .at = 64, .text = "slots of a connection: 64"}};
  return {.id = "figure3",
          .chart = std::move(chart),
          .text =
              "Solid: put-sync-send, dashed: reassembly; the larger the payload, the darker. Local "
              "completion is implicit. Put-sync-send waits "
              "for every payload in the call that sends it; "
              "reassembly returns when payload and message are posted, until slots and descriptors run out."};
}

std::string size_name(std::size_t bytes) {
  return bytes == kLargest ? "1 MiB" : std::to_string(bytes >> 10) + " KiB";
}

Found measure_figures(const PaperMachine& machine, const Advance& advance) {
  constexpr double kSteps = 3 + 2 * std::size(kInjected) + 3;
  double done = 0;
  const auto step = [&] { advance(++done / kSteps); };
  xc::Measurements all;
  all.round_trip.put_sync_send = round_trips(machine, System::kPutSyncSend, "put-sync-send", kPutSyncSend);
  step();
  all.round_trip.reassembly = round_trips(machine, System::kReassembly, "reassembly", kReassembly);
  step();
  all.round_trip.rendezvous_get =
      round_trips(machine, System::kRendezvousGet, "rendezvous get", kRendezvousGet);
  step();
  for (const auto& [bytes, put_sync_send, reassembly] : kInjected) {
    xc::Injections of_size{.bytes = static_cast<double>(bytes), .put_sync_send = {}, .reassembly = {}};
    of_size.put_sync_send =
        injection(machine, put_sync_send, "put-sync-send, " + size_name(bytes), kPutSyncSend, bytes);
    step();
    of_size.reassembly =
        injection(machine, reassembly, "reassembly, " + size_name(bytes), kReassembly, bytes);
    step();
    all.injection.push_back(std::move(of_size));
  }
  all.inattention = xc::measure_inattention(machine);
  step();
  all.routing = xc::measure_routing(machine);
  step();
  all.memory = xc::measure_memory(machine);
  step();
  Found found;
  found.figures = {bandwidth(all.round_trip), ratio(all.round_trip),       latency(all.round_trip),
                   overhead(all.injection),   xc::figure(all.inattention), xc::figure(all.routing),
                   xc::figure(all.memory)};
  found.criteria = xc::criteria(all);
  return found;
}

}  // namespace

Study aries() {
  return {
      .name = "aries",
      .summary = "AM Long on the Cray XC40's Aries, figures 1 to 3 and three that the paper lacks",
      .network = "aries-knl",
      .title = "AM Long by target-side reassembly: figures 1 to 3, from simulation",
      .introduction = {"The curves are ours: the conduit aries as it runs live, over uGNI on two nodes "
                       "of a simulated Cray XC40 with "
                       "Knights Landing processors, in virtual time. The paper's curves are pictures; "
                       "ours are held to what its text "
                       "states.",
                       "All figures come from one set of numbers, listed below. Bandwidth counts the "
                       "payloads of requests and "
                       "replies.",
                       "The last three are not in the paper: they show what it says in words about protocols "
                       "that it does not draw."},
      .fitting =
          "One number, what a processor spends on a post of the BTE, was fixed by the latency of "
          "put-sync-send at 4 KiB. All "
          "other numbers are given or assumed; what reassembly takes is predicted.",
      .measure = measure_figures,
      .needs_portals = false,
      .mechanisms = {{.name = "unlimited-buffers",
                      .summary = "links and interfaces hold any amount, so nothing blocks",
                      .overrides = {"link.buffer=65536", "ejection.room=1024MiB"}},
                     {.name = "no-congestion",
                      .summary = "links as fast as anybody may wish",
                      .overrides = {"link.bandwidth=1000GB/s", "column.bandwidth=1000GB/s",
                                    "global.bandwidth=1000GB/s"}},
                     {.name = "free-copies",
                      .summary = "copies take no time",
                      .overrides = {"costs.copy=0ns", "costs.copy.each=0ns"}},
                     {.name = "one-path",
                      .summary = "all messages of a pair go one way",
                      .settings = {{"GASNET_GNI_ROUTING_MODE", "IN_ORDER"}}},
                     {.name = "no-reassembly",
                      .summary = "every Long waits for its payload before the envelope leaves",
                      .settings = {{"AQUEDUCT_LONG_PROTOCOL", "put-sync-send"}}},
                     {.name = "no-packing",
                      .summary = "no payload travels in its message",
                      .settings = {{"GASNET_GNI_PACKEDLONG_CUTOVER", "0"}}},
                     {.name = "few-credits",
                      .summary = "8 Longs outstanding at a peer, not 64",
                      .settings = {{"GASNET_LONG_DEPTH", "8"}}},
                     {.name = "one-bte-channel",
                      .summary = "the BTE reads one descriptor at a time, not three",
                      .settings = {{"GASNET_GNI_BTE_MULTI_CHANNEL", "0"}}}}};
}

}  // namespace aqueduct::figures
