// A peer that does not answer, in words.
#include "base/silence.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "base/fatal.hpp"

namespace aqueduct {
namespace {

constexpr std::uint64_t kMs = 1'000'000;

TEST(Silence, SaysWhoWhereHowLongAndWhatDecides) {
  EXPECT_EQ(in_words(3, {20'000 * kMs, "AQUEDUCT_UDP_TIMEOUT", "10.0.0.7:40123"}),
            "rank 3 (10.0.0.7:40123) has not answered for 20 s (AQUEDUCT_UDP_TIMEOUT)");
  EXPECT_EQ(in_words(3, {20'000 * kMs, "AQUEDUCT_PEER_TIMEOUT", ""}),
            "rank 3 has not answered for 20 s (AQUEDUCT_PEER_TIMEOUT)");
  EXPECT_EQ(in_words(0, {10'000 * kMs, nullptr, "[::1]:9"}), "rank 0 ([::1]:9) has not answered for 10 s");
}

TEST(Silence, LastsTenthsOfSeconds) {
  EXPECT_EQ(in_words(1, {2'345 * kMs}), "rank 1 has not answered for 2.3 s");
  EXPECT_EQ(in_words(1, {1'000'000'099 * kMs}), "rank 1 has not answered for 1000000 s");
  EXPECT_EQ(in_words(1, {99 * kMs}), "rank 1 has not answered for 0 s");
}

TEST(SilenceDeathTest, EndsTheJobAndSaysWhomItIsAbout) {
  const auto sink = [](const char* line) { dprintf(STDERR_FILENO, "%s|%d\n", line, failed_about()); };
  EXPECT_EXIT(
      {
        set_failure_sink(sink);
        fatal_silence("udp", 3, {2000 * kMs, "X", "a:1"}, "missing from it: 100%");
      },
      testing::ExitedWithCode(1),
      "in udp\\(\\): rank 3 \\(a:1\\) has not answered for 2 s \\(X\\); missing from it: 100%\\|3\n");
  EXPECT_EXIT(
      {
        set_failure_sink(sink);
        fatal("udp", "no");
      },
      testing::ExitedWithCode(1), "in udp\\(\\): no\\|-1\n");
}

}  // namespace
}  // namespace aqueduct
