#include "redstorm.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "curve_reading.hpp"
#include "portals/netpipe_sizes.hpp"
#include "portals/simulated.hpp"

namespace aqueduct::figures {
namespace {

using bench::portals::Measured;
using bench::portals::Pattern;
using bench::portals::Task;
using portals3::seastar::BridgeKind;

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * kKiB;
constexpr double kNoBound = std::numeric_limits<double>::infinity();

/// The size at which the paper's medium sizes end and its long ones begin.
constexpr std::size_t kHundredKiB = 100 * kKiB;
constexpr std::size_t kLongest = 2 * kMiB;
constexpr std::size_t kNetpipeLongest = 4 * kMiB;

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

/// What an x says: PortalPerf counts the size of a message, NetPIPE all that is transferred.
enum class Counting { kMessage, kTransferred };

double microseconds(const Measured& measured, double) { return measured.ns / 1e3; }
double megabytes_per_second(const Measured& measured, double bytes) { return bytes / measured.ns * 1e3; }

Curve curve_of(const Series& series, Counting counting, double (*value)(const Measured&, double),
               std::size_t largest = std::numeric_limits<std::size_t>::max()) {
  Curve curve{.name = name_of(series.pattern), .points = {}};
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
  explicit Bench(const sim::NetworkModel& model) : model_(model) {}

  Series run(Pattern pattern, const std::vector<std::size_t>& sizes,
             BridgeKind bridge = BridgeKind::kQk) const {
    std::vector<Task> tasks;
    for (const std::size_t size : sizes) tasks.push_back({.pattern = pattern, .bytes = size});
    return {.pattern = pattern,
            .sizes = sizes,
            .measured = bench::portals::measure({.model = &model_, .bridge = bridge}, tasks)};
  }

  std::vector<Curve> perf_curves(double (*value)(const Measured&, double),
                                 const std::vector<std::size_t>& sizes) const {
    std::vector<Curve> curves;
    for (const Pattern pattern : {Pattern::kPut, Pattern::kGet, Pattern::kBidirectionalPut}) {
      curves.push_back(curve_of(run(pattern, sizes), Counting::kMessage, value));
    }
    return curves;
  }

 private:
  const sim::NetworkModel& model_;
};

Figure latency(const Bench& bench) {
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

Figure medium_bandwidth(const Bench& bench) {
  Chart chart{
      .title = "Figure 4. PortalPerf: bandwidth for medium-sized messages", .x = kSizes, .y = kBandwidth};
  chart.x.high = kHundredKiB;
  chart.curves = bench.perf_curves(megabytes_per_second, medium_sizes());
  chart.stated = {{.curve = 0, .at = {kHundredKiB, 1051.43}, .text = "100 KB put: 1051.43 MB/s"},
                  {.curve = 1, .at = {kHundredKiB, 1012.17}, .text = "100 KB get: 1012.17 MB/s"}};
  chart.guides = {{.vertical = true, .at = 6 * kKiB, .text = "half bandwidth at about 6 KB"}};
  return {.id = "figure4",
          .chart = std::move(chart),
          .text = "Of the bidirectional put, the bandwidth of one direction."};
}

Figure long_bandwidth(const Bench& bench) {
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

std::vector<Series> netpipe(const Bench& bench) {
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
  chart.guides = {{.vertical = true, .at = 12, .text = "step after 12 bytes"},
                  {.vertical = true, .at = 24, .text = "bidirectional: after 24"}};
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
  chart.guides = {{.vertical = true, .at = 8 * kKiB, .text = "half of the put at 8 KB"},
                  {.vertical = true, .at = 24 * kKiB, .text = "of the bidirectional put at nearly 24 KB"},
                  {.at = 2200, .text = "peak over 2200 MB/s"}};
  return {.id = "figure7",
          .chart = std::move(chart),
          .text =
              "Half of the bandwidth comes a little earlier than in the paper, whose NetPIPE numbers are "
              "less steep than its PortalPerf numbers; the model knows no difference between the two "
              "programs."};
}

/// Not in the paper, which only says what to expect.
Figure accelerated(const Bench& bench, const Figure& generic, std::vector<Criterion>& criteria) {
  const Series series = bench.run(Pattern::kPut, short_sizes(), BridgeKind::kAccelerated);
  Chart chart{.title = "Beyond the paper. Put latency in both modes", .x = kSizes, .y = kLatency};
  chart.x.high = kKiB;
  chart.curves = {generic.chart.curves[0], curve_of(series, Counting::kMessage, microseconds)};
  chart.curves[0].name = "generic";
  chart.curves[1].name = "accelerated";
  std::uint64_t interrupts = 0;
  for (const Measured& measured : series.measured) interrupts += measured.interrupts;
  criteria.push_back({.what = "accelerated mode: interrupts in all its operations",
                      .unit = "",
                      .stated = "both eliminated",
                      .value = static_cast<double>(interrupts),
                      .least = 0,
                      .most = 0});
  criteria.push_back({.what = "accelerated mode: what is left of the step of the put",
                      .unit = "us",
                      .stated = "no interrupt saved",
                      .value = largest_step(chart.curves[1], 64).height(),
                      .least = 0,
                      .most = 0.25});
  return {.id = "accelerated",
          .chart = std::move(chart),
          .text =
              "Accelerated mode, which the paper announces: the interface matches, commands and events go "
              "through the process's own memory. No trap and no interrupt is left. What remains of the "
              "step after 12 bytes is the programming of the receive engine, which a payload within the "
              "header packet does not need."};
}

/// After how many bytes the largest step among the first 64 comes.
Criterion step_after(std::string what, const Curve& curve, double bytes) {
  return {.what = std::move(what),
          .unit = "bytes",
          .stated = "at " + std::to_string(static_cast<int>(bytes)),
          .value = largest_step(curve, 64).before.x,
          .least = bytes,
          .most = bytes};
}

std::vector<Criterion> criteria(const std::vector<Figure>& figures) {
  const auto curve = [&](int figure, std::size_t which) -> const Curve& {
    return figures[static_cast<std::size_t>(figure - 3)].chart.curves[which];
  };
  const double asymptote = curve(5, 0).points.back().y;
  const double half_size = reaches(curve(4, 0), asymptote / 2) / kKiB;
  return {
      within("0-byte put latency", "us", value_at(curve(3, 0), 0), 4.89, 3),
      within("0-byte get latency", "us", value_at(curve(3, 1), 0), 6.09, 3),
      within("0-byte bidirectional put latency", "us", value_at(curve(3, 2), 0), 8.39, 3),
      within("100 KB put bandwidth", "MB/s", value_at(curve(4, 0), kHundredKiB), 1051.43, 3),
      within("100 KB get bandwidth", "MB/s", value_at(curve(4, 1), kHundredKiB), 1012.17, 3),
      within("put asymptote, at 2 MB", "MB/s", asymptote, 1108, 2),
      {.what = "size at which the put has half its asymptote",
       .unit = "KB",
       .stated = "around 6",
       .value = half_size,
       .least = 5,
       .most = 7},
      step_after("NetPIPE put: size after which latency steps", curve(6, 0), 12),
      step_after("NetPIPE bidirectional put: likewise", curve(6, 2), 24),
      {.what = "height of the step of the put: one interrupt",
       .unit = "us",
       .stated = "at least 2 per interrupt",
       .value = largest_step(curve(6, 0), 64).height(),
       .least = 1.5,
       .most = 3},
      {.what = "NetPIPE bidirectional put: peak bandwidth",
       .unit = "MB/s",
       .stated = "over 2200",
       .value = highest(curve(7, 2)),
       .least = 2200,
       .most = kNoBound},
  };
}

Found measure(const sim::NetworkModel& model) {
  const Bench bench(model);
  const std::vector<Series> of_netpipe = netpipe(bench);
  Found found;
  found.figures = {latency(bench), medium_bandwidth(bench), long_bandwidth(bench),
                   netpipe_latency(of_netpipe), netpipe_bandwidth(of_netpipe)};
  found.criteria = criteria(found.figures);
  found.figures.push_back(accelerated(bench, found.figures[0], found.criteria));
  return found;
}

}  // namespace

Study red_storm() {
  return {.name = "redstorm",
          .summary = "Portals 3.3 on Red Storm, figures 3 to 7",
          .network = "seastar-redstorm",
          .title = "Portals 3.3 on Red Storm: figures 3 to 7, from simulation",
          .introduction = {"The curves are ours: the same Portals library that runs live, over a simulated "
                           "SeaStar, in virtual time. Rings and dashed lines are what the paper states in "
                           "words and numbers; its own curves are pictures, and are not reproduced here.",
                           "All figures come from one set of numbers, listed below, each of them given by a "
                           "paper or calibrated against a stated value. Generic mode, Catamount, "
                           "neighbouring nodes. K is 1024 bytes; MB/s are millions of bytes a second."},
          .measure = measure};
}

}  // namespace aqueduct::figures
