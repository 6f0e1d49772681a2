// The parts of the benchmarks that measure nothing: sizes, statistics, results, the cost of reading the
// clock.
#include <gtest/gtest.h>

#include "json_text.hpp"
#include "parameters.hpp"
#include "result.hpp"
#include "statistics.hpp"
#include "stopwatch.hpp"

namespace aqueduct::bench {
namespace {

TEST(Sizes, AreReadInPowersOf1024) {
  EXPECT_EQ(parse_size("8"), 8u);
  EXPECT_EQ(parse_size("4K"), 4096u);
  EXPECT_EQ(parse_size("4k"), 4096u);
  EXPECT_EQ(parse_size("1M"), 1048576u);
  EXPECT_EQ(parse_size("1G"), 1073741824u);
}

TEST(Sizes, AreRefusedWhereTheyMakeNoSense) {
  for (const char* text : {"", "0", "K", "-1", "+1", "1.5K", "8B", "4KK", " 8", "8 ", "2G", "1048577K", "1e3",
                           "18446744073709551616", "18014398509481985K"}) {
    EXPECT_FALSE(parse_size(text)) << '"' << text << '"';
  }
}

TEST(Sizes, FormAList) {
  EXPECT_EQ(parse_sizes("8,4K,1M"), (std::vector<std::size_t>{8, 4096, 1048576}));
  for (const char* text : {"", ",", "8,", ",8", "8,,8", "8;8"})
    EXPECT_FALSE(parse_sizes(text)) << '"' << text << '"';
}

TEST(Sizes, AreWrittenAsTheyAreRead) {
  for (const std::size_t size :
       {std::size_t{1}, std::size_t{1000}, std::size_t{4096}, std::size_t{3} << 20}) {
    EXPECT_EQ(parse_size(size_text(size)), size);
  }
  EXPECT_EQ(size_text(65536), "64K");
  EXPECT_EQ(size_text(1536), "1536");
}

TEST(SpreadOf, TakesTheMiddleOfUnsortedValues) {
  const std::vector<double> odd{5, 1, 9};
  EXPECT_EQ(spread_of(odd).median, 5);
  EXPECT_EQ(spread_of(odd).min, 1);
  EXPECT_EQ(spread_of(odd).max, 9);
  const std::vector<double> even{4, 1, 2, 100};
  EXPECT_EQ(spread_of(even).median, 3);
}

TEST(Spread, BecomesARateWhenInverted) {
  const Spread time_ns{.median = 4, .min = 2, .max = 8};
  const Spread rate = time_ns.inverted(8);
  EXPECT_EQ(rate.median, 2);
  EXPECT_EQ(rate.min, 1);
  EXPECT_EQ(rate.max, 4);
}

TEST(Ratio, IsHowManyTimesWorse) {
  const Row time{.size = 8,
                 .value = {.median = 30, .min = 20, .max = 50},
                 .limit = Spread{.median = 15, .min = 10, .max = 40}};
  EXPECT_EQ(ratio(time, Better::kLower), 2);
  EXPECT_EQ(best_ratio(time, Better::kLower), 2);
  const Row rate{.size = 8,
                 .value = {.median = 5, .min = 1, .max = 8},
                 .limit = Spread{.median = 10, .min = 9, .max = 12}};
  EXPECT_EQ(ratio(rate, Better::kHigher), 2);
  EXPECT_EQ(best_ratio(rate, Better::kHigher), 1.5);
  EXPECT_FALSE(ratio(Row{}, Better::kLower));
}

TEST(Result, SurvivesTheWayThroughJson) {
  Result result{.title = "a thing", .unit = "GB/s", .limit_name = "a limit", .better = Better::kHigher};
  result.rows.push_back({.size = 64, .value = {1, 0.5, 2}, .limit = Spread{3, 2.5, 4}, .what = "this one"});
  result.rows.push_back({.size = 8, .value = {7, 6, 8}});
  result.rows[0].more["pattern"] = "put";
  result.rows[1].more["depth"] = 16u;
  result.rows[1].more["scaling"] = 2.0;
  result.notes = {"a note"};
  result.failure = "it failed";

  const std::string text = to_text(Answer{.result = result});
  const std::optional<Answer> answer = answer_from_text(text);
  ASSERT_TRUE(answer && answer->result);
  const Result& again = *answer->result;
  EXPECT_EQ(to_text(*answer), text);
  EXPECT_EQ(again.better, Better::kHigher);
  ASSERT_EQ(again.rows.size(), 2u);
  EXPECT_EQ(again.rows[0].limit->max, 4);
  EXPECT_FALSE(again.rows[1].limit);
  EXPECT_EQ(again.rows[0].more, result.rows[0].more);
  EXPECT_EQ(again.rows[1].more, result.rows[1].more);
}

TEST(TickScale, SubtractsTheCostOfMeasuringAndNeverGoesBelowZero) {
  const TickScale scale{.ns_per_tick = 0.5, .empty_interval_ticks = 10};
  EXPECT_EQ(scale.ns(1010, 1), 500);
  EXPECT_EQ(scale.ns(1100, 10), 500);
  EXPECT_EQ(scale.ns(5, 1), 0);
}

TEST(TickScale, IsTheSameWheneverItIsMeasured) {
  const double first = TickScale::measure().ns_per_tick;
  const double second = TickScale::measure().ns_per_tick;
  EXPECT_NEAR(first, second, 0.01 * first);
}

TEST(TickScale, AgreesWithTheClock) {
  const TickScale scale = TickScale::measure();
  // One stopwatch around the ticks and one inside them, so that a pause anywhere changes nothing.
  const Stopwatch outer;
  const std::uint64_t start = ticks();
  const Stopwatch inner;
  while (inner.ns() < 20e6) keep_memory();
  const double least_ns = inner.ns();
  const double by_ticks_ns = scale.ns(ticks() - start, 1);
  const double most_ns = outer.ns();
  EXPECT_GE(by_ticks_ns, 0.99 * least_ns);
  EXPECT_LE(by_ticks_ns, 1.01 * most_ns);
}

}  // namespace
}  // namespace aqueduct::bench
