#include "portals.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "curve_reading.hpp"
#include "pair_bench.hpp"

namespace aqueduct::figures {
namespace {

using scenarios::Pattern;

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kMiB = 1024 * kKiB;
constexpr double kNoBound = std::numeric_limits<double>::infinity();
/// What fits in the header packet; the paper's steps come after it.
constexpr double kInline = 16;

constexpr Carrier kMpi{"mpi-portals", "firehose"};
constexpr Carrier kFirehose{"portals", "firehose"};
constexpr Carrier kTemporary{"portals", "native"};

const Axis kSizes{.label = "payload (bytes)", .scale = Scale::kLog, .numbers = Numbers::kBytes};
const Axis kLatency{.label = "time (µs)"};
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

void measure_all(const sim::NetworkModel& model, const Carrier& carrier, std::initializer_list<Series*> all) {
  std::vector<PairTask> tasks;
  for (const Series* series : all) {
    for (const std::size_t bytes : series->sizes) tasks.push_back({series->pattern, bytes});
  }
  const std::vector<double> found = measure(model, carrier, tasks);
  auto next = found.begin();
  for (Series* series : all) {
    series->ns.assign(next, next + static_cast<std::ptrdiff_t>(series->sizes.size()));
    next += static_cast<std::ptrdiff_t>(series->sizes.size());
  }
}

Curve times(std::string name, const Series& series) {
  Curve curve{.name = std::move(name), .points = {}};
  for (std::size_t i = 0; i < series.sizes.size(); ++i) {
    curve.points.push_back({static_cast<double>(series.sizes[i]), series.ns[i] / 1e3});
  }
  return curve;
}

Curve bandwidths(std::string name, const Series& series) {
  Curve curve{.name = std::move(name), .points = {}};
  for (std::size_t i = 0; i < series.sizes.size(); ++i) {
    const auto bytes = static_cast<double>(series.sizes[i]);
    curve.points.push_back({bytes, bytes / series.ns[i] * 1e9 / kMiB});
  }
  return curve;
}

/// One curve over another of the same sizes, in a range of sizes.
class Ratio {
 public:
  Ratio(const Curve& above, const Curve& below, double from, double to) {
    for (std::size_t i = 0; i < above.points.size(); ++i) {
      const double x = above.points[i].x;
      if (x >= from && x <= to) points_.push_back({x, above.points[i].y / below.points[i].y});
    }
  }
  Point least() const { return std::ranges::min(points_, {}, &Point::y); }
  Point most() const { return std::ranges::max(points_, {}, &Point::y); }

 private:
  std::vector<Point> points_;
};

void add_band(std::vector<Criterion>& criteria, const std::string& what, const char* stated,
              const Ratio& ratio, double least, double most) {
  for (const bool highest : {false, true}) {
    criteria.push_back({.what = what + (highest ? ", at most" : ", at least"),
                        .unit = "",
                        .stated = stated,
                        .value = highest ? ratio.most().y : ratio.least().y,
                        .least = least,
                        .most = most});
  }
}

/// The step comes where the header packet is full, and is one.
void add_step(std::vector<Criterion>& criteria, const std::string& what, const Curve& curve) {
  const Step step = largest_step(curve, 4 * kInline);
  criteria.push_back({.what = what + ": size after which it steps",
                      .unit = "bytes",
                      .stated = "discontinuity at 16",
                      .value = step.before.x,
                      .least = kInline,
                      .most = kInline});
  criteria.push_back({.what = what + ": height of the step",
                      .unit = "us",
                      .stated = "a discontinuity",
                      .value = step.height(),
                      .least = 0.5,
                      .most = kNoBound});
}

Figure put_latency(const Series& mpi, const Series& ping_ack, const Series& portals,
                   std::vector<Criterion>& criteria) {
  Chart chart{.title = "Figure 2. Blocking put: latency", .x = kSizes, .y = kLatency};
  chart.curves = {times("mpi-conduit", mpi), times("MPI ping-ack", ping_ack),
                  times("portals-conduit", portals)};
  chart.guides = {{.vertical = true, .at = kInline, .text = "16 bytes inline"}};
  const auto& [over_mpi, over_messages, native] = std::tie(chart.curves[0], chart.curves[1], chart.curves[2]);
  add_band(criteria, "figure 2: mpi / portals up to 16 bytes", "roughly a factor of two",
           {over_mpi, native, 0, kInline}, 1.7, 2.3);
  add_step(criteria, "figure 2: portals", native);
  add_step(criteria, "figure 2: ping-ack", over_messages);
  criteria.push_back({.what = "figure 2: mpi: largest step up to 64 bytes",
                      .unit = "us",
                      .stated = "lack of a discontinuity",
                      .value = largest_step(over_mpi, 4 * kInline).height(),
                      .least = -0.1,
                      .most = 0.1});
  criteria.push_back({.what = "figure 2: portals / ping-ack, at most",
                      .unit = "",
                      .stated = "out-performs by a significant margin",
                      .value = Ratio(native, over_messages, 0, kNoBound).most().y,
                      .least = 0,
                      .most = 0.9});
  return {.id = "figure2",
          .chart = std::move(chart),
          .text =
              "A put and its acknowledgement; by MPI, a message and an empty answer. The native put needs no "
              "process at the target. Above 16 bytes a message interrupts its target twice; those of "
              "mpi-conduit, with their headers, always do."};
}

Figure put_bandwidth(const Series& mpi, const Series& flood, const Series& portals,
                     std::vector<Criterion>& criteria) {
  Chart chart{.title = "Figure 3. Non-blocking put: bandwidth", .x = kSizes, .y = kBandwidth};
  chart.curves = {bandwidths("mpi-conduit", mpi), bandwidths("MPI flood (as osu_bw)", flood),
                  bandwidths("portals-conduit", portals)};
  add_band(criteria, "figure 3: portals / mpi, 1 KB to 2 MB", "roughly a factor two over the entire range",
           {chart.curves[2], chart.curves[0], 0, kNoBound}, 1.6, 2.5);
  criteria.push_back({.what = "figure 3: portals / MPI flood, at least",
                      .unit = "",
                      .stated = "meets or exceeds",
                      .value = Ratio(chart.curves[2], chart.curves[1], 0, kNoBound).least().y,
                      .least = 1,
                      .most = kNoBound});
  return {
      .id = "figure3",
      .chart = std::move(chart),
      .text =
          "Many puts at once, then one wait for all; by MPI, 64 messages and one answer. mpi-conduit copies "
          "the payload at both ends. Where the MPI flood lags behind, messages come faster than receives "
          "can be posted, and are copied too."};
}

Figure round_trip(const Series& mpi, const Series& portals, const Curve& put,
                  std::vector<Criterion>& criteria) {
  Chart chart{.title = "Figure 4. Active messages: Medium request and reply", .x = kSizes, .y = kLatency};
  chart.curves = {times("mpi-conduit", mpi), times("portals-conduit", portals)};
  chart.guides = {{.vertical = true, .at = kInline, .text = "16 bytes inline"}};
  const Curve& over_mpi = chart.curves[0];
  const Curve& native = chart.curves[1];
  const Ratio small(over_mpi, native, 0, kInline);
  const Ratio middle(over_mpi, native, 2 * kInline, kKiB / 2);
  add_band(criteria, "figure 4: mpi / portals up to 16 bytes", "roughly a 2-fold difference", small, 1.7,
           2.3);
  add_step(criteria, "figure 4: portals", native);
  criteria.push_back(
      {.what = "figure 4: its step over that of the put",
       .unit = "",
       .stated = "a more significant discontinuity",
       .value = largest_step(native, 4 * kInline).height() / largest_step(put, 4 * kInline).height(),
       .least = 1.5,
       .most = kNoBound});
  criteria.push_back({.what = "figure 4: mpi / portals from 32 to 512 bytes, at most",
                      .unit = "",
                      .stated = "a less significant advantage",
                      .value = middle.most().y,
                      .least = 1,
                      .most = 0.8 * small.least().y});
  criteria.push_back({.what = "figure 4: mpi / portals at 1 KB over that at 512 bytes",
                      .unit = "",
                      .stated = "copies become evident",
                      .value = value_at(over_mpi, kKiB) / value_at(native, kKiB) /
                               (value_at(over_mpi, kKiB / 2) / value_at(native, kKiB / 2)),
                      .least = 1.01,
                      .most = kNoBound});
  return {.id = "figure4",
          .chart = std::move(chart),
          .text =
              "No arguments, and as much payload back as there. Both ways step after 16 bytes. At 1 KB "
              "messages of "
              "mpi-conduit, with their headers, are more than MPI sends from a buffer of its own."};
}

Figure firehose(const Series& temporary, const Series& cached, std::vector<Criterion>& criteria) {
  Chart chart{
      .title = "Figure 5. Blocking put from outside the segment: bandwidth", .x = kSizes, .y = kBandwidth};
  chart.curves = {bandwidths("temporary descriptors", temporary), bandwidths("Firehose", cached)};
  chart.guides = {{.vertical = true, .at = 8 * kKiB, .text = "most is gained at 8 KB"}};
  const auto percent = [](const Point& ratio) { return 100 * (ratio.y - 1); };
  const Ratio gain(chart.curves[1], chart.curves[0], 0, kNoBound);
  const Ratio end(chart.curves[1], chart.curves[0], 2 * kMiB, kNoBound);
  criteria.push_back({.what = "figure 5: least gain of Firehose",
                      .unit = "%",
                      .stated = "equal or higher",
                      .value = percent(gain.least()),
                      .least = 0,
                      .most = kNoBound});
  criteria.push_back({.what = "figure 5: best gain",
                      .unit = "%",
                      .stated = "8.5",
                      .value = percent(gain.most()),
                      .least = 6,
                      .most = 11});
  criteria.push_back({.what = "figure 5: size of the best gain",
                      .unit = "KB",
                      .stated = "8",
                      .value = gain.most().x / kKiB,
                      .least = 6,
                      .most = 12});
  criteria.push_back({.what = "figure 5: gain at 2 MB",
                      .unit = "%",
                      .stated = "asymptotically about 3.5",
                      .value = percent(end.least()),
                      .least = 2,
                      .most = 5});
  double least_growth = kNoBound;
  for (std::size_t i = 1; i < cached.ns.size(); ++i) {
    const double growth = temporary.ns[i] - cached.ns[i] - (temporary.ns[i - 1] - cached.ns[i - 1]);
    if (cached.sizes[i - 1] >= 4 * kKiB) least_growth = std::min(least_growth, growth);
  }
  criteria.push_back({.what = "figure 5: least growth of the time saved, from 4 KB up",
                      .unit = "ns",
                      .stated = "the difference is growing",
                      .value = least_growth,
                      .least = 0,
                      .most = kNoBound});
  return {
      .id = "figure5",
      .chart = std::move(chart),
      .text =
          "The same source each time, which is best for Firehose. Up to 2 KB the other way is through bounce "
          "buffers; above, a descriptor is made for each put and its pages are pinned."};
}

Found measure_figures(const sim::NetworkModel& model) {
  const std::vector<std::size_t> small = short_sizes();
  const std::vector<std::size_t> large = long_sizes();
  Series mpi_put{Pattern::kPut, small}, mpi_trip{Pattern::kRoundTrip, small},
      mpi_flood{Pattern::kPutFlood, large};
  Series put{Pattern::kPut, small}, trip{Pattern::kRoundTrip, small}, flood{Pattern::kPutFlood, large};
  Series ping_ack{Pattern::kPingAck, small}, messages{Pattern::kMessageFlood, large};
  Series cached{Pattern::kOutsidePut, large}, temporary{Pattern::kOutsidePut, large};
  measure_all(model, kMpi, {&mpi_put, &mpi_trip, &mpi_flood});
  measure_all(model, kFirehose, {&put, &trip, &flood, &ping_ack, &messages, &cached});
  measure_all(model, kTemporary, {&temporary});
  Found found;
  found.figures.push_back(put_latency(mpi_put, ping_ack, put, found.criteria));
  found.figures.push_back(put_bandwidth(mpi_flood, messages, flood, found.criteria));
  found.figures.push_back(round_trip(mpi_trip, trip, times("", put), found.criteria));
  found.figures.push_back(firehose(temporary, cached, found.criteria));
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
          {"The curves are ours: the conduits portals and mpi-portals and the minimal MPI, as they run live, on two "
           "neighbouring nodes of a simulated Cray XT4 under Linux, in virtual time. The paper's own curves "
           "are pictures without numbers; ours are held to the ratios, steps and orders that its text "
           "states. Absolute values are the model's.",
           "All figures come from one set of numbers, listed below, each of them given by a paper or "
           "calibrated against what is stated. Work of software (copies, an MPI's protocols) takes time "
           "under "
           "the names listed there, wherever it is done. K is 2^10 and M is 2^20, as in the paper.",
           "[CUG] is the paper, [RS] the one about Red Storm; the head of the network's file names the "
           "others."},
      .measure = measure_figures};
}

}  // namespace aqueduct::figures
