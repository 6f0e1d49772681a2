// Settings from the environment.
#include "base/env.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

namespace aqueduct::env {
namespace {

constexpr const char* kFirst = "AQUEDUCT_TEST_FIRST";
constexpr const char* kSecond = "AQUEDUCT_TEST_SECOND";

class Environment : public ::testing::Test {
 protected:
  void SetUp() override { clear(); }
  void TearDown() override { clear(); }
  static void set(const char* value) { setenv(kFirst, value, 1); }
  static void clear() {
    unsetenv(kFirst);
    unsetenv(kSecond);
  }
};

TEST_F(Environment, TheFirstNameThatIsSetAndNotEmptyCounts) {
  EXPECT_EQ(text({kFirst, kSecond}), nullptr);
  EXPECT_STREQ(text({kFirst, kSecond}, "otherwise"), "otherwise");
  setenv(kSecond, "two", 1);
  EXPECT_STREQ(text({kFirst, kSecond}), "two");
  set("");
  EXPECT_STREQ(text({kFirst, kSecond}), "two");
  set("one");
  EXPECT_STREQ(text({kFirst, kSecond}), "one");
}

TEST_F(Environment, FlagsAreReadInTheWaysPeopleWriteThem) {
  EXPECT_TRUE(flag({kFirst}, true));
  EXPECT_FALSE(flag({kFirst}, false));
  for (const char* yes : {"1", "y", "Y", "yes", "YES", "on", "true"})
    EXPECT_TRUE((set(yes), flag({kFirst}, false))) << yes;
  for (const char* no : {"0", "n", "N", "no", "No", "off", "false"})
    EXPECT_FALSE((set(no), flag({kFirst}, true))) << no;
}

TEST_F(Environment, NumbersAreReadWithinTheirRange) {
  EXPECT_FALSE(integer({kFirst}, 1, 10).has_value());
  for (int value : {1, 7, 10}) {
    set(std::to_string(value).c_str());
    EXPECT_EQ(integer({kFirst}, 1, 10), value);
  }
}

TEST_F(Environment, SizesHaveBinaryUnits) {
  const std::pair<const char*, std::size_t> cases[] = {{"0", 0},
                                                       {"8388608", 8388608},
                                                       {"4K", 4096},
                                                       {"4KB", 4096},
                                                       {"512MB", 512ull << 20},
                                                       {"2G", 2ull << 30},
                                                       {"1.5G", 3ull << 29},
                                                       {"1T", 1ull << 40},
                                                       {"3m", 3ull << 20}};
  for (const auto& [written, value] : cases) EXPECT_EQ((set(written), bytes({kFirst})), value) << written;
}

TEST_F(Environment, AmountsMayBeFractionsAndBePerHost) {
  set("0.5/H");
  EXPECT_EQ(amount({kFirst})->bytes_per_rank(1 << 20, 4), std::size_t{1 << 20} / 2 / 4);
  set("0.5/P");
  EXPECT_EQ(amount({kFirst})->bytes_per_rank(1 << 20, 4), std::size_t{1 << 20} / 2);
  set("64K");
  EXPECT_EQ(amount({kFirst})->bytes_per_rank(1 << 20, 4), 65536u);
  set("64K/H");
  EXPECT_EQ(amount({kFirst})->bytes_per_rank(1 << 20, 4), 16384u);
}

using RefusedSetting = Environment;

// What is malformed ends the process with a line that names the variable and its value.
void expect_refused(const char* value, void (*read)()) {
  EXPECT_EXIT(
      {
        setenv(kFirst, value, 1);
        read();
      },
      ::testing::ExitedWithCode(1), std::string("FATAL ERROR.*") + kFirst)
      << value;
}

TEST_F(RefusedSetting, FlagsThatAreNone) {
  for (const char* value : {"maybe", "2", "yess"}) expect_refused(value, [] { flag({kFirst}, false); });
}

TEST_F(RefusedSetting, NumbersThatAreNoneOrOutOfRange) {
  for (const char* value : {"0", "11", "-1", "4x", "four", "1e1", " ", "99999999999999999999"})
    expect_refused(value, [] { integer({kFirst}, 1, 10); });
}

TEST_F(RefusedSetting, SizesThatAreNone) {
  for (const char* value : {"-4K", "4Q", "K", "1.2.3M", "99999999T"})
    expect_refused(value, [] { bytes({kFirst}); });
}

}  // namespace
}  // namespace aqueduct::env
