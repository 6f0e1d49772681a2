#include "aries_criteria.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "curve_reading.hpp"

namespace aqueduct::figures::xc40 {
namespace {

constexpr double kKiB = 1024;
constexpr double kNoBound = std::numeric_limits<double>::infinity();
/// The smallest payload that travels by itself.
constexpr double kSmallestByItself = 4 * kKiB;
/// The requests of a connection that may be outstanding, by default.
constexpr double kConnectionDepth = 64;
/// Back-pressure begins at the depth of a connection at the earliest.
constexpr double kUncrowded = 32;
/// The common cause of misses.
constexpr const char* kShortWay =
    "what reassembly saves is the way to the interface and back, for which the model has the time of a Xeon; "
    "with "
    "370 ns for a crossing, a third more, it holds";
constexpr const char* kDearPost =
    "a post of the BTE, which both protocols pay, takes longer in the model than the wait for 4 KiB";

/// The differences of two curves from 4 KiB on: the least and the greatest above 4 KiB.
struct Reductions {
  double least = kNoBound;
  double most = 0;
};

Reductions reductions_of(const Curve& slower, const Curve& faster) {
  Reductions found;
  for (std::size_t i = 0; i < faster.points.size(); ++i) {
    if (faster.points[i].x <= kSmallestByItself) continue;
    const double reduction = slower.points[i].y - faster.points[i].y;
    found.least = std::min(found.least, reduction);
    found.most = std::max(found.most, reduction);
  }
  return found;
}

void add_ratio(std::vector<Criterion>& all, const RoundTrips& trip) {
  const Curve ratio = ratio_of(trip.put_sync_send, trip.reassembly, "");
  const Point largest = *std::ranges::max_element(ratio.points, {}, &Point::y);
  all.push_back(input({.what = "figure 1: ratio at 2 KiB",
                       .unit = "",
                       .stated = "identical: the payload is packed",
                       .value = value_at(ratio, 2 * kKiB),
                       .least = 0.99,
                       .most = 1.01},
                      {"GASNET_GNI_PACKEDLONG_CUTOVER"}));
  all.push_back({.what = "figure 1: size of the largest ratio",
                 .unit = "bytes",
                 .stated = "4 KiB",
                 .value = largest.x,
                 .least = kSmallestByItself,
                 .most = kSmallestByItself});
  all.push_back(missed(within("figure 1: largest ratio", "", largest.y, 1.49, 3), kShortWay));
  double rise = 0;
  for (std::size_t i = 2; i < ratio.points.size(); ++i)
    rise = std::max(rise, ratio.points[i].y - ratio.points[i - 1].y);
  all.push_back({.what = "figure 1: largest rise of the ratio above 4 KiB",
                 .unit = "",
                 .stated = "declines",
                 .value = rise,
                 .least = 0,
                 .most = 0.01});
}

void add_latency(std::vector<Criterion>& all, const RoundTrips& trip) {
  all.push_back(fitted(within("figure 2: put-sync-send at 4 KiB", "us",
                              value_at(trip.put_sync_send, kSmallestByItself), 13.0, 1),
                       {"costs.call_rdma"}));
  all.push_back(missed(
      within("figure 2: reassembly at 4 KiB", "us", value_at(trip.reassembly, kSmallestByItself), 8.7, 3),
      kShortWay));
  const Reductions reduction = reductions_of(trip.put_sync_send, trip.reassembly);
  all.push_back(within("figure 2: least reduction above 4 KiB", "us", reduction.least, 3.7, 10));
  all.push_back(
      missed(within("figure 2: greatest reduction above 4 KiB", "us", reduction.most, 6.1, 10),
             "what is saved is the wait for two answers, which take as long after a large payload as "
             "after a small one; the paper does not say at which size it was 6.1 us"));
  all.push_back(
      {.what = "rendezvous get: what it costs above reassembly, over what put-sync-send does, least",
       .unit = "",
       .stated = "at least a network round trip each way, as the stall",
       .value = reductions_of(trip.rendezvous_get, trip.reassembly).least / reduction.most,
       .least = 1,
       .most = 2});
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

std::string size_text(double bytes) {
  return bytes >= kKiB * kKiB ? "1 MiB" : fmt::format("{:.0f} KiB", bytes / kKiB);
}

/// The part of a call's time at one at once that put-sync-send spends on waiting for its payload.
double wait_share(const Injections& of_size) {
  return 1 - of_size.reassembly.points.front().y / of_size.put_sync_send.points.front().y;
}

/// The most at once up to which a curve is at most a tenth above its start.
double last_constant(const Curve& curve) {
  double last = 0;
  for (const Point& point : curve.points) {
    if (point.y > 1.1 * curve.points.front().y) break;
    last = point.x;
  }
  return last;
}

void add_injection(std::vector<Criterion>& all, const std::vector<Injections>& sizes) {
  double flat = 0, share = 0, fall = 0, rise = 0, constant = 0, lowest_step = kNoBound;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Curve& curve = sizes[i].reassembly;
    flat = std::max(flat, spread(sizes[i].put_sync_send, kNoBound));
    share = std::max(share, highest(ratio_of(curve, sizes[i].put_sync_send, "")));
    fall = std::max(fall, largest_fall(curve));
    rise = std::max(rise, curve.points.back().y / curve.points.front().y);
    constant = std::max(constant, spread(curve, kUncrowded));
    if (i == 0) continue;
    for (std::size_t j = 0; j < curve.points.size(); ++j)
      lowest_step = std::min(lowest_step, curve.points[j].y / sizes[i - 1].reassembly.points[j].y);
  }
  for (const Injections& of_size : sizes) {
    Criterion wait{.what = "figure 3: put-sync-send, " + size_text(of_size.bytes) +
                           ": part of its time that is the stall",
                   .unit = "",
                   .stated = "the stall dominates",
                   .value = wait_share(of_size),
                   .least = 0.5,
                   .most = 1};
    all.push_back(of_size.bytes > kSmallestByItself ? wait : missed(std::move(wait), kDearPost));
  }
  all.push_back({.what = "figure 3: reassembly: most over least up to 32 at once, at most",
                 .unit = "",
                 .stated = "nearly constant until back-pressure",
                 .value = constant,
                 .least = 1,
                 .most = 1.25});
  all.push_back(input({.what = "figure 3: reassembly, 1 MiB: most at once for which it is constant",
                       .unit = "",
                       .stated = "until flow control pushes back",
                       .value = last_constant(sizes.back().reassembly),
                       .least = kConnectionDepth,
                       .most = kConnectionDepth},
                      {"GASNET_NETWORKDEPTH"}));
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
  all.push_back(
      by_construction({.what = "figure 3: put-sync-send: most over least, at most",
                       .unit = "",
                       .stated = "essentially flat",
                       .value = flat,
                       .least = 1,
                       .most = 1.1},
                      "a call ends when its payload is there, so that none waits for an earlier one"));
  all.push_back({.what = "figure 3: reassembly: highest share of put-sync-send",
                 .unit = "",
                 .stated = "uniformly better",
                 .value = share,
                 .least = 0,
                 .most = 1});
  all.push_back(by_construction({.what = "figure 3: reassembly: largest fall with depth",
                                 .unit = "%",
                                 .stated = "does not fall",
                                 .value = fall,
                                 .least = 0,
                                 .most = 10},
                                "what is under way can only make a call wait"));
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
  all.push_back({.what = "routing: in order over adaptive, highest load",
                 .unit = "",
                 .stated = "order costs the bandwidth of several paths",
                 .value = share.points.back().y,
                 .least = 1.5,
                 .most = kNoBound});
  all.push_back(by_construction({.what = "memory: entries for one Long under way, at most",
                                 .unit = "",
                                 .stated = "one",
                                 .value = measured.memory.most_waiting_share,
                                 .least = 0,
                                 .most = 1},
                                "the second part of a Long to arrive takes the entry of the first away"));
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
  add_ratio(all, measured.round_trip);
  add_latency(all, measured.round_trip);
  add_injection(all, measured.injection);
  add_circumstances(all, measured);
  return all;
}

}  // namespace aqueduct::figures::xc40
