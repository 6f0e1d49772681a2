#include "portals_criteria.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "curve_reading.hpp"

namespace aqueduct::figures::xt4 {
namespace {

constexpr double kKiB = 1024;
constexpr double kMiB = 1024 * kKiB;
constexpr double kNoBound = std::numeric_limits<double>::infinity();
/// Where the text of figure 4 says that the advantage is smaller.
constexpr double kMiddleFrom = 32, kMiddleTo = 512;

/// One curve over another of the same sizes, in a range of sizes.
class Ratio {
 public:
  Ratio(const Curve& above, const Curve& below, double from = 0, double to = kNoBound) {
    for (std::size_t i = 0; i < above.points.size(); ++i) {
      const double x = above.points[i].x;
      if (x >= from && x <= to) points_.push_back({x, above.points[i].y / below.points[i].y});
    }
  }
  double least() const { return std::ranges::min(points_, {}, &Point::y).y; }
  double most() const { return std::ranges::max(points_, {}, &Point::y).y; }
  /// The ratio that is furthest from `value`, by ratio.
  double furthest_from(double value) const {
    return std::ranges::max(points_, {}, [&](const Point& p) { return std::abs(std::log(p.y / value)); }).y;
  }

 private:
  std::vector<Point> points_;
};

Criterion about_two(std::string what, const char* stated, double value) {
  return {.what = std::move(what),
          .unit = "",
          .stated = stated,
          .value = value,
          .least = kLeastTwo,
          .most = kMostTwo};
}

Criterion step_at_inline(std::string what, const Curve& curve) {
  return input({.what = std::move(what),
                .unit = "bytes",
                .stated = "discontinuity at 16",
                .value = largest_step(curve, 4 * kInline).before.x,
                .least = kInline,
                .most = kInline},
               {"inline_bytes"});
}

/// The largest step up to 64 bytes, in percent of the value before it.
double step_percent(const Curve& curve) {
  const Step step = largest_step(curve, 4 * kInline);
  return 100 * step.height() / step.before.y;
}

/// A step that a reader can see.
Criterion visible_step(std::string what, const Curve& curve) {
  return {.what = std::move(what),
          .unit = "%",
          .stated = "a discontinuity",
          .value = step_percent(curve),
          .least = 10,
          .most = 100};
}

void add_put_latency(std::vector<Criterion>& all, const Latencies& put) {
  all.push_back(about_two("figure 2: mpi / portals up to 16 bytes, furthest from 2",
                          "roughly a factor of two",
                          Ratio(put.mpi_conduit, put.portals_conduit, 0, kInline).furthest_from(2)));
  all.push_back(step_at_inline("figure 2: portals: size after which it steps", put.portals_conduit));
  all.push_back(step_at_inline("figure 2: ping-ack: size after which it steps", put.ping_ack));
  all.push_back(visible_step("figure 2: portals: height of the step", put.portals_conduit));
  all.push_back(visible_step("figure 2: ping-ack: height of the step", put.ping_ack));
  all.push_back({.what = "figure 2: portals: 16 bytes to 1 byte",
                 .unit = "",
                 .stated = "nearly constant cost up to 16",
                 .value = value_at(put.portals_conduit, kInline) / value_at(put.portals_conduit, 1),
                 .least = 0.98,
                 .most = 1.02});
  all.push_back(by_construction({.what = "figure 2: mpi: largest step up to 64 bytes",
                                 .unit = "%",
                                 .stated = "lack of a discontinuity",
                                 .value = step_percent(put.mpi_conduit),
                                 .least = 0,
                                 .most = 2},
                                "with their headers its messages never fit in a header packet"));
  all.push_back({.what = "figure 2: portals / ping-ack, at most",
                 .unit = "",
                 .stated = "out-performs by a significant margin",
                 .value = Ratio(put.portals_conduit, put.ping_ack).most(),
                 .least = 0,
                 .most = 0.9});
  all.push_back(by_construction({.what = "figure 2: ping-ack / mpi, at most",
                                 .unit = "",
                                 .stated = "lower bound of mpi-conduit",
                                 .value = Ratio(put.ping_ack, put.mpi_conduit).most(),
                                 .least = 0,
                                 .most = 1},
                                "mpi-conduit sends these two messages and does more"));
}

void add_flood(std::vector<Criterion>& all, const Bandwidths& flood) {
  constexpr const char* kStated = "roughly a factor two across the entire range";
  const Curve& portals = flood.portals_conduit;
  const Curve& mpi = flood.mpi_conduit;
  // Between the two sizes that numbers were fitted at, and outside of them, nothing was adjusted.
  constexpr double kFittedSmall = 16 * kKiB, kFittedLarge = 2 * kMiB;
  const auto ratio_at = [&](double size) { return value_at(portals, size) / value_at(mpi, size); };
  all.push_back(fitted(about_two("figure 3: portals / mpi at 16 KB", kStated, ratio_at(kFittedSmall)),
                       {"nic.cached_bytes"}));
  all.push_back(fitted(about_two("figure 3: portals / mpi at 2 MB", kStated, ratio_at(kFittedLarge)),
                       {"costs.copy_far"}));
  all.push_back(about_two("figure 3: portals / mpi below 16 KB, furthest from 2", kStated,
                          Ratio(portals, mpi, 0, kFittedSmall - 1).furthest_from(2)));
  all.push_back(about_two("figure 3: portals / mpi from 24 KB to 1 MB, furthest from 2", kStated,
                          Ratio(portals, mpi, kFittedSmall + 1, kFittedLarge - 1).furthest_from(2)));
  all.push_back({.what = "figure 3: portals / MPI flood, at least",
                 .unit = "",
                 .stated = "able to meet or exceed",
                 .value = Ratio(portals, flood.mpi).least(),
                 .least = 1,
                 .most = kNoBound});
}

void add_round_trip(std::vector<Criterion>& all, const Latencies& trip, const Latencies& put) {
  const Curve& mpi = trip.mpi_conduit;
  const Curve& portals = trip.portals_conduit;
  all.push_back(
      fitted(about_two("figure 4: mpi / portals up to 16 bytes, furthest from 2",
                       "roughly a 2-fold difference", Ratio(mpi, portals, 0, kInline).furthest_from(2)),
             {"costs.complete"}));
  all.push_back(step_at_inline("figure 4: portals: size after which it steps", portals));
  all.push_back(visible_step("figure 4: portals: height of the step", portals));
  all.push_back({.what = "figure 4: its step over that of the put",
                 .unit = "",
                 .stated = "a more significant discontinuity",
                 .value = largest_step(portals, 4 * kInline).height() /
                          largest_step(put.portals_conduit, 4 * kInline).height(),
                 .least = 1.25,
                 .most = kNoBound});
  const Ratio middle(mpi, portals, kMiddleFrom, kMiddleTo);
  const Ratio of_put(put.mpi_conduit, put.portals_conduit, kMiddleFrom, kMiddleTo);
  all.push_back(
      by_construction({.what = "figure 4: mpi / portals from 32 to 512 bytes, at least",
                       .unit = "",
                       .stated = "an advantage",
                       .value = middle.least(),
                       .least = 1,
                       .most = kNoBound},
                      "mpi-conduit sends as many messages, and each does the work of the MPI besides"));
  all.push_back(
      by_construction({.what = "figure 4: the most of it over the least of the put's",
                       .unit = "",
                       .stated = "less significant than in the put case",
                       .value = middle.most() / of_put.least(),
                       .least = 0,
                       .most = 0.95},
                      "a native put is answered by an acknowledgement, a native request by a message"));
  const auto gap = [&](double size) { return value_at(mpi, size) - value_at(portals, size); };
  all.push_back({.what = "figure 4: mpi - portals, from 512 B to 1 KB over from 32 to 512 B",
                 .unit = "",
                 .stated = "copies become evident from 512 to 1024",
                 .value = (gap(kKiB) - gap(kMiddleTo)) / (gap(kMiddleTo) - gap(kMiddleFrom)),
                 .least = 1.25,
                 .most = kNoBound});
  all.push_back(
      missed({.what = "figure 4: portals / figure 2: portals, from 32 to 512 bytes, at most",
              .unit = "",
              .stated = "results very similar to the put's",
              .value = Ratio(portals, put.portals_conduit, kMiddleFrom, kMiddleTo).most(),
              .least = 0.8,
              .most = 1.25},
             "a round trip is two messages that hosts work on one after the other, and a put is one and an "
             "acknowledgement: 1.6 times as long even if interrupts cost nothing"));
}

bool is_power_of_two(double size) { return std::has_single_bit(static_cast<std::size_t>(size)); }

/// How much longer the put took that is slower, in nanoseconds.
double saved_ns(const OutsidePuts& outside, std::size_t i) {
  const double size = outside.firehose.points[i].x;
  return size / kMiB * 1e9 * (1 / outside.temporary.points[i].y - 1 / outside.firehose.points[i].y);
}

void add_outside_puts(std::vector<Criterion>& all, const OutsidePuts& outside) {
  const std::vector<Point>& gain = outside.gain.points;
  Curve powers;  // the sizes that the paper is likely to have measured
  double least_growth = kNoBound, before = 0, least_above_page = kNoBound;
  for (std::size_t i = 0; i < gain.size(); ++i) {
    if (gain[i].x > 4 * kKiB) least_above_page = std::min(least_above_page, gain[i].y);
    if (!is_power_of_two(gain[i].x)) continue;
    powers.points.push_back(gain[i]);
    if (gain[i].x > 4 * kKiB) least_growth = std::min(least_growth, saved_ns(outside, i) - before);
    before = saved_ns(outside, i);
  }
  const Point best = std::ranges::max(powers.points, {}, &Point::y);
  all.push_back(fitted({.what = "figure 5: gain of Firehose at 8 KB",
                        .unit = "%",
                        .stated = "8.5",
                        .value = value_at(outside.gain, 8 * kKiB),
                        .least = 8,
                        .most = 9},
                       {"costs.page_list"}));
  all.push_back(fitted({.what = "figure 5: size of the greatest gain, of powers of two",
                        .unit = "KB",
                        .stated = "8",
                        .value = best.x / kKiB,
                        .least = 8,
                        .most = 8},
                       {"costs.page_list"}));
  all.push_back(fitted({.what = "figure 5: gain at 2 MB",
                        .unit = "%",
                        .stated = "asymptotically about 3.5",
                        .value = value_at(outside.gain, 2 * kMiB),
                        .least = 3,
                        .most = 4},
                       {"costs.pin"}));
  all.push_back(input({.what = "figure 5: least growth of the time saved, per doubling from 4 KB",
                       .unit = "ns",
                       .stated = "the difference is growing",
                       .value = least_growth,
                       .least = 1,
                       .most = kNoBound},
                      {"costs.pin"}));
  all.push_back({.what = "figure 5: least gain of all sizes",
                 .unit = "%",
                 .stated = "consistently equal or higher",
                 .value = std::ranges::min(gain, {}, &Point::y).y,
                 .least = 0,
                 .most = kNoBound});
  all.push_back({.what = "figure 5: least gain above 4 KB",
                 .unit = "%",
                 .stated = "3.5 to 8.5 above the page size",
                 .value = least_above_page,
                 .least = 3,
                 .most = 4});
}

}  // namespace

std::vector<Criterion> criteria(const Measurements& measured) {
  std::vector<Criterion> all;
  all.push_back(fitted({.what = "0-byte put between Portals processes",
                        .unit = "us",
                        .stated = "[RS] 4.89, a fifth more under Linux, at 2.3 GHz: 5.1",
                        .value = measured.zero_byte_put_us,
                        .least = 5.05,
                        .most = 5.15},
                       {"costs.interrupt_exit"}));
  add_put_latency(all, measured.put);
  add_flood(all, measured.flood);
  add_round_trip(all, measured.round_trip, measured.put);
  add_outside_puts(all, measured.outside);
  return all;
}

}  // namespace aqueduct::figures::xt4
