#include "portals.hpp"

#include <utility>

#include "pair_bench.hpp"
#include "papers/bench/portals/simulated.hpp"
#include "portals_criteria.hpp"

namespace aqueduct::figures {
namespace {

using scenarios::Pattern;

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * kKiB;
constexpr Carrier kMpi{"mpi-portals", "firehose"};
constexpr Carrier kFirehose{"portals", "firehose"};
constexpr Carrier kTemporary{"portals", "native"};

const Axis kSizes{.label = "payload (bytes)", .scale = Scale::kLog, .numbers = Numbers::kBytes};
const Axis kLatency{.label = "time (µs)"};
const Axis kGain{.label = "gain (%)"};
const Axis kBandwidth{.label = "bandwidth (MB/s, M = 2^20)"};

std::vector<std::size_t> short_sizes() {
  return {1, 2, 4, 8, 12, 16, 17, 20, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 640, 768, 896, 1024};
}

/// Powers of two, and one size between each two.
std::vector<std::size_t> long_sizes() {
  std::vector<std::size_t> sizes;
  for (std::size_t size = kKiB; size < 2 * kMiB; size *= 2) {
    sizes.push_back(size);
    if (size <= 64 * kKiB) sizes.push_back(size + size / 2);
  }
  sizes.push_back(2 * kMiB);
  return sizes;
}

/// What is measured in one job: the same sizes for each pattern.
struct Series {
  Pattern pattern;
  std::vector<std::size_t> sizes;
  std::vector<double> ns{};
};

/// Measures in jobs, one for each carrier, and reports progress.
class Bench {
 public:
  Bench(const PaperMachine& machine, const Advance& advance) : machine_(machine), advance_(advance) {}

  void run(const Carrier& carrier, std::initializer_list<Series*> all) {
    std::vector<PairTask> tasks;
    for (const Series* series : all) {
      for (const std::size_t bytes : series->sizes) tasks.push_back({series->pattern, bytes});
    }
    const std::vector<double> found = measure(machine_.model, carrier, tasks, machine_.settings);
    auto next = found.begin();
    for (Series* series : all) {
      series->ns.assign(next, next + static_cast<std::ptrdiff_t>(series->sizes.size()));
      next += static_cast<std::ptrdiff_t>(series->sizes.size());
    }
    done_ += static_cast<unsigned>(all.size());
    advance_(static_cast<double>(done_) / kSeries);
  }

 private:
  static constexpr unsigned kSeries = 10;

  const PaperMachine& machine_;
  const Advance& advance_;
  unsigned done_ = 0;
};

Curve times(System system, std::string name, const Series& series) {
  Curve curve{.system = system, .name = std::move(name), .points = {}};
  for (std::size_t i = 0; i < series.sizes.size(); ++i) {
    curve.points.push_back({static_cast<double>(series.sizes[i]), series.ns[i] / 1e3});
  }
  return curve;
}

Curve bandwidths(System system, std::string name, const Series& series) {
  Curve curve{.system = system, .name = std::move(name), .points = {}};
  for (std::size_t i = 0; i < series.sizes.size(); ++i) {
    const auto bytes = static_cast<double>(series.sizes[i]);
    curve.points.push_back({bytes, bytes / series.ns[i] * 1e9 / kMiB});
  }
  return curve;
}

Curve gain_of(const Curve& better, const Curve& worse) {
  Curve gain{.system = better.system, .name = "gain of Firehose", .points = {}};
  for (std::size_t i = 0; i < better.points.size(); ++i) {
    gain.points.push_back({better.points[i].x, 100 * (better.points[i].y / worse.points[i].y - 1)});
  }
  return gain;
}

/// Where mpi-conduit would be if "roughly twice" were meant of the other curve, up to `most` bytes.
Band about_twice(const Curve& portals, double least_factor, double most_factor, double most) {
  Band band{.system = System::kMpiConduit, .low = {}, .high = {}, .text = {}};
  for (const Point& point : portals.points) {
    if (point.x > most) break;
    band.low.push_back({point.x, point.y * least_factor});
    band.high.push_back({point.x, point.y * most_factor});
  }
  return band;
}

Figure put_latency(const xt4::Latencies& put) {
  Chart chart{.title = "Figure 2. Blocking put: latency", .x = kSizes, .y = kLatency};
  chart.curves = {put.mpi_conduit, put.ping_ack, put.portals_conduit};
  chart.bands = {about_twice(put.portals_conduit, xt4::kLeastTwo, xt4::kMostTwo, xt4::kInline)};
  chart.bands[0].text = "stated: roughly twice portals-conduit";
  chart.guides = {{.vertical = true, .at = xt4::kInline, .text = "steps after 16 bytes"}};
  return {.id = "figure2",
          .chart = std::move(chart),
          .text =
              "A put and its acknowledgement; by MPI, a message and an empty answer. The native put needs no "
              "process at the target. Above 16 bytes a message interrupts its target twice; those of "
              "mpi-conduit, with their headers, always do."};
}

Figure put_bandwidth(const xt4::Bandwidths& flood) {
  Chart chart{.title = "Figure 3. Non-blocking put: bandwidth", .x = kSizes, .y = kBandwidth};
  chart.curves = {flood.mpi_conduit, flood.mpi, flood.portals_conduit};
  chart.bands = {about_twice(flood.portals_conduit, 1 / xt4::kMostTwo, 1 / xt4::kLeastTwo, 2 * kMiB)};
  chart.bands[0].text = "stated: roughly half of portals-conduit";
  return {
      .id = "figure3",
      .chart = std::move(chart),
      .text =
          "Many puts at once, then one wait for all; by MPI, 64 messages and one answer. mpi-conduit copies "
          "the payload at both ends. Where the MPI flood lags behind, messages come faster than receives "
          "can be posted, and are copied too."};
}

Figure round_trip(const xt4::Latencies& trip) {
  Chart chart{.title = "Figure 4. Active messages: Medium request and reply", .x = kSizes, .y = kLatency};
  chart.curves = {trip.mpi_conduit, trip.portals_conduit};
  chart.bands = {about_twice(trip.portals_conduit, xt4::kLeastTwo, xt4::kMostTwo, xt4::kInline)};
  chart.bands[0].text = "stated: roughly twice portals-conduit";
  chart.guides = {{.vertical = true, .at = xt4::kInline, .text = "steps after 16 bytes"}};
  return {.id = "figure4",
          .chart = std::move(chart),
          .text =
              "No arguments, and as much payload back as there. Both ways step after 16 bytes. At 1 KB "
              "messages of mpi-conduit, with their headers, are more than MPI sends from a buffer of its "
              "own."};
}

Figure firehose(const xt4::OutsidePuts& outside) {
  Chart chart{
      .title = "Figure 5. Blocking put from outside the segment: bandwidth", .x = kSizes, .y = kBandwidth};
  chart.curves = {outside.temporary, outside.firehose};
  return {
      .id = "figure5",
      .chart = std::move(chart),
      .text =
          "The same source each time, which is best for Firehose. Up to 2 KB the other way is through bounce "
          "buffers; above, a descriptor is made for each put and its pages are pinned."};
}

Figure firehose_gain(const xt4::OutsidePuts& outside) {
  Chart chart{.title = "Figure 5, as a gain. Firehose over temporary descriptors", .x = kSizes, .y = kGain};
  chart.curves = {outside.gain};
  chart.stated = {{.curve = 0, .at = {8 * kKiB, 8.5}, .text = "8.5 % at 8 KB"},
                  {.curve = 0, .at = {2 * kMiB, 3.5}, .text = "asymptotically about 3.5 %"}};
  chart.guides = {{.vertical = true, .at = 4 * kKiB, .text = "one page: 4 KB"}};
  return {.id = "figure5-gain",
          .chart = std::move(chart),
          .text = "The same in percent. The paper gives the greatest gain and the asymptotic one."};
}

double zero_byte_put_us(const sim::NetworkModel& model) {
  const bench::portals::Task task{.pattern = bench::portals::Pattern::kPut, .bytes = 0};
  return bench::portals::measure({.model = &model, .bridge = portals3::seastar::BridgeKind::kUk}, {&task, 1})
             .front()
             .ns /
         1e3;
}

Found measure_figures(const PaperMachine& machine, const Advance& advance) {
  const std::vector<std::size_t> small = short_sizes();
  const std::vector<std::size_t> large = long_sizes();
  Series mpi_put{Pattern::kPut, small}, mpi_trip{Pattern::kRoundTrip, small},
      mpi_flood{Pattern::kPutFlood, large};
  Series put{Pattern::kPut, small}, trip{Pattern::kRoundTrip, small}, flood{Pattern::kPutFlood, large};
  Series ping_ack{Pattern::kPingAck, small}, messages{Pattern::kMessageFlood, large};
  Series cached{Pattern::kOutsidePut, large}, temporary{Pattern::kOutsidePut, large};
  Bench bench(machine, advance);
  bench.run(kMpi, {&mpi_put, &mpi_trip, &mpi_flood});
  bench.run(kFirehose, {&put, &trip, &flood, &ping_ack, &messages, &cached});
  bench.run(kTemporary, {&temporary});
  constexpr auto kNative = System::kPortalsConduit;
  constexpr auto kOverMpi = System::kMpiConduit;
  xt4::Measurements all{
      .zero_byte_put_us = zero_byte_put_us(machine.model),
      .put = {times(kOverMpi, "mpi-conduit", mpi_put), times(System::kMpi, "MPI ping-ack", ping_ack),
              times(kNative, "portals-conduit", put)},
      .flood = {bandwidths(kOverMpi, "mpi-conduit", mpi_flood),
                bandwidths(System::kMpi, "MPI flood (as osu_bw)", messages),
                bandwidths(kNative, "portals-conduit", flood)},
      .round_trip = {times(kOverMpi, "mpi-conduit", mpi_trip), {}, times(kNative, "portals-conduit", trip)},
      .outside = {
          bandwidths(System::kTemporaryDescriptors, "portals-conduit, temporary descriptors", temporary),
          bandwidths(kNative, "portals-conduit, Firehose", cached),
          {}}};
  all.outside.gain = gain_of(all.outside.firehose, all.outside.temporary);
  Found found;
  found.figures = {put_latency(all.put), put_bandwidth(all.flood), round_trip(all.round_trip),
                   firehose(all.outside), firehose_gain(all.outside)};
  found.criteria = xt4::criteria(all);
  return found;
}

}  // namespace

Study portals() {
  return {
      .name = "portals",
      .summary = "GASNet's Portals conduit on the Cray XT4, figures 2 to 5",
      .network = "seastar-xt4",
      .title = "Porting GASNet to Portals: figures 2 to 5, from simulation",
      .introduction =
          {"The curves are ours: the conduits portals and mpi-portals and the minimal MPI, as they run live, "
           "on two "
           "neighbouring nodes of a simulated Cray XT4 under Linux, in virtual time. The paper's own curves "
           "are pictures without numbers; ours are held to the ratios, steps and orders that its text "
           "states. Absolute values are the model's.",
           "All figures come from one set of numbers, listed below. Work of software (copies, an MPI's "
           "protocols) takes time under the names listed there, wherever it is done. K is 2^10 and M is "
           "2^20, as in the paper.",
           "[CUG] is the paper, [RS] the one about Red Storm; the head of the network's file names the "
           "others."},
      .fitting =
          "Six numbers were fixed by seven stated values: the latency of a put between processes, figure 3 "
          "at 16 KB and at 2 MB, figure 4 up to 16 bytes, figure 5 at 8 KB and at 2 MB. All other numbers "
          "are given by a paper or assumed, and all other criteria are predictions.",
      .measure = measure_figures,
      .mechanisms = {
          {.name = "unlimited-credits",
           .summary = "links, interfaces and peers lack no room and no credits",
           .overrides = {"link.buffer=65536", "ejection.room=1024MiB"},
           .settings = {{"GASNET_PORTAL_CRED_PER_NODE", "400"}, {"GASNET_PORTAL_DYNAMIC_CREDITS", "0"}}},
          {.name = "no-congestion",
           .summary = "links as fast as anybody may wish",
           .overrides = {"link.bandwidth=1000GB/s"}},
          {.name = "no-interrupts",
           .summary = "work in interrupts begins and ends at once",
           .overrides = {"costs.interrupt_entry=0ns", "costs.interrupt_exit=0ns"}},
          {.name = "free-copies",
           .summary = "copies take no time",
           .overrides = {"costs.copy=0ns", "costs.copy.each=0ns", "costs.copy_far=0ns",
                         "costs.copy_far.each=0ns"}},
          {.name = "endless-caches",
           .summary = "copies never go to memory",
           .overrides = {"costs.copy_far=0ns", "costs.copy_far.each=0ns"}},
          {.name = "no-inline-payload",
           .summary = "no payload comes with its header",
           .overrides = {"inline_bytes=0B"}},
          {.name = "no-firehose",
           .summary = "descriptors are made for each put",
           .settings = {{"AQUEDUCT_PORTALS_STAGE", "native"}}},
          {.name = "no-pinning",
           .summary = "memory is made known for nothing",
           .overrides = {"costs.pin=0ns", "costs.pin.each=0ns", "costs.unpin=0ns", "costs.unpin.each=0ns",
                         "costs.page_list=0ns"}}}};
}

}  // namespace aqueduct::figures
