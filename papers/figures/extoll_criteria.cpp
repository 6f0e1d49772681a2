#include "extoll_criteria.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "curve_reading.hpp"

namespace aqueduct::figures::extoll_cluster {
namespace {

constexpr double kNoBound = std::numeric_limits<double>::infinity();
constexpr double kSmall = 64;  // bytes

// Causes of misses.
constexpr const char* kShortRun =
    "32 updates of each process are one burst, whose beginning and end count; with 512 updates the conduit "
    "has 0.99 of "
    "VELO with 64 processes, and 1.000 with 256, where cables are the limit";
constexpr const char* kMovedJump =
    "with 256 processes the most cube-like box of nodes is 4 x 4 on the 2D mesh, twice as wide as before, so "
    "the "
    "jump is from 128 to 256 there; the paper does not say where processes were";

constexpr const char* kCodeAndBus =
    "8 is 40 Gbit/s over 5; the code of InfiniBand takes a fifth, which leaves 6.4 times our links, and of "
    "that "
    "the model's PCIe Gen2 carries 3.2 GB/s, 5.1 times";

double least_ratio(const Curve& above, const Curve& below) {
  double least = kNoBound;
  for (std::size_t i = 0; i < above.points.size(); ++i)
    least = std::min(least, above.points[i].y / below.points[i].y);
  return least;
}

double greatest_ratio(const Curve& above, const Curve& below) {
  double greatest = 0;
  for (std::size_t i = 0; i < above.points.size(); ++i)
    greatest = std::max(greatest, above.points[i].y / below.points[i].y);
  return greatest;
}

double least_growth(const Curve& curve) {
  double least = kNoBound;
  for (std::size_t i = 1; i < curve.points.size(); ++i)
    least = std::min(least, curve.points[i].y / curve.points[i - 1].y);
  return least;
}

double growth_to(const Curve& curve, double processes) {
  return value_at(curve, processes) / value_at(curve, processes / 2);
}

/// The largest growth by doubling, over that of the doubling before.
double largest_jump(const Curve& curve) {
  double largest = 0;
  for (std::size_t i = 2; i < curve.points.size(); ++i) {
    const double growth = curve.points[i].y / curve.points[i - 1].y;
    largest = std::max(largest, growth * curve.points[i - 2].y / curve.points[i - 1].y);
  }
  return largest;
}

double size_of_largest(const Curve& curve) {
  return std::ranges::max_element(curve.points, {}, &Point::y)->x;
}

/// Bytes a microsecond that the last doubling of the size adds.
double last_bandwidth(const Curve& curve) {
  const Point &last = curve.points.back(), &before = curve.points[curve.points.size() - 2];
  return (last.x - before.x) / (last.y - before.y);
}

Criterion bounded(const char* what, const char* unit, const char* stated, double value, double least,
                  double most) {
  return {.what = what, .unit = unit, .stated = stated, .value = value, .least = least, .most = most};
}

void add_other_networks(std::vector<Criterion>& all, const Latencies& of) {
  const std::vector<std::string> udp{
      "udp-infiniband: injection.bandwidth", "udp-infiniband: injection.per_message",
      "udp-infiniband: ejection.bandwidth",  "udp-infiniband: ejection.per_message",
      "udp-infiniband: costs.am_send",       "udp-infiniband: costs.am_receive"};
  all.push_back(
      fitted(bounded("figure 1: least ratio of udp conduit to ibv conduit", "", "2 to 3 orders of magnitude",
                     least_ratio(of.udp_conduit, of.ibv_conduit), 100, 1000),
             udp));
  all.push_back(
      fitted(bounded("figure 1: greatest ratio of udp conduit to ibv conduit", "",
                     "2 to 3 orders of magnitude", greatest_ratio(of.udp_conduit, of.ibv_conduit), 100, 1000),
             udp));
  const Curve overhead = overhead_of(of.uncached_udp_conduit, of.uncached_udp);
  all.push_back(
      fitted(within("figure 8: largest overhead of the udp conduit", "%", highest(overhead), 100, 5),
             {"udp-uncached: costs.am_send", "udp-uncached: costs.am_receive"}));
  all.push_back(by_construction(bounded("figure 10: least ratio of ibv conduit to Verbs", "", "above 1",
                                        least_ratio(of.ibv_conduit, of.verbs), 1, kNoBound),
                                "the model of the conduit is that of Verbs with costs added"));
}

void add_latencies(std::vector<Criterion>& all, const Latencies& of) {
  all.push_back(fitted(within("VELO, half a round trip of 8 bytes", "us", value_at(of.velo_rma, 8), 0.97, 2),
                       {"nic.crossing"}));
  const Point& longest = of.velo_rma.points.back();
  all.push_back(input(bounded("RMA, payload of a put of 64 KiB over its time", "MB/s", "links of 625 MB/s",
                              longest.x / longest.y, 580, 625),
                      {"link.bandwidth"}));
  all.push_back(bounded("figure 9: least ratio of conduit to VELO/RMA", "", "above 1 at all sizes",
                        least_ratio(of.extoll_conduit, of.velo_rma), 1, kNoBound));
  all.push_back(bounded("figure 9: least ratio of MPI to conduit", "", "above 1 at all sizes",
                        least_ratio(of.extoll_mpi, of.extoll_conduit), 1, kNoBound));
  const Curve conduit = overhead_of(of.extoll_conduit, of.velo_rma),
              mpi = overhead_of(of.extoll_mpi, of.velo_rma);
  all.push_back(bounded("figure 9: least ratio of overheads, MPI to conduit", "", "above 1 at all sizes",
                        least_ratio(mpi, conduit), 1, kNoBound));
  // An overhead of 100 % is what the paper thinks worth showing of the udp conduit.
  all.push_back(bounded("figure 9: largest overhead of MPI", "%", "enormous", highest(mpi), 100, kNoBound));
  all.push_back(bounded("figure 9: size of the largest overhead of MPI", "bytes", "small",
                        size_of_largest(mpi), 0, kSmall));
  const Curve ibv = overhead_of(of.ibv_conduit, of.verbs);
  all.push_back(bounded("figure 11: overhead at 8 bytes, EXTOLL to InfiniBand", "", "comparable",
                        value_at(conduit, 8) / value_at(ibv, 8), 0.33, 3));
  all.push_back(missed(within("bandwidth of Verbs over that of RMA, from 32 to 64 KiB", "",
                              last_bandwidth(of.verbs) / last_bandwidth(of.velo_rma), 8, 10),
                       kCodeAndBus));
}

void add_accesses(std::vector<Criterion>& all, const Accesses& of) {
  all.push_back(fitted(bounded("figure 3: second implementation over the first, at its best", "",
                               "up to 1.53", greatest_ratio(of.upc_second, of.upc_first), 1.3, 1.6),
                       {"costs.upc_update"}));
  all.push_back(bounded("figure 3: second implementation over the first, least", "", "above 1",
                        least_ratio(of.upc_second, of.upc_first), 1, kNoBound));
  all.push_back(bounded("figure 3: second implementation at 512 processes", "GUP/s",
                        "the axis ends at 0.035, in steps of 0.005", value_at(of.upc_second, 512), 0.028,
                        0.035));
  all.push_back(bounded("figure 12: conduit over VELO/RMA, least", "", "marginally below",
                        least_ratio(of.conduit, of.velo), 0.95, 1));
  all.push_back(missed(bounded("figure 12: conduit over VELO/RMA, at most", "", "marginally below",
                               greatest_ratio(of.conduit, of.velo), 0.95, 1),
                       kShortRun));
  all.push_back(bounded("figure 12: least growth of the conduit, by doubling", "", "grows",
                        least_growth(of.conduit), 1, kNoBound));
  all.push_back(bounded("figure 13: VELO/RMA over MPI, least", "", "notably above",
                        least_ratio(of.velo, of.mpi), 1.1, kNoBound));
  all.push_back(bounded("figure 14: conduit over MPI, least", "", "notably above",
                        least_ratio(of.conduit, of.mpi), 1.1, kNoBound));
}

/// A jump is a step that is much larger than the one before.
void add_jumps(std::vector<Criterion>& all, const Accesses& of) {
  const auto jump = [](const Curve& curve) { return growth_to(curve, 512) / growth_to(curve, 256); };
  all.push_back(
      bounded("figures 12 to 14: growth from 256 to 512 over that from 128 to 256, VELO/RMA on the 3D mesh",
              "", "a jump", jump(of.velo), 1.15, kNoBound));
  all.push_back(
      bounded("figures 12 to 14: the same, conduit", "", "a jump", jump(of.conduit), 1.15, kNoBound));
  all.push_back(by_construction(
      bounded("figure 15: the same, conduit on the 2D mesh", "", "none", jump(of.conduit_2d), 0, 1.15),
      "the cables across the middle of the 2D mesh are as many with 512 processes as with 256"));
  all.push_back(missed(bounded("figure 15: the same of any two steps, at most", "", "the jump disappears",
                               largest_jump(of.conduit_2d), 0, 1.15),
                       kMovedJump));
}

}  // namespace

Curve overhead_of(const Curve& curve, const Curve& base) {
  Curve overhead = curve;
  for (std::size_t i = 0; i < overhead.points.size(); ++i)
    overhead.points[i].y = 100 * (curve.points[i].y / base.points[i].y - 1);
  return overhead;
}

std::vector<Criterion> criteria(const Measurements& all) {
  std::vector<Criterion> found;
  add_other_networks(found, all.latency);
  add_latencies(found, all.latency);
  add_accesses(found, all.access);
  add_jumps(found, all.access);
  return found;
}

}  // namespace aqueduct::figures::extoll_cluster
