#include "aries_criteria.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "curve_reading.hpp"

namespace aqueduct::figures::xc40 {
namespace {

constexpr double kKiB = 1024;
constexpr double kNoBound = std::numeric_limits<double>::infinity();
/// Back-pressure begins at the depth of a connection at the earliest.
constexpr double kUncrowded = 32;

void add_round_trips(std::vector<Criterion>& all, const RoundTrips& trip) {
  const Curve ratio = ratio_of(trip.put_sync_send, trip.reassembly, "");
  const Point largest = *std::ranges::max_element(ratio.points, {}, &Point::y);
  all.push_back({.what = "figure 1: ratio at 2 KiB",
                 .unit = "",
                 .stated = "identical: the payload is packed",
                 .value = value_at(ratio, 2 * kKiB),
                 .least = 0.99,
                 .most = 1.01});
  all.push_back({.what = "figure 1: size of the largest ratio",
                 .unit = "bytes",
                 .stated = "4 KiB",
                 .value = largest.x,
                 .least = 4 * kKiB,
                 .most = 4 * kKiB});
  all.push_back({.what = "figure 1: largest ratio",
                 .unit = "",
                 .stated = "1.49",
                 .value = largest.y,
                 .least = 1.40,
                 .most = 1.58});
  double rise = 0;
  for (std::size_t i = 2; i < ratio.points.size(); ++i)
    rise = std::max(rise, ratio.points[i].y - ratio.points[i - 1].y);
  all.push_back({.what = "figure 1: largest rise of the ratio above 4 KiB",
                 .unit = "",
                 .stated = "declines",
                 .value = rise,
                 .least = 0,
                 .most = 0.01});
  all.push_back(fitted(
      within("figure 2: put-sync-send at 4 KiB", "us", value_at(trip.put_sync_send, 4 * kKiB), 13.0, 5),
      {"nic.crossing"}));
  all.push_back(
      fitted(within("figure 2: reassembly at 4 KiB", "us", value_at(trip.reassembly, 4 * kKiB), 8.7, 5),
             {"costs.call_rdma"}));
  double least = kNoBound, most = 0, extra = kNoBound;
  for (std::size_t i = 0; i < trip.reassembly.points.size(); ++i) {
    if (trip.reassembly.points[i].x < 4 * kKiB) continue;
    extra = std::min(extra, trip.rendezvous_get.points[i].y - trip.reassembly.points[i].y);
    if (trip.reassembly.points[i].x == 4 * kKiB) continue;
    const double reduction = trip.put_sync_send.points[i].y - trip.reassembly.points[i].y;
    least = std::min(least, reduction);
    most = std::max(most, reduction);
  }
  all.push_back({.what = "figure 2: least reduction above 4 KiB",
                 .unit = "us",
                 .stated = "3.7 to 6.1",
                 .value = least,
                 .least = 3.7,
                 .most = 6.1});
  all.push_back({.what = "figure 2: greatest reduction above 4 KiB",
                 .unit = "us",
                 .stated = "3.7 to 6.1",
                 .value = most,
                 .least = 3.7,
                 .most = 6.1});
  all.push_back({.what = "rendezvous get: least time above reassembly",
                 .unit = "us",
                 .stated = "at least one more round trip",
                 .value = extra,
                 .least = 1,
                 .most = kNoBound});
}

/// The ratio of the largest to the smallest value, up to `most` at once.
double spread(const Curve& curve, double most) {
  double low = kNoBound, high = 0;
  for (const Point& point : curve.points) {
    if (point.x > most) break;
    low = std::min(low, point.y);
    high = std::max(high, point.y);
  }
  return high / low;
}

/// The largest fall from one point to the next, in percent.
double largest_fall(const Curve& curve) {
  double fall = 0;
  for (std::size_t i = 1; i < curve.points.size(); ++i)
    fall = std::max(fall, 100 * (1 - curve.points[i].y / curve.points[i - 1].y));
  return fall;
}

void add_injection(std::vector<Criterion>& all, const Injections& of_size) {
  const std::string size =
      of_size.bytes >= kKiB * kKiB ? "1 MiB" : fmt::format("{:.0f} KiB", of_size.bytes / kKiB);
  all.push_back({.what = "figure 3: put-sync-send, " + size + ": most over least",
                 .unit = "",
                 .stated = "flat",
                 .value = spread(of_size.put_sync_send, kNoBound),
                 .least = 1,
                 .most = 1.1});
  const Curve share = ratio_of(of_size.reassembly, of_size.put_sync_send, "");
  all.push_back({.what = "figure 3: reassembly, " + size + ": highest share of put-sync-send",
                 .unit = "",
                 .stated = "always below",
                 .value = highest(share),
                 .least = 0,
                 .most = 1});
  all.push_back({.what = "figure 3: reassembly, " + size + ": largest fall with depth",
                 .unit = "%",
                 .stated = "does not fall",
                 .value = largest_fall(of_size.reassembly),
                 .least = 0,
                 .most = 10});
}

// Criteria for statements of the paper without a figure.
void add_circumstances(std::vector<Criterion>& all, const Measurements& measured) {
  const Inattention& inattention = measured.inattention;
  const double pause = inattention.async_chaining.points.back().x;
  all.push_back(
      {.what = "inattention: asynchronous chaining: share of the longest pause that it adds",
       .unit = "",
       .stated = "delayed by an initiator that does not poll",
       .value = (inattention.async_chaining.points.back().y - inattention.reassembly.points.back().y) / pause,
       .least = 0.95,
       .most = 1.05});
  all.push_back({.what = "inattention: reassembly: most over least",
                 .unit = "",
                 .stated = "does not depend on the initiator's attention",
                 .value = spread(inattention.reassembly, kNoBound),
                 .least = 1,
                 .most = 1.2});  // packets choose their ways at random
  const Curve share = ratio_of(measured.routing.in_order, measured.routing.adaptive, "");
  all.push_back({.what = "routing: in order over adaptive, idle network",
                 .unit = "",
                 .stated = "not stated",
                 .value = share.points.front().y,
                 .least = 0.95,
                 .most = 1.1});
  all.push_back({.what = "routing: in order over adaptive, highest load",
                 .unit = "",
                 .stated = "order costs the bandwidth of several paths",
                 .value = share.points.back().y,
                 .least = 1.5,
                 .most = kNoBound});
  all.push_back({.what = "memory: entries for one Long under way, at most",
                 .unit = "",
                 .stated = "one",
                 .value = measured.memory.most_waiting_share,
                 .least = 0,
                 .most = 1});
  all.push_back({.what = "memory: for one Long under way, 16 senders, depth 64",
                 .unit = "bytes",
                 .stated = "not stated",
                 .value = measured.memory.most_for_one,
                 .least = 0,
                 .most = 256});
}

}  // namespace

Curve ratio_of(const Curve& above, const Curve& below, const char* name) {
  Curve ratio{.system = below.system, .name = name, .points = {}};
  for (std::size_t i = 0; i < above.points.size(); ++i)
    ratio.points.push_back({above.points[i].x, above.points[i].y / below.points[i].y});
  return ratio;
}

std::vector<Criterion> criteria(const Measurements& measured) {
  std::vector<Criterion> all;
  add_round_trips(all, measured.round_trip);
  for (const Injections& of_size : measured.injection) add_injection(all, of_size);
  double lowest_step = kNoBound, rise = 0;
  for (std::size_t i = 0; i < measured.injection.size(); ++i) {
    const Curve& curve = measured.injection[i].reassembly;
    rise = std::max(rise, curve.points.back().y / curve.points.front().y);
    if (i == 0) continue;
    const Curve& smaller = measured.injection[i - 1].reassembly;
    for (std::size_t j = 0; j < curve.points.size(); ++j)
      lowest_step = std::min(lowest_step, curve.points[j].y / smaller.points[j].y);
  }
  all.push_back({.what = "figure 3: reassembly: 256 at once over one, at most",
                 .unit = "",
                 .stated = "rises when flow control pushes back",
                 .value = rise,
                 .least = 1.5,
                 .most = kNoBound});
  all.push_back({.what = "figure 3: reassembly: a size over the next smaller one, at least",
                 .unit = "",
                 .stated = "does not fall with size",
                 .value = lowest_step,
                 .least = 0.95,  // a reader of the picture sees no smaller difference
                 .most = kNoBound});
  const Curve& small = measured.injection.front().reassembly;
  all.push_back({.what = "figure 3: reassembly, 4 KiB: most over least up to 32 at once",
                 .unit = "",
                 .stated = "nearly constant until back-pressure",
                 .value = spread(small, kUncrowded),
                 .least = 1,
                 .most = 1.25});
  add_circumstances(all, measured);
  return all;
}

}  // namespace aqueduct::figures::xc40
