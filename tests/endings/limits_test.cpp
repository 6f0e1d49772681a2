// A limit of the system that does not allow a job ends it with one line that names the limit.
#include <gtest/gtest.h>

#include <string>

#include "support/process.hpp"
#include "support/sanitized.hpp"

namespace aqueduct::test {
namespace {

#ifdef AQUEDUCT_COVERAGE
constexpr bool kWritesCounts = true;
#else
constexpr bool kWritesCounts = false;
#endif
constexpr const char* kNeedsMore = "a sanitizer needs more memory and stack than the limit leaves";
constexpr const char* kCountsAreFiles = "the counts of coverage are files beyond the limit, too";

Outcome launched(const std::string& limit, int ranks = 2) {
  return run({"sh", "-c",
              limit + "; exec " AQUEDUCT_LAUNCHER " run -n " + std::to_string(ranks) + " " AQUEDUCT_LEAVING});
}
Outcome direct(const std::string& limit, int ranks = 2) {
  return run({"sh", "-c", limit + "; AQUEDUCT_RANKS=" + std::to_string(ranks) + " exec " AQUEDUCT_LEAVING});
}

struct Limit {
  const char* name;
  const char* command;
  const char* says;
};
void PrintTo(const Limit& limit, std::ostream* out) { *out << limit.name; }

class LimitOf : public ::testing::TestWithParam<Limit> {};

TEST_P(LimitOf, IsNamedInOneLine) {
  if (kSanitized) GTEST_SKIP() << kNeedsMore;
  if (kWritesCounts && GetParam().name == std::string("FileSize")) GTEST_SKIP() << kCountsAreFiles;
  for (const Outcome& outcome : {launched(GetParam().command), direct(GetParam().command)}) {
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
    EXPECT_NE(outcome.err.find(GetParam().says), std::string::npos) << outcome.err;
  }
}

INSTANTIATE_TEST_SUITE_P(All, LimitOf,
                         ::testing::Values(Limit{"Stack", "ulimit -s 32", "(ulimit -s) is 32 KiB"},
                                           Limit{"FileSize", "ulimit -f 100", "(ulimit -f) is"},
                                           Limit{"AddressSpace", "ulimit -v 100000",
                                                 "(ulimit -v) is 100000 KiB"},
                                           Limit{"Descriptors", "ulimit -n 8", "ulimit -Hn"},
                                           Limit{"DescriptorsOfARank", "ulimit -n 20", "ulimit -Hn"}),
                         [](const auto& info) { return info.param.name; });

TEST(Limits, SmallStackIsEnough) {
  if (kSanitized) GTEST_SKIP() << kNeedsMore;
  EXPECT_EQ(launched("ulimit -s 64").exit_code, 0);
  EXPECT_EQ(direct("ulimit -s 64").exit_code, 0);
}

TEST(Limits, FileSizeIsNoLimitWhereItMayBeRaised) {
  EXPECT_EQ(launched("ulimit -S -f 1000").exit_code, 0);
  EXPECT_EQ(direct("ulimit -S -f 1000").exit_code, 0);
}

TEST(Limits, OutputBeyondTheFileSizeIsAnErrorAndNoSignal) {
  if (kWritesCounts) GTEST_SKIP() << kCountsAreFiles;
  const Outcome outcome =
      run({"sh", "-c",
           "ulimit -S -f 1; " AQUEDUCT_LAUNCHER " run -n 1 -- seq 100000 > /dev/shm/out.$$"
           "; code=$?; rm -f /dev/shm/out.$$; exit $code"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("cannot write to standard output: File too large"), std::string::npos)
      << outcome.err;
}

TEST(Limits, AddressSpaceOf100GBIsEnoughFor64Ranks) {
  if (kSanitized) GTEST_SKIP() << kNeedsMore;
  // 64 segments of 256 MiB are 16 GiB of it.
  const Outcome outcome = launched("ulimit -v 100000000", 64);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

}  // namespace
}  // namespace aqueduct::test
