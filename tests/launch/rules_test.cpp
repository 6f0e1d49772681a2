// The small rules of launching: heartbeats, words of commands, what is forwarded.
#include <gtest/gtest.h>

#include "hosts/forwarding.hpp"
#include "hosts/remote_shell.hpp"
#include "job/messages/heartbeat.hpp"

namespace {

using namespace aqueduct::job;

constexpr std::uint64_t kMs = 1'000'000;

TEST(HeartbeatRule, SilenceForLongerThanThePatienceIsTheEnd) {
  Heartbeat heartbeat(5000, 0);
  for (std::uint64_t ms = 0; ms <= 5000; ms += 500) EXPECT_FALSE(heartbeat.is_silent(ms * kMs)) << ms;
  EXPECT_TRUE(heartbeat.is_silent(5500 * kMs));
}

TEST(HeartbeatRule, WhateverIsHeardCounts) {
  Heartbeat heartbeat(5000, 0);
  for (std::uint64_t ms = 0; ms <= 60000; ms += 500) {
    if (ms % 4000 == 0) heartbeat.heard(ms * kMs);
    EXPECT_FALSE(heartbeat.is_silent(ms * kMs)) << ms;
  }
}

TEST(HeartbeatRule, TimeInWhichNobodyLookedIsNoSilence) {
  Heartbeat heartbeat(5000, 0);
  EXPECT_FALSE(heartbeat.is_silent(1000 * kMs));
  EXPECT_FALSE(heartbeat.is_silent(61000 * kMs));
  EXPECT_FALSE(heartbeat.is_silent(62000 * kMs));
  for (std::uint64_t ms = 62500; ms <= 65000; ms += 500) EXPECT_FALSE(heartbeat.is_silent(ms * kMs)) << ms;
  EXPECT_TRUE(heartbeat.is_silent(65500 * kMs));
}

TEST(HeartbeatRule, ASleeperWakesWhenSilenceHasLastedLongEnough) {
  Heartbeat heartbeat(8000, 0);
  std::uint64_t now = 0;
  while (!heartbeat.is_silent(now)) {
    heartbeat.should_beat(now);
    ASSERT_GT(heartbeat.next_ns(), now);
    now = heartbeat.next_ns();
  }
  EXPECT_EQ(now, 8000 * kMs + 1);
}

TEST(HeartbeatRule, ThereAreBeatsAtIntervals) {
  Heartbeat heartbeat(5000, 0);
  int beats = 0;
  for (std::uint64_t ms = 0; ms < 5000; ms += 10) beats += heartbeat.should_beat(ms * kMs) ? 1 : 0;
  EXPECT_EQ(beats, 4);
}

TEST(HeartbeatRule, WithoutPatienceThereIsNone) {
  Heartbeat heartbeat(0, 0);
  EXPECT_FALSE(heartbeat.should_beat(100000 * kMs));
  EXPECT_FALSE(heartbeat.is_silent(100000 * kMs));
  EXPECT_EQ(heartbeat.next_ns(), Heartbeat::kForever);
}

TEST(RemoteShellWords, AreThoseOfAShell) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(words_of("ssh -p 2222"), (Words{"ssh", "-p", "2222"}));
  EXPECT_EQ(words_of("  a 'b c' \"d 'e'\" f\\ g '' "), (Words{"a", "b c", "d 'e'", "f g", ""}));
  EXPECT_FALSE(words_of(""));
  EXPECT_FALSE(words_of("ssh 'x"));
  EXPECT_FALSE(words_of("ssh \\"));
}

TEST(RemoteShellWords, AreQuotedWhereTheyMustBe) {
  EXPECT_EQ(quoted_for_shell("/usr/bin/aqueduct"), "/usr/bin/aqueduct");
  EXPECT_EQ(quoted_for_shell("a b"), "'a b'");
  EXPECT_EQ(quoted_for_shell("it's"), "'it'\\''s'");
  EXPECT_EQ(quoted_for_shell(""), "''");
  EXPECT_EQ(words_of(quoted_for_shell("it's $HOME; \"rm\" \\ x")),
            (std::vector<std::string>{"it's $HOME; \"rm\" \\ x"}));
}

TEST(Forwarding, LeavesOutWhatBelongsToTheMachineAndTheJob) {
  for (const char* name :
       {"HOME", "PWD", "SSH_AUTH_SOCK", "XDG_RUNTIME_DIR", "AQUEDUCT_RANK", "AQUEDUCT_JOB_KEY"})
    EXPECT_FALSE(is_forwarded(name)) << name;
  for (const char* name : {"PATH", "LD_LIBRARY_PATH", "GASNET_MAX_SEGSIZE", "AQUEDUCT_CONDUIT", "HOMES"})
    EXPECT_TRUE(is_forwarded(name)) << name;
}

TEST(Forwarding, TakesWhatIsAddedInAnyCase) {
  const char* const environment[] = {"HOME=/root", "A=1", "B=2", "malformed", nullptr};
  std::string error;
  EXPECT_EQ(forwarded_environment(environment, {"HOME=/there", "A=3"}, &error),
            (std::vector<std::string>{"A=1", "B=2", "HOME=/there", "A=3"}));
  EXPECT_EQ(error, "");
}

}  // namespace
