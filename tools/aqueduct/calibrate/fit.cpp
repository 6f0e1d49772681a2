#include "fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <stdexcept>

namespace aqueduct::calibrate {
namespace {

constexpr unsigned kMostRounds = 16;
/// A figure that is off by less is right: of its size, or in nanoseconds.
constexpr double kClose = 0.002;
constexpr double kCloseNs = 1;
constexpr double kLeastCrossed = 0.01;  // of an exchange
/// From so many on, sends in a row meet a full window of datagrams.
constexpr std::uint64_t kInARow = 8;
constexpr std::uint64_t kTogether = 12;
constexpr std::uint64_t kFlood = 64;
constexpr double kLeastPerByte = 1e-6;  // a terabyte per millisecond

/// The medians of a series by x.
std::map<std::uint64_t, double> medians(const std::vector<Sample>& samples, const std::string& series) {
  std::map<std::uint64_t, std::vector<double>> all;
  for (const Sample& sample : samples) {
    if (sample.series == series) all[sample.x].push_back(sample.ns);
  }
  if (all.empty()) throw std::runtime_error(fmt::format("the measurement has no series '{}'", series));
  std::map<std::uint64_t, double> medians;
  for (auto& [x, values] : all) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    medians[x] = *middle;
  }
  return medians;
}

/// By least squares, of the points from `least` on.
double slope(const std::map<std::uint64_t, double>& points, std::uint64_t least = 0) {
  double count = 0, x_sum = 0, y_sum = 0, xx_sum = 0, xy_sum = 0;
  for (const auto& [at, y] : points) {
    if (at < least) continue;
    const auto x = static_cast<double>(at);
    ++count;
    x_sum += x;
    y_sum += y;
    xx_sum += x * x;
    xy_sum += x * y;
  }
  const double spread = count * xx_sum - x_sum * x_sum;
  return spread > 0 ? (count * xy_sum - x_sum * y_sum) / spread : 0;
}

/// How often one is doubled until it is `count` at least (sim/sim_port.cpp).
double doublings(unsigned count) { return count > 1 ? std::bit_width(count - 1) : 0; }

}  // namespace

double median_of(const std::vector<Sample>& samples, const std::string& series, std::uint64_t x) {
  const auto all = medians(samples, series);
  const auto found = all.find(x);
  if (found == all.end()) throw std::runtime_error(fmt::format("series '{}' has nothing for {}", series, x));
  return found->second;
}

Figures figures_of(const std::vector<Sample>& samples) {
  const auto send = medians(samples, "send"), receive = medians(samples, "receive"),
             round_trip = medians(samples, "round_trip");
  Figures figures;
  figures.send = send.begin()->second;
  figures.send_per_byte = slope(send);
  figures.receive = receive.begin()->second;
  figures.receive_per_byte = slope(receive);
  figures.half_round_trip = round_trip.begin()->second / 2;
  figures.round_trip_per_byte = slope(round_trip);
  figures.exchange = median_of(samples, "exchange", 0);
  figures.receive_together = slope(medians(samples, "receive_together"), kTogether);
  figures.receive_apart = slope(medians(samples, "receive_apart"));
  figures.send_in_a_row = slope(medians(samples, "send_together"), kInARow);
  figures.flood = slope(medians(samples, "flood"), kFlood);
  figures.poll = median_of(samples, "poll", 1);
  return figures;
}

void add_peers(const std::vector<Sample>& samples, Figures& figures) {
  for (const auto& [ranks, ns] : medians(samples, "pair_exchange")) {
    if (ranks == 2) {
      figures.exchange = ns;
    } else {
      figures.many = static_cast<unsigned>(ranks);
      figures.new_exchange = median_of(samples, "new_exchange", ranks);
    }
  }
}

void add_crowded(const std::vector<Sample>& samples, Figures& figures) {
  for (const auto& [ranks, ns] : medians(samples, "pairs"))
    (ranks == 2 ? figures.crowded_half_round_trip : figures.more_crowded_half_round_trip) = ns;
}

LogGP loggp_of(const Figures& figures) {
  return {.latency = figures.half_round_trip - figures.send - figures.receive,
          .overhead_send = figures.send,
          .overhead_receive = figures.receive,
          .gap = figures.flood,
          .gap_per_byte = figures.round_trip_per_byte};
}

Fit fit(const Figures& machine, const Simulate& simulate) {
  Numbers numbers;
  numbers.shares_datagrams = machine.send_in_a_row < machine.send / 2;
  numbers.am_send = numbers.shares_datagrams ? std::max(machine.send_in_a_row, 0.0) : 0;
  if (numbers.shares_datagrams)
    numbers.am_receive = std::max((machine.receive_together - numbers.am_send) / 2, 0.0);
  numbers.send = std::max(machine.send - numbers.am_send, 0.0);
  numbers.receive = std::max(machine.receive, 0.0);
  numbers.receive_more = std::max(machine.receive_apart - numbers.am_receive, 0.0);
  numbers.send_per_byte = std::max(machine.send_per_byte, 0.0);
  numbers.receive_per_byte = std::max(machine.receive_per_byte, 0.0);
  numbers.latency = machine.half_round_trip - machine.send - machine.receive;
  numbers.poll = machine.poll;
  if (machine.crowded_half_round_trip)
    numbers.turn = std::max(*machine.crowded_half_round_trip - machine.send - machine.receive, 0.0);
  Fit best;
  double least = INFINITY;
  for (unsigned round = 1; round <= kMostRounds; ++round) {
    const Figures simulated = simulate(numbers);
    double worst = 0;
    const auto off = [&](double wanted, double found, double unit = kCloseNs) {
      const double by = wanted - found;
      worst = std::max(worst, std::abs(by) / std::max(std::abs(wanted) * kClose, unit));
      return by;
    };
    Numbers next = numbers;
    // A number that cannot be less than nothing is as close as it can be.
    const auto move = [&](double& number, double wanted, double found, double unit = kCloseNs,
                          double times = 1) {
      if (number <= 0 && wanted < found) return;
      number = std::max(number + off(wanted, found, unit) / times, 0.0);
    };
    constexpr double kByteNs = 1e-3;
    move(next.send, machine.send, simulated.send);
    move(next.send_per_byte, machine.send_per_byte, simulated.send_per_byte, kByteNs);
    move(next.receive, machine.receive, simulated.receive);
    move(next.receive_per_byte, machine.receive_per_byte, simulated.receive_per_byte, kByteNs);
    move(next.receive_more, machine.receive_apart, simulated.receive_apart);
    move(next.per_byte, machine.round_trip_per_byte, simulated.round_trip_per_byte, kByteNs);
    move(next.crossed, machine.exchange, simulated.exchange);
    if (machine.new_exchange && simulated.new_exchange) {
      // A message in each of these rounds, which is sent and received.
      const double times = 2 * doublings(machine.many - 1);
      move(next.other_peer, *machine.new_exchange, *simulated.new_exchange, kCloseNs, times);
    }
    next.latency += off(machine.half_round_trip, simulated.half_round_trip);
    if (numbers.shares_datagrams) {
      move(next.am_send, machine.send_in_a_row, simulated.send_in_a_row);
      // Each message and its reply are received.
      next.am_receive =
          std::max(next.am_receive + off(machine.receive_together, simulated.receive_together) / 2, 0.0);
    } else if (machine.flood > simulated.flood * (1 + kClose) && numbers.gap == 0) {
      off(machine.flood, simulated.flood);
      next.gap = machine.flood;
      next.latency -= machine.flood;
    } else if (numbers.gap > 0) {
      next.gap = std::max(next.gap + off(machine.flood, simulated.flood), 0.0);
    }
    if (machine.crowded_half_round_trip && simulated.crowded_half_round_trip)
      move(next.turn, *machine.crowded_half_round_trip, *simulated.crowded_half_round_trip);
    if (machine.more_crowded_half_round_trip && simulated.more_crowded_half_round_trip) {
      // Of a core's four ranks each has a turn, with two ranks more than the pair.
      constexpr double kTurns = 4 * 2;
      const double by = off(*machine.more_crowded_half_round_trip, *simulated.more_crowded_half_round_trip);
      next.turn_more = std::max(numbers.turn_more + by / kTurns, 0.0);
    }
    if (worst < least) {
      least = worst;
      best = {numbers, simulated, round};
    }
    if (worst <= 1 && round > 4) break;
    numbers = next;
  }
  // What is no more than the fit's error is nothing.
  if (best.numbers.crossed < kLeastCrossed * machine.exchange) best.numbers.crossed = 0;
  return best;
}

}  // namespace aqueduct::calibrate
