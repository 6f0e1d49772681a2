#include "redstorm.hpp"

#include <limits>
#include <utility>

#include "papers/bench/portals/crowd.hpp"
#include "papers/bench/portals/netpipe_sizes.hpp"
#include "papers/bench/portals/simulated.hpp"
#include "redstorm_criteria.hpp"

namespace aqueduct::figures {
namespace {

using bench::portals::Measured;
using bench::portals::Pattern;
using bench::portals::Task;
using portals3::seastar::BridgeKind;

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * kKiB;

/// The size at which the paper's medium sizes end and its long ones begin.
constexpr std::size_t kHundredKiB = 100 * kKiB;
constexpr std::size_t kLongest = 2 * kMiB;
constexpr std::size_t kNetpipeLongest = 4 * kMiB;
/// Of each put where several go at once.
constexpr std::size_t kCrowdBytes = kMiB;

const Axis kSizes{.label = "message size (bytes)", .numbers = Numbers::kBytes};
const Axis kNetpipeSizes{.label = "bytes transferred, bidirectional tests count both directions",
                         .scale = Scale::kLog,
                         .numbers = Numbers::kBytes};
const Axis kLatency{.label = "latency (µs)"};
const Axis kBandwidth{.label = "bandwidth (MB/s)"};

/// Every byte where the step is, then ever coarser.
std::vector<std::size_t> short_sizes() {
  std::vector<std::size_t> sizes;
  for (std::size_t size = 0; size <= 32; ++size) sizes.push_back(size);
  for (std::size_t size = 48; size <= kKiB; size += 16) sizes.push_back(size);
  return sizes;
}

std::vector<std::size_t> medium_sizes() {
  std::vector<std::size_t> sizes;
  for (std::size_t size = kKiB / 4; size < 12 * kKiB; size += kKiB / 4) sizes.push_back(size);
  for (std::size_t size = 12 * kKiB; size <= kHundredKiB; size += 4 * kKiB) sizes.push_back(size);
  return sizes;
}

std::vector<std::size_t> long_sizes() {
  std::vector<std::size_t> sizes;
  for (std::size_t size = kHundredKiB; size < kLongest; size += kHundredKiB) sizes.push_back(size);
  sizes.push_back(kLongest);
  return sizes;
}

/// One pattern over many sizes.
struct Series {
  Pattern pattern;
  std::vector<std::size_t> sizes;
  std::vector<Measured> measured;
};

/// The meaning of x: PortalPerf counts the size of a message, NetPIPE all transferred bytes.
enum class Counting { kMessage, kTransferred };

double microseconds(const Measured& measured, double) { return measured.ns / 1e3; }
double megabytes_per_second(const Measured& measured, double bytes) { return bytes / measured.ns * 1e3; }

System system_of(Pattern pattern) {
  switch (pattern) {
    case Pattern::kGet:
      return System::kGet;
    case Pattern::kBidirectionalPut:
      return System::kBidirectionalPut;
    case Pattern::kPutStream:
      return System::kPutStream;
    default:
      return System::kPut;
  }
}

Curve curve_of(const Series& series, Counting counting, double (*value)(const Measured&, double),
               std::size_t largest = std::numeric_limits<std::size_t>::max()) {
  Curve curve{.system = system_of(series.pattern), .name = name_of(series.pattern), .points = {}};
  for (std::size_t i = 0; i < series.sizes.size() && series.sizes[i] <= largest; ++i) {
    const std::size_t size = series.sizes[i];
    const auto x =
        static_cast<double>(counting == Counting::kMessage ? size : counted_bytes(series.pattern, size));
    curve.points.push_back({.x = x, .y = value(series.measured[i], x)});
  }
  return curve;
}

class Bench {
 public:
  Bench(const sim::NetworkModel& model, const Advance& advance) : model_(model), advance_(advance) {}

  Series run(Pattern pattern, const std::vector<std::size_t>& sizes, BridgeKind bridge = BridgeKind::kQk) {
    std::vector<Task> tasks;
    for (const std::size_t size : sizes) tasks.push_back({.pattern = pattern, .bytes = size});
    Series series{.pattern = pattern,
                  .sizes = sizes,
                  .measured = bench::portals::measure({.model = &model_, .bridge = bridge}, tasks)};
    advance_(static_cast<double>(++done_) / kSeries);
    return series;
  }

  std::vector<Curve> perf_curves(double (*value)(const Measured&, double),
                                 const std::vector<std::size_t>& sizes) {
    std::vector<Curve> curves;
    for (const Pattern pattern : {Pattern::kPut, Pattern::kGet, Pattern::kBidirectionalPut}) {
      curves.push_back(curve_of(run(pattern, sizes), Counting::kMessage, value));
    }
    return curves;
  }

 private:
  static constexpr unsigned kSeries = 14;  // three for each of four figures, and the accelerated ones

  const sim::NetworkModel& model_;
  const Advance& advance_;
  unsigned done_ = 0;
};

Figure latency(Bench& bench) {
  Chart chart{.title = "Figure 3. PortalPerf: latency", .x = kSizes, .y = kLatency};
  chart.x.high = kKiB;
  chart.curves = bench.perf_curves(microseconds, short_sizes());
  chart.stated = {{.curve = 0, .at = {0, 4.89}, .text = "0-byte put: 4.89 µs"},
                  {.curve = 1, .at = {0, 6.09}, .text = "0-byte get: 6.09 µs"},
                  {.curve = 2, .at = {0, 8.39}, .text = "0-byte bidirectional put: 8.39 µs"}};
  return {.id = "figure3",
          .chart = std::move(chart),
          .text =
              "Half a round trip for the put; the whole operation for the get; for the bidirectional put "
              "until both the own send and the other's put have ended. Above 12 bytes a payload no longer "
              "fits in the header packet, and the receiving host is interrupted twice."};
}

Figure medium_bandwidth(Bench& bench) {
  Chart chart{
      .title = "Figure 4. PortalPerf: bandwidth for medium-sized messages", .x = kSizes, .y = kBandwidth};
  chart.x.high = kHundredKiB;
  chart.curves = bench.perf_curves(megabytes_per_second, medium_sizes());
  chart.stated = {{.curve = 0, .at = {kHundredKiB, 1051.43}, .text = "100 KB put: 1051.43 MB/s"},
                  {.curve = 1, .at = {kHundredKiB, 1012.17}, .text = "100 KB get: 1012.17 MB/s"}};
  chart.guides = {{.vertical = true,
                   .at = redstorm::kLeastHalf * kKiB,
                   .to = redstorm::kMostHalf * kKiB,
                   .text = "half the bandwidth of the put at around 6 KB"}};
  return {.id = "figure4",
          .chart = std::move(chart),
          .text = "Of the bidirectional put, the bandwidth of one direction."};
}

Figure long_bandwidth(Bench& bench) {
  Chart chart{.title = "Figure 5. PortalPerf: bandwidth for long messages", .x = kSizes, .y = kBandwidth};
  chart.x.low = kHundredKiB;
  chart.x.high = kLongest;
  chart.y.low = 900;
  chart.y.high = 1150;
  chart.curves = bench.perf_curves(megabytes_per_second, long_sizes());
  chart.guides = {{.at = 1108, .text = "asymptote of the put: about 1108 MB/s"}};
  return {.id = "figure5",
          .chart = std::move(chart),
          .text = "Bandwidth does not fall off at any size. The axis does not begin at zero."};
}

std::vector<Series> netpipe(Bench& bench) {
  std::vector<Series> found;
  for (const Pattern pattern : {Pattern::kPut, Pattern::kPutStream, Pattern::kBidirectionalPut}) {
    found.push_back(bench.run(pattern, bench::portals::netpipe_sizes(kNetpipeLongest)));
  }
  return found;
}

Figure netpipe_latency(const std::vector<Series>& netpipe) {
  Chart chart{.title = "Figure 6. NetPIPE: latency", .x = kNetpipeSizes, .y = kLatency};
  for (const Series& series : netpipe) {
    chart.curves.push_back(curve_of(series, Counting::kTransferred, microseconds, kKiB));
  }
  chart.guides = {{.vertical = true, .at = 12, .text = "put steps after 12 bytes"},
                  {.vertical = true, .at = 24, .text = "bidirectional put: after 24"}};
  return {.id = "figure6",
          .chart = std::move(chart),
          .text =
              "Of the stream, the time that each message adds when the sender does not wait: almost nothing "
              "but interrupts."};
}

Figure netpipe_bandwidth(const std::vector<Series>& netpipe) {
  Chart chart{.title = "Figure 7. NetPIPE: bandwidth", .x = kNetpipeSizes, .y = kBandwidth};
  for (const Series& series : netpipe) {
    chart.curves.push_back(curve_of(series, Counting::kTransferred, megabytes_per_second));
  }
  chart.stated = {{.curve = 0, .at = {8 * kKiB, 1108.0 / 2}, .text = "half of the put's bandwidth at 8 KB"},
                  {.curve = 2,
                   .at = {24 * kKiB, 2200.0 / 2},
                   .text = "half of the bidirectional put's bandwidth at nearly 24 KB"}};
  chart.guides = {{.vertical = true, .at = 8 * kKiB, .text = "half of the put: 8 KB"},
                  {.vertical = true, .at = 24 * kKiB, .text = "half of the bidirectional put: nearly 24 KB"},
                  {.at = 2200, .text = "bidirectional peak: over 2200 MB/s"}};
  return {.id = "figure7",
          .chart = std::move(chart),
          .text =
              "Half of the bandwidth comes earlier than in the paper, whose NetPIPE numbers are less steep "
              "than its PortalPerf numbers; the model knows no difference between the two programs."};
}

/// Not in the paper, which only says what to expect.
Figure accelerated_latency(const Series& series, const Figure& generic) {
  Chart chart{.title = "Beyond the paper. Put latency in both modes", .x = kSizes, .y = kLatency};
  chart.x.high = kKiB;
  chart.curves = {generic.chart.curves[0], curve_of(series, Counting::kMessage, microseconds)};
  chart.curves[0].name = "put, generic mode";
  chart.curves[1].name = "put, accelerated mode";
  chart.curves[1].system = System::kAcceleratedPut;
  return {.id = "accelerated",
          .chart = std::move(chart),
          .text =
              "Accelerated mode, which the paper announces: the interface matches, commands and events go "
              "through the process's own memory. No trap and no interrupt is left. What remains of the "
              "step after 12 bytes is the programming of the receive engine, which a payload within the "
              "header packet does not need."};
}

double interrupts_of(const Series& series) {
  std::uint64_t sum = 0;
  for (const Measured& measured : series.measured) sum += measured.interrupts;
  return static_cast<double>(sum);
}

/// The time of interrupts on a receiver's processor for each message of a stream of empty messages.
double interrupt_us(const sim::NetworkModel& model) {
  const auto of = [&](const char* name, std::size_t amount) {
    return static_cast<double>(model[model.cost(name)].of(amount)) / sim::kMicrosecond;
  };
  return of("interrupt_entry", 0) + of("match", 1) + of("complete", 0) + of("interrupt_exit", 0);
}

Found measure(const PaperMachine& machine, const Advance& advance) {
  const sim::NetworkModel& model = machine.model;
  Bench bench(model, advance);
  const std::vector<Series> of_netpipe = netpipe(bench);
  Found found;
  found.figures = {latency(bench), medium_bandwidth(bench), long_bandwidth(bench),
                   netpipe_latency(of_netpipe), netpipe_bandwidth(of_netpipe)};
  const Series accelerated = bench.run(Pattern::kPut, short_sizes(), BridgeKind::kAccelerated);
  const Series accelerated_long =
      bench.run(Pattern::kPut, bench::portals::netpipe_sizes(kNetpipeLongest), BridgeKind::kAccelerated);
  const auto curves = [&](std::size_t figure) -> const std::vector<Curve>& {
    return found.figures[figure - 3].chart.curves;
  };
  const auto perf = [&](std::size_t figure) {
    return redstorm::PerfCurves{curves(figure)[0], curves(figure)[1], curves(figure)[2]};
  };
  const auto netpipe_curves = [&](std::size_t figure) {
    return redstorm::NetpipeCurves{curves(figure)[0], curves(figure)[1], curves(figure)[2]};
  };
  found.criteria = redstorm::criteria(
      {.latency = perf(3),
       .medium_bandwidth = perf(4),
       .long_bandwidth = perf(5),
       .netpipe_latency = netpipe_curves(6),
       .netpipe_bandwidth = netpipe_curves(7),
       .accelerated_bandwidth = curve_of(accelerated_long, Counting::kTransferred, megabytes_per_second),
       .accelerated_interrupts = interrupts_of(accelerated),
       .interrupt_us = interrupt_us(model),
       .cable_mb_per_s = bench::portals::crowd_mb_per_s(model, bench::portals::kOverOneCable, kCrowdBytes),
       .node_mb_per_s = bench::portals::crowd_mb_per_s(model, bench::portals::kToOneNode, kCrowdBytes)});
  found.figures.push_back(accelerated_latency(accelerated, found.figures[0]));
  return found;
}

}  // namespace

Study red_storm() {
  return {
      .name = "redstorm",
      .summary = "Portals 3.3 on Red Storm, figures 3 to 7",
      .network = "seastar-redstorm",
      .title = "Portals 3.3 on Red Storm: figures 3 to 7, from simulation",
      .introduction = {"The curves are ours: the same Portals library that runs live, over a simulated "
                       "SeaStar, in virtual time. Rings, areas and dotted lines are what the paper states in "
                       "words and numbers; its own curves are pictures, and are not reproduced here.",
                       "All figures come from one set of numbers, listed below. Generic mode, Catamount, "
                       "neighbouring nodes. K is 1024 bytes; MB/s are millions of bytes a second."},
      .fitting =
          "Four stated values fixed four numbers, one each: the latencies of 0 bytes (put, get, both at "
          "once) and the asymptote of the put. All other numbers are given by a paper or assumed, and "
          "all other criteria are predictions.",
      .measure = measure,
      .mechanisms = {{.name = "unlimited-credits",
                      .summary = "links and interfaces lack no room",
                      .overrides = {"link.buffer=65536", "ejection.room=1024MiB"}},
                     {.name = "no-congestion",
                      .summary = "links as fast as anybody may wish",
                      .overrides = {"link.bandwidth=1000GB/s"}},
                     {.name = "no-interrupts",
                      .summary = "work in interrupts begins and ends at once",
                      .overrides = {"costs.interrupt_entry=0ns", "costs.interrupt_exit=0ns"}},
                     {.name = "no-inline-payload",
                      .summary = "no payload comes with its header",
                      .overrides = {"inline_bytes=0B"}}}};
}

}  // namespace aqueduct::figures
