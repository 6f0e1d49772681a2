// Many seeds with one command: which figures are found in what runs print, and what comes of them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "command.hpp"
#include "tools/common/run_statistics.hpp"

namespace aqueduct::test {
namespace {

std::vector<std::string> told(std::string_view line) {
  std::vector<std::string> all;
  for (const PrintedFigure& figure : printed_figures(line)) {
    char value[32];
    std::snprintf(value, sizeof value, "%g", figure.value);
    all.push_back(figure.name + "|" + value + "|" + figure.unit);
  }
  return all;
}

TEST(PrintedFigures, AreNumbersWithTheWordsBehindThem) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(told("updates       4096 on 1024 words in 59.1 us: 4.43 GUP/s; 0 wrong words, at most 32 held"),
            (Lines{"updates|4096|", "updates|1024|words", "updates|59100|ns", "updates|4.43|GUP/s",
                   "updates|0|wrong words", "updates|32|held"}));
  EXPECT_EQ(told("virtual time  1.5 ms\nlatency: 250 ns"),
            (Lines{"virtual time|1.5e+06|ns", "latency|250|ns"}));
  EXPECT_EQ(told("off by -3.5 %"), (Lines{"off by|-3.5|%"}));
  EXPECT_EQ(told("each +1e3 MB/s (x86_64, v2)"), (Lines{"each|1000|MB/s"})) << "digits in words are none";
  EXPECT_EQ(told("nothing here"), Lines{});
}

TEST(Student, ReachesAsFarAsTablesSay) {
  EXPECT_NEAR(student_95(2), 12.706, 0.001);
  EXPECT_NEAR(student_95(3), 4.303, 0.001);
  EXPECT_NEAR(student_95(10), 2.262, 0.001);
  EXPECT_NEAR(student_95(31), 2.042, 0.001);
  EXPECT_NEAR(student_95(1'000'000), 1.960, 0.001);
}

TEST(RunStatistics, TakesFiguresOfTheSameNameTogether) {
  RunStatistics statistics;
  statistics.add("time  900 us\nlost 7\n");
  statistics.add("time  1 ms\nlost 7\nfound 1\n");
  statistics.add("time  1.1 ms\nlost 7\n");
  const std::vector<FigureStatistics> figures = statistics.figures();
  ASSERT_EQ(figures.size(), 3u);
  EXPECT_EQ(figures[0].unit, "ms");
  EXPECT_NEAR(figures[0].mean, 1, 1e-9);
  EXPECT_NEAR(figures[0].half_width, 4.303 * 0.1 / std::sqrt(3.0), 1e-4);
  EXPECT_NEAR(figures[0].least, 0.9, 1e-9);
  EXPECT_NEAR(figures[0].most, 1.1, 1e-9);
  EXPECT_EQ(figures[1].half_width, 0) << "equal values have no spread";
  EXPECT_EQ(figures[2].name, "found");
  EXPECT_EQ(figures[2].runs, 1u);
}

std::string last_line(const std::string& text) { return text.substr(text.rfind('\n', text.size() - 2) + 1); }

TEST(ManySeeds, SayTheSameHoweverManyRunAtOnce) {
  const std::string words = "sim --nodes 4 --rounds 4 --seed 5 --seeds 6";
  const Outcome one = command(words + " --statistics --jobs 1 random");
  const Outcome three = command(words + " --statistics --jobs 3 random");
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_NE(one.out.find("seeds 5 to 10"), std::string::npos) << one.out;
  EXPECT_NE(one.out.find("virtual time"), std::string::npos) << one.out;
  EXPECT_EQ(one.out, three.out);
  EXPECT_EQ(last_line(one.out), last_line(command(words + " random").out)) << "the hash of the same runs";
}

TEST(ManySeeds, NameThoseThatFailAndTheirCommands) {
  const std::string words = "sim --nodes 4 --seeds 3 --jobs 2 --faults crash=3:5us";
  const Outcome all = command(words + " --statistics random");
  EXPECT_EQ(all.exit_code, 1);
  for (const char* const seed : {"1", "2", "3"}) {
    const std::string number = seed;
    EXPECT_NE(all.err.find("seed " + number + ": "), std::string::npos) << all.err;
    EXPECT_NE(all.err.find("aqueduct sim --network crossbar --nodes 4 --seed " + number), std::string::npos)
        << all.err;
  }
  const Outcome first = command(words + " --stop-at-failure random");
  EXPECT_EQ(first.exit_code, 1);
  EXPECT_NE(first.err.find("seed 1: "), std::string::npos) << first.err;
  EXPECT_EQ(first.err.find("seed 2: "), std::string::npos) << first.err;
}

}  // namespace
}  // namespace aqueduct::test
