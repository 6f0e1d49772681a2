// Typed settings from the environment.
#include "base/env.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace {

namespace env = aqueduct::env;

class Environment : public testing::Test {
 protected:
  void SetUp() override { TearDown(); }
  void TearDown() override {
    unsetenv("AQUEDUCT_TEST_A");
    unsetenv("AQUEDUCT_TEST_B");
  }
  static void set(const char* value) { setenv("AQUEDUCT_TEST_A", value, 1); }
};

TEST_F(Environment, FirstNameThatIsSetCounts) {
  EXPECT_STREQ(env::text({"AQUEDUCT_TEST_A", "AQUEDUCT_TEST_B"}, "none"), "none");
  setenv("AQUEDUCT_TEST_B", "b", 1);
  EXPECT_STREQ(env::text({"AQUEDUCT_TEST_A", "AQUEDUCT_TEST_B"}), "b");
  set("");
  EXPECT_STREQ(env::text({"AQUEDUCT_TEST_A", "AQUEDUCT_TEST_B"}), "b");
  set("a");
  EXPECT_STREQ(env::text({"AQUEDUCT_TEST_A", "AQUEDUCT_TEST_B"}), "a");
}

TEST_F(Environment, FlagsAreReadInEverySpelling) {
  EXPECT_TRUE(env::flag({"AQUEDUCT_TEST_A"}, true));
  EXPECT_FALSE(env::flag({"AQUEDUCT_TEST_A"}, false));
  for (const char* yes : {"1", "y", "yes", "YES", "Y", "on", "true"}) {
    set(yes);
    EXPECT_TRUE(env::flag({"AQUEDUCT_TEST_A"}, false)) << yes;
  }
  for (const char* no : {"0", "n", "no", "No", "off", "false"}) {
    set(no);
    EXPECT_FALSE(env::flag({"AQUEDUCT_TEST_A"}, true)) << no;
  }
}

TEST_F(Environment, IntegersAreWholeAndInRange) {
  EXPECT_EQ(env::integer({"AQUEDUCT_TEST_A"}, 0, 9), std::nullopt);
  set("-5");
  EXPECT_EQ(env::integer({"AQUEDUCT_TEST_A"}, -9, 9), -5);
}

TEST_F(Environment, SizesTakeUnits) {
  const std::pair<const char*, std::size_t> sizes[] = {{"0", 0},
                                                       {"4096", 4096},
                                                       {"4K", 4096},
                                                       {"4kb", 4096},
                                                       {"512MB", 512 << 20},
                                                       {"1.5G", 3ull << 29},
                                                       {"2TB", 2ull << 40},
                                                       {"100B", 100}};
  for (const auto& [text, bytes] : sizes) {
    set(text);
    EXPECT_EQ(env::bytes({"AQUEDUCT_TEST_A"}), bytes) << text;
  }
}

TEST_F(Environment, AmountsAreSizesOrFractionsForAProcessOrAHost) {
  constexpr std::size_t kWhole = 1000 << 20, kRanks = 4;
  const std::pair<const char*, std::size_t> amounts[] = {
      {"512MB", 512 << 20}, {"512MB/P", 512 << 20}, {"512MB/H", 128 << 20}, {"0.5", 500 << 20},
      {"0.5/P", 500 << 20}, {"0.5/h", 125 << 20},   {"1.0/H", 250 << 20}};
  for (const auto& [text, bytes] : amounts) {
    set(text);
    EXPECT_EQ(env::amount({"AQUEDUCT_TEST_A"})->bytes_per_rank(kWhole, kRanks), bytes) << text;
  }
}

using EnvironmentDeathTest = Environment;

TEST_F(EnvironmentDeathTest, MalformedValuesAreNamedWithWhatIsAccepted) {
  for (const char* value : {"maybe", "2", "yess", " 1"}) {
    set(value);
    EXPECT_EXIT(env::flag({"AQUEDUCT_TEST_A"}, true), testing::ExitedWithCode(1),
                "AQUEDUCT_TEST_A='.*' is not yes \\(1, y, yes\\) or no \\(0, n, no\\)");
  }
  for (const char* value : {"x", "1x", "10", "-1", " 1", "1.0", "99999999999999999999"}) {
    set(value);
    EXPECT_EXIT(env::integer({"AQUEDUCT_TEST_A"}, 0, 9), testing::ExitedWithCode(1),
                "AQUEDUCT_TEST_A='.*' is not a whole number from 0 to 9");
  }
  for (const char* value : {"x", "1X", "-1", "1MBB", ".", "1.2.3", "1e3", "0x10", "99999999T", "1M/P"}) {
    set(value);
    EXPECT_EXIT(env::bytes({"AQUEDUCT_TEST_A"}), testing::ExitedWithCode(1),
                "AQUEDUCT_TEST_A='.*' is not a size");
  }
  for (const char* value : {"x", "1M/Q", "1M/", "0.5/PP", "-1"}) {
    set(value);
    EXPECT_EXIT(env::amount({"AQUEDUCT_TEST_A"}), testing::ExitedWithCode(1),
                "AQUEDUCT_TEST_A='.*' is not a size");
  }
}

}  // namespace
