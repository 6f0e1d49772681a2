// The fit of `aqueduct sim --calibrate`, against machines that are made by arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "calibrate/fit.hpp"

namespace aqueduct::calibrate {
namespace {

/// What loggp would find on a machine with these numbers, if messages did nothing but take time.
Figures by_hand(const Numbers& machine) {
  Figures figures;
  figures.send = machine.am_send + machine.send;
  figures.send_per_byte = machine.send_per_byte;
  figures.receive = machine.am_receive + machine.receive;
  figures.receive_per_byte = machine.receive_per_byte;
  figures.half_round_trip = figures.send + figures.receive + machine.latency + machine.gap;
  figures.round_trip_per_byte = machine.send_per_byte + machine.receive_per_byte + machine.per_byte;
  figures.exchange = figures.send + std::max(machine.latency, 0.0) + figures.receive + machine.crossed;
  figures.send_in_a_row = machine.shares_datagrams ? machine.am_send : figures.send;
  figures.receive_together =
      machine.shares_datagrams ? machine.am_send + 2 * machine.am_receive : figures.receive;
  figures.receive_apart = machine.am_receive + machine.receive_more;
  figures.flood = std::max({figures.send_in_a_row + machine.am_receive, figures.receive, machine.gap});
  figures.poll = machine.poll;
  // Of eight ranks: one is doubled three times for seven peers, and a message is sent and one received.
  figures.many = 8;
  figures.new_exchange = figures.exchange + 2 * 3 * machine.other_peer;
  figures.crowded_half_round_trip = figures.send + figures.receive + machine.turn;
  figures.more_crowded_half_round_trip =
      2 * (figures.send + figures.receive) + 4 * (machine.turn + 2 * machine.turn_more);
  return figures;
}

void expect_found(const Numbers& machine) {
  const Fit found = fit(by_hand(machine), by_hand);
  const auto near = [](double wanted) { return std::max(0.05 * wanted, 2.0); };
  const Numbers& numbers = found.numbers;
  EXPECT_EQ(numbers.shares_datagrams, machine.shares_datagrams);
  EXPECT_NEAR(numbers.am_send + numbers.send, machine.am_send + machine.send, near(machine.send));
  EXPECT_NEAR(numbers.am_receive + numbers.receive, machine.am_receive + machine.receive,
              near(machine.receive));
  EXPECT_NEAR(numbers.send_per_byte, machine.send_per_byte, 0.05 * machine.send_per_byte + 1e-3);
  EXPECT_NEAR(numbers.receive_per_byte, machine.receive_per_byte, 0.05 * machine.receive_per_byte + 1e-3);
  EXPECT_NEAR(numbers.per_byte, machine.per_byte, 0.05 * machine.per_byte + 1e-3);
  EXPECT_NEAR(numbers.latency, machine.latency, std::max(0.05 * std::abs(machine.latency), 2.0));
  EXPECT_NEAR(numbers.gap, machine.gap, near(machine.gap));
  EXPECT_NEAR(numbers.crossed, machine.crossed, near(machine.crossed));
  EXPECT_NEAR(numbers.other_peer, machine.other_peer, near(machine.other_peer));
  EXPECT_NEAR(numbers.turn, machine.turn, near(machine.turn));
  EXPECT_NEAR(numbers.turn_more, machine.turn_more, near(machine.turn_more));
  EXPECT_NEAR(numbers.receive_more, machine.receive_more, near(machine.receive_more));
}

TEST(CalibrationFit, FindsANetworkOfPlainMessages) {
  expect_found({.send = 700,
                .send_per_byte = 0.1,
                .receive = 900,
                .receive_per_byte = 0.2,
                .latency = 5000,
                .per_byte = 0.4,
                .receive_more = 150,
                .poll = 40,
                .turn = 3000,
                .turn_more = 400});
}

TEST(CalibrationFit, FindsAGapThatIsLongerThanTheOverheads) {
  expect_found(
      {.send = 300, .receive = 400, .latency = 2000, .per_byte = 1, .gap = 2500, .poll = 40, .turn = 1500});
}

TEST(CalibrationFit, FindsANetworkWhereMessagesShareDatagrams) {
  expect_found({.send = 2600,
                .send_per_byte = 0.08,
                .receive = 850,
                .receive_per_byte = 0.05,
                .latency = 900,
                .receive_more = 240,
                .crossed = 400,
                .other_peer = 150,
                .am_send = 60,
                .am_receive = 70,
                .poll = 270,
                .turn = 2500,
                .shares_datagrams = true});
}

TEST(CalibrationFit, FindsMessagesThatArriveBeforeTheirSendersCallReturns) {
  expect_found({.send = 2600,
                .receive = 850,
                .latency = -600,
                .am_send = 60,
                .am_receive = 70,
                .poll = 270,
                .turn = 2500,
                .shares_datagrams = true});
  const Numbers numbers{.send = 2600, .latency = -600};
  EXPECT_EQ(numbers.hop(), 0);
  EXPECT_EQ(numbers.port_sent(), 600);
  EXPECT_EQ(numbers.port_send(), 2000);
}

TEST(CalibrationFit, TakesMediansAndSlopesOfSeries) {
  std::vector<Sample> samples;
  for (const double off : {0.0, 7000.0, -3.0, 3.0, 0.0}) {
    for (const std::uint64_t bytes : {0u, 100u, 1000u}) {
      const auto x = static_cast<double>(bytes);
      samples.push_back({"send", bytes, 500 + 0.5 * x + off});
      samples.push_back({"receive", bytes, 600 + 0.25 * x + off});
      samples.push_back({"round_trip", bytes, 8000 + 2 * x + off});
    }
    for (const std::uint64_t count : {8u, 12u, 24u}) {
      samples.push_back({"send_together", count, 40 + 30.0 * static_cast<double>(count) + off});
      samples.push_back({"receive_together", count, 90 + 150.0 * static_cast<double>(count) + off});
    }
    for (const std::uint64_t count : {64u, 128u})
      samples.push_back({"flood", count, 200.0 * static_cast<double>(count) + off});
    for (const std::uint64_t count : {1u, 2u, 3u, 4u})
      samples.push_back({"receive_apart", count, 800 + 300.0 * static_cast<double>(count) + off});
    samples.push_back({"poll", 1, 50 + off});
    samples.push_back({"exchange", 0, 4000 + off});
  }
  const Figures figures = figures_of(samples);
  EXPECT_DOUBLE_EQ(figures.send, 500);
  EXPECT_NEAR(figures.send_per_byte, 0.5, 1e-9);
  EXPECT_DOUBLE_EQ(figures.receive, 600);
  EXPECT_NEAR(figures.receive_per_byte, 0.25, 1e-9);
  EXPECT_DOUBLE_EQ(figures.half_round_trip, 4000);
  EXPECT_NEAR(figures.round_trip_per_byte, 2, 1e-9);
  EXPECT_NEAR(figures.send_in_a_row, 30, 1e-9);
  EXPECT_NEAR(figures.receive_together, 150, 1e-9);
  EXPECT_NEAR(figures.receive_apart, 300, 1e-9);
  EXPECT_NEAR(figures.flood, 200, 1e-9);
  EXPECT_DOUBLE_EQ(figures.poll, 50);
  EXPECT_DOUBLE_EQ(figures.exchange, 4000);
  const LogGP loggp = loggp_of(figures);
  EXPECT_DOUBLE_EQ(loggp.latency, 4000 - 500 - 600);
  EXPECT_DOUBLE_EQ(loggp.gap, figures.flood);
  samples.clear();
  EXPECT_THROW(figures_of(samples), std::runtime_error);
}

TEST(CalibrationFit, TellsAnExchangeOfTwoFromThoseOfMany) {
  Figures figures;
  add_peers({{"pair_exchange", 2, 4000}, {"pair_exchange", 2, 4200}, {"pair_exchange", 2, 4100}}, figures);
  EXPECT_EQ(figures.exchange, 4100);
  EXPECT_FALSE(figures.new_exchange);
  add_peers({{"pair_exchange", 8, 4500}, {"new_exchange", 8, 6000}}, figures);
  EXPECT_EQ(figures.exchange, 4100);
  EXPECT_EQ(figures.many, 8u);
  EXPECT_EQ(figures.new_exchange, 6000);
}

TEST(CalibrationFit, TellsAPairOnACoreFromTwo) {
  Figures figures;
  add_crowded({{"pairs", 2, 7000}, {"pairs", 2, 7100}, {"pairs", 2, 9000}}, figures);
  EXPECT_FALSE(figures.more_crowded_half_round_trip);
  add_crowded({{"pairs", 4, 15000}}, figures);
  EXPECT_EQ(figures.crowded_half_round_trip, 7100);
  EXPECT_EQ(figures.more_crowded_half_round_trip, 15000);
}

TEST(CalibrationFit, SamplesSurviveTheOutputOfAJob) {
  const std::string output = "a line of the program\n[rank 0] " + scenarios::line_of({"round", 3, 1250.5}) +
                             "aqueduct-sample broken\n" + scenarios::line_of({"send", 64, 2}) +
                             "aqueduct-sample round 1";
  const auto found = scenarios::samples_in(output);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].series, "round");
  EXPECT_EQ(found[0].x, 3u);
  EXPECT_DOUBLE_EQ(found[0].ns, 1250.5);
  EXPECT_EQ(found[1].series, "send");
}

}  // namespace
}  // namespace aqueduct::calibrate
