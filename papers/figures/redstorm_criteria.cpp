#include "redstorm_criteria.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "curve_reading.hpp"

namespace aqueduct::figures::redstorm {
namespace {

constexpr double kKiB = 1024;
constexpr double kHundredKiB = 100 * kKiB;
constexpr double kNoBound = std::numeric_limits<double>::infinity();

/// The criterion that the largest step among the first 64 bytes comes after `bytes`.
Criterion step_after(std::string what, const Curve& curve, double bytes) {
  return {.what = std::move(what),
          .unit = "bytes",
          .stated = "at " + std::to_string(static_cast<int>(bytes)),
          .value = largest_step(curve, 64).before.x,
          .least = bytes,
          .most = bytes};
}

Criterion step_height(std::string what, const Curve& curve) {
  return {.what = std::move(what),
          .unit = "us",
          .stated = "saves an interrupt, of at least 2",
          .value = largest_step(curve, 64).height(),
          .least = 2,
          .most = 4};
}

/// What the largest of the medium sizes takes, in microseconds.
double hundred_kib_us(const Curve& bandwidth) { return kHundredKiB / value_at(bandwidth, kHundredKiB); }

/// The largest fall of bandwidth from one size to the next, in percent.
double largest_fall(const Curve& curve) {
  double fall = 0;
  for (std::size_t i = 1; i < curve.points.size(); ++i) {
    fall = std::max(fall, 100 * (1 - curve.points[i].y / curve.points[i - 1].y));
  }
  return fall;
}

/// The size at which a curve reaches half of its maximum.
double half_size(const Curve& curve) { return reaches(curve, highest(curve) / 2) / kKiB; }

}  // namespace

std::vector<Criterion> criteria(const Measurements& measured) {
  constexpr const char* kSamePrograms =
      "the paper's NetPIPE curves are less steep than its PortalPerf curves for the same operation, and the "
      "model knows no difference between the two programs";
  const double asymptote = measured.long_bandwidth.put.points.back().y;
  const double put_100 = value_at(measured.medium_bandwidth.put, kHundredKiB);
  const double put_us = hundred_kib_us(measured.medium_bandwidth.put),
               get_us = hundred_kib_us(measured.medium_bandwidth.get);
  return {
      input(step_after("NetPIPE put: size after which latency steps", measured.netpipe_latency.put, 12),
            {"inline_bytes"}),
      input(step_after("NetPIPE bidirectional put: likewise", measured.netpipe_latency.bidirectional, 24),
            {"inline_bytes"}),
      by_construction({.what = "accelerated mode: interrupts in all its operations",
                       .unit = "",
                       .stated = "both eliminated",
                       .value = measured.accelerated_interrupts,
                       .least = 0,
                       .most = 0},
                      "in accelerated mode the interface writes events itself"),
      fitted(within("0-byte put latency", "us", value_at(measured.latency.put, 0), 4.89, 0.5),
             {"costs.call_put"}),
      fitted(within("0-byte get latency", "us", value_at(measured.latency.get, 0), 6.09, 0.5),
             {"costs.interrupt_entry"}),
      fitted(within("0-byte bidirectional put latency", "us", value_at(measured.latency.bidirectional, 0),
                    8.39, 0.5),
             {"costs.complete"}),
      fitted(within("put asymptote, at 2 MB", "MB/s", asymptote, 1108, 0.5), {"injection.bandwidth"}),
      fitted({.what = "NetPIPE bidirectional put: peak bandwidth",
              .unit = "MB/s",
              .stated = "over 2200",
              .value = highest(measured.netpipe_bandwidth.bidirectional),
              .least = 2200,
              .most = kNoBound},
             {"injection.bandwidth"}),
      within("100 KB put bandwidth", "MB/s", put_100, 1051.43, 3),
      within("100 KB get bandwidth", "MB/s", value_at(measured.medium_bandwidth.get, kHundredKiB), 1012.17,
             3),
      {.what = "100 KB bidirectional put, each direction, to the put",
       .unit = "",
       .stated = "impact not that significant",
       .value = value_at(measured.medium_bandwidth.bidirectional, kHundredKiB) / put_100,
       .least = 0.9,
       .most = 1},
      {.what = "size at which the put has half its asymptote",
       .unit = "KB",
       .stated = "around 6",
       .value = reaches(measured.medium_bandwidth.put, asymptote / 2) / kKiB,
       .least = kLeastHalf,
       .most = kMostHalf},
      within("put at 2 MB over that at 100 KB", "", asymptote / put_100, 1108 / 1051.43, 1.5),
      within("100 KB get bandwidth over that of the put", "",
             value_at(measured.medium_bandwidth.get, kHundredKiB) / put_100, 1012.17 / 1051.43, 3),
      {.what = "100 KB put: time beyond that of its bytes at the asymptote",
       .unit = "us",
       .stated = "4.97, from 1051.43 and 1108 MB/s",
       .value = put_us - kHundredKiB / asymptote,
       .least = 0.9 * 4.97,
       .most = 1.1 * 4.97},
      missed(
          {.what = "100 KB get: time beyond that of the put",
           .unit = "us",
           .stated = "3.78, from 1012.17 and 1051.43 MB/s",
           .value = get_us - put_us,
           .least = 0.9 * 3.78,
           .most = 1.1 * 3.78},
          "a get takes the time of its request more than a put, whatever its size: 1.2 us, as stated for 0 "
          "bytes"),
      by_construction({.what = "100 KB to 2 MB: largest fall of the put from size to size",
                       .unit = "%",
                       .stated = "does not fall off",
                       .value = largest_fall(measured.long_bandwidth.put),
                       .least = 0,
                       .most = 0.5},
                      "no cost of a message grows faster than its size"),
      step_height("NetPIPE put: height of the step", measured.netpipe_latency.put),
      {.what = "NetPIPE stream of 1 byte: part that is the receiver's interrupts",
       .unit = "",
       .stated = "dominated by the interrupt overhead",
       .value = measured.interrupt_us / value_at(measured.netpipe_latency.stream, 1),
       .least = 0.75,
       .most = 1},
      by_construction(
          within("NetPIPE bidirectional put: peak over that of the put", "",
                 highest(measured.netpipe_bandwidth.bidirectional) / highest(measured.netpipe_bandwidth.put),
                 2, 3),
          "each direction has engines and a link of its own"),
      missed({.what = "NetPIPE put: size of half the bandwidth",
              .unit = "KB",
              .stated = "8",
              .value = half_size(measured.netpipe_bandwidth.put),
              .least = 7,
              .most = 9},
             kSamePrograms),
      missed({.what = "NetPIPE bidirectional put: size of half the bandwidth",
              .unit = "KB",
              .stated = "nearly 24",
              .value = half_size(measured.netpipe_bandwidth.bidirectional),
              .least = 21,
              .most = 24},
             kSamePrograms),
      within("NetPIPE: that size of the bidirectional put, to that of the put", "",
             half_size(measured.netpipe_bandwidth.bidirectional) / half_size(measured.netpipe_bandwidth.put),
             3, 10),
      {.what = "accelerated mode: that size of the put, to that of generic mode",
       .unit = "",
       .stated = "a dramatic decrease is expected",
       .value = half_size(measured.accelerated_bandwidth) / half_size(measured.netpipe_bandwidth.put),
       .least = 0,
       .most = 0.5},
      input({.what = "three puts over one cable: payload",
             .unit = "MB/s",
             .stated = "up to 2500",
             .value = measured.cable_mb_per_s,
             .least = 2250,
             .most = 2500},
            {"link.bandwidth"}),
      input({.what = "three puts into one node: payload",
             .unit = "MB/s",
             .stated = "a peak of 2800, practically somewhat lower",
             .value = measured.node_mb_per_s,
             .least = 2500,
             .most = 2800},
            {"ejection.bandwidth"}),
  };
}

}  // namespace aqueduct::figures::redstorm
