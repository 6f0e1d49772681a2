// The ending policy by itself: events in, steps, code and line out.
#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>

#include "job/supervision/ending.hpp"
#include "job/supervision/rank_source.hpp"

namespace {

using aqueduct::job::Ending;
using aqueduct::job::RankEvent;
using aqueduct::observe::ProcessState;
using Step = Ending::Step;

constexpr std::uint64_t kMs = 1'000'000;
constexpr int exited(int code) { return code << 8; }
constexpr int signalled(int signal) { return signal; }

TEST(Policy, JobRunsUntilTheLastRankHasReturned) {
  Ending ending(2);
  ending.rank_ended(0, exited(0), 0);
  EXPECT_TRUE(ending.is_running());
  EXPECT_FALSE(ending.is_over());
  EXPECT_EQ(ending.step(1000 * kMs), Step::kNone);
  ending.rank_ended(1, exited(0), 2000 * kMs);
  EXPECT_TRUE(ending.is_over());
  EXPECT_EQ(ending.exit_code(), 0);
  EXPECT_EQ(ending.line(), "");
}

TEST(Policy, EveryCauseLeadsToKillWithinASecond) {
  for (int cause = 0; cause < 9; ++cause) {
    Ending ending(2);
    if (cause == 0) ending.rank_called_exit(0, 0, 0);
    if (cause == 1) ending.rank_called_exit(0, 3, 0);
    if (cause == 2) ending.rank_aborted(0, "text", 0);
    if (cause == 3) ending.rank_ended(0, signalled(SIGSEGV), 0);
    if (cause == 4) ending.rank_ended(0, exited(1), 0);
    if (cause == 5) ending.supervisor_signalled(SIGTERM, 0);
    if (cause == 6) ending.guard_was_killed(0);
    if (cause == 7) ending.limit_time(1e-3, 0);
    if (cause == 8) ending.rank_aborted(0, "rank 1 is silent", 0, 1);
    std::uint64_t now = ending.next_step_ns();
    EXPECT_EQ(ending.step(now), Step::kTerminate) << cause;
    EXPECT_EQ(ending.step(now), Step::kNone) << cause;
    now = ending.next_step_ns();
    EXPECT_EQ(ending.step(now), Step::kKill) << cause;
    EXPECT_LT(now, 1000 * kMs) << cause;
    EXPECT_EQ(ending.step(now + 5000 * kMs), Step::kNone) << cause;
  }
}

TEST(Policy, RanksThatKeepLeavingCleanlyAreGivenTheTime) {
  Ending ending(100);
  for (aqueduct::RankId rank = 0; rank < 100; ++rank) {
    ending.rank_called_exit(rank, 0, rank * 500 * kMs);
    EXPECT_EQ(ending.step(rank * 500 * kMs), Step::kNone) << rank;
    ending.rank_ended(rank, exited(0), rank * 500 * kMs);
  }
  EXPECT_TRUE(ending.is_over());
  EXPECT_EQ(ending.line(), "");
  EXPECT_EQ(ending.exit_code(), 0);
}

TEST(Policy, TimeLimitIsACauseWhenItIsOver) {
  Ending ending(1);
  ending.limit_time(2.5, 1000 * kMs);
  EXPECT_EQ(ending.next_step_ns(), 3500 * kMs);
  EXPECT_EQ(ending.step(3499 * kMs), Step::kNone);
  EXPECT_TRUE(ending.is_running());
  EXPECT_EQ(ending.step(3500 * kMs), Step::kTerminate);
  EXPECT_EQ(ending.exit_code(), 124);
  EXPECT_EQ(ending.line(),
            "aqueduct: the job is not over after 2.5 s (--timeout); the job ends with code 124");
}

TEST(Policy, WhereItGoesOnDeathsAreToldAndTheLastOneEndsTheJob) {
  Ending ending(3);
  ending.go_on_after_deaths();
  ending.rank_ended(1, signalled(SIGSEGV), 0);
  EXPECT_TRUE(ending.is_running());
  const std::vector<Ending::Death> first = ending.take_deaths();
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].rank, 1u);
  EXPECT_NE(first[0].line.find("rank 1 was killed by signal 11"), std::string::npos) << first[0].line;
  EXPECT_TRUE(ending.take_deaths().empty());
  ending.rank_aborted(2, "the reason", 1 * kMs);
  ending.rank_ended(2, exited(1), 2 * kMs);
  const std::vector<Ending::Death> second = ending.take_deaths();
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].line, "the reason; the others go on (AQUEDUCT_ON_FAILURE=report)");
  ending.rank_ended(0, exited(4), 3 * kMs);
  EXPECT_TRUE(ending.is_over());
  EXPECT_EQ(ending.exit_code(), 4);
  EXPECT_TRUE(ending.take_deaths().empty());
}

TEST(Policy, WhereItGoesOnALostHostIsSaidOnceAndAllItsRanksAreTold) {
  Ending ending(4);
  ending.go_on_after_deaths();
  const aqueduct::RankId lost[] = {1, 2, 3};
  ending.host_was_lost(lost, "the host is lost", 1, 0);
  EXPECT_TRUE(ending.is_running());
  const std::vector<Ending::Death> deaths = ending.take_deaths();
  ASSERT_EQ(deaths.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(deaths[i].rank, lost[i]);
    EXPECT_EQ(deaths[i].line,
              i == 0 ? "the host is lost; the others go on (AQUEDUCT_ON_FAILURE=report)" : "");
  }
}

TEST(Policy, WhereItGoesOnAnExitStillEndsTheJob) {
  Ending ending(2);
  ending.go_on_after_deaths();
  ending.rank_called_exit(0, 3, 0);
  ending.rank_ended(0, exited(3), 1 * kMs);
  EXPECT_FALSE(ending.is_running());
  EXPECT_EQ(ending.exit_code(), 3);
  EXPECT_TRUE(ending.take_deaths().empty());
}

TEST(Policy, FirstCauseWins) {
  Ending ending(3);
  ending.rank_aborted(1, "the reason", 0);
  ending.rank_ended(2, signalled(SIGSEGV), 1 * kMs);
  ending.rank_called_exit(0, 7, 2 * kMs);
  EXPECT_EQ(ending.exit_code(), 1);
  EXPECT_EQ(ending.line(), "the reason");
}

TEST(Policy, APeerThatDoesNotAnswerIsNamedWithItsHostAndLookedAt) {
  const std::string said =
      "*** FATAL ERROR (proc 0): in udp(): rank 1 (10.0.0.7:40123) has not answered for 20 s (X)";
  for (const auto& [state, words] :
       {std::pair(ProcessState::kStopped, "; its process is stopped"),
        std::pair(ProcessState::kTraced, "; its process is held by a debugger"),
        std::pair(ProcessState::kSleeps, "; its process is alive and not stopped"),
        std::pair(ProcessState::kGone, "")}) {
    Ending ending(2, [](aqueduct::RankId rank) { return std::string(rank == 0 ? "a" : "b"); });
    EXPECT_EQ(ending.take_silent_peer(), std::nullopt);
    ending.rank_event({RankEvent::Kind::kAborted, 0, 2, said}, 0);
    ending.rank_was_seen(1, state, 0);  // nobody has been asked yet
    EXPECT_EQ(ending.take_silent_peer(), 1u);
    EXPECT_EQ(ending.take_silent_peer(), std::nullopt);
    EXPECT_EQ(ending.step(200 * kMs), Step::kNone) << "its host has the time to answer";
    ending.rank_was_seen(0, ProcessState::kStopped, 200 * kMs);
    ending.rank_was_seen(1, state, 200 * kMs);
    ending.rank_was_seen(1, state, 200 * kMs);
    EXPECT_EQ(
        ending.line(),
        std::string("*** FATAL ERROR (proc 0 on host a): in udp(): rank 1 on host b (10.0.0.7:40123) has "
                    "not answered for 20 s (X)") +
            words);
    EXPECT_EQ(ending.step(300 * kMs), Step::kTerminate) << "and no longer than it needs";
  }
}

TEST(Policy, APeerOnThisHostIsNamedWithItToo) {
  Ending ending(12, {}, "here");
  ending.rank_aborted(0, "rank 10 waits for rank 1: it is silent", 0, 1);
  EXPECT_EQ(ending.line(), "rank 10 waits for rank 1 on host here: it is silent");
}

TEST(Policy, APeerThatCannotBeIsNotLookedAt) {
  for (const int number : {-5, 0, 3, 1 << 30}) {
    Ending ending(2, {}, "here");
    ending.rank_event({RankEvent::Kind::kAborted, 0, number, "rank 2 is silent"}, 0);
    EXPECT_EQ(ending.take_silent_peer(), std::nullopt) << number;
    EXPECT_EQ(ending.line(), "rank 2 is silent") << number;
  }
}

TEST(Policy, OnlyThePeerOfTheFirstCauseIsLookedAt) {
  Ending ending(3);
  ending.rank_ended(2, exited(3), 0);
  ending.rank_aborted(0, "rank 1 is silent", 1 * kMs, 1);
  EXPECT_EQ(ending.take_silent_peer(), std::nullopt);
}

TEST(Policy, AbortIsNotReplacedByTheCodeOfItsOwnRank) {
  Ending ending(1);
  ending.rank_aborted(0, "the reason", 0);
  ending.rank_ended(0, exited(1), 1);
  EXPECT_EQ(ending.line(), "the reason");
}

TEST(Policy, RanksThatAllCalledExitAreSilentHoweverLongTheirEndsTake) {
  Ending ending(2);
  ending.rank_called_exit(0, 0, 0);
  ending.rank_called_exit(1, 0, 1 * kMs);
  EXPECT_EQ(ending.step(ending.next_step_ns()), Step::kTerminate);
  ending.rank_ended(0, signalled(SIGTERM), 800 * kMs);
  ending.rank_ended(1, signalled(SIGTERM), 800 * kMs);
  EXPECT_EQ(ending.exit_code(), 0);
  EXPECT_EQ(ending.line(), "");
}

TEST(Policy, ARankThatStaysWhenAnotherCalledExitIsNamed) {
  Ending ending(2);
  ending.rank_called_exit(0, 0, 0);
  EXPECT_EQ(ending.step(ending.next_step_ns()), Step::kTerminate);
  EXPECT_NE(ending.line(), "");
}

TEST(Policy, ExitWithZeroGivesWayToAFailureWithinItsGrace) {
  Ending ending(2);
  ending.rank_called_exit(0, 0, 0);
  ending.rank_ended(1, signalled(SIGSEGV), 10 * kMs);
  EXPECT_EQ(ending.exit_code(), 139);
}

TEST(Policy, ExitWithZeroDoesNotGiveWayToWhatOurSignalsDo) {
  Ending ending(2);
  ending.rank_called_exit(0, 0, 0);
  ending.rank_ended(0, exited(0), 1 * kMs);
  EXPECT_EQ(ending.step(ending.next_step_ns()), Step::kTerminate);
  ending.rank_ended(1, signalled(SIGTERM), 500 * kMs);
  EXPECT_EQ(ending.exit_code(), 0);
  EXPECT_EQ(ending.line(),
            "aqueduct: rank 0 called gasnet_exit(0) and not every other rank did; the job ends with code 0");
}

using aqueduct::RankId;
constexpr int kTimeout_ms = 10'000;

/// A job of clients: every rank has started the library.
Ending started(int ranks) {
  Ending ending(static_cast<RankId>(ranks));
  for (int rank = 0; rank < ranks; ++rank) ending.rank_started(static_cast<RankId>(rank), kTimeout_ms);
  return ending;
}

TEST(Policy, RanksThatStillComputeAreLeftInPeaceByOneThatReturned) {
  Ending ending = started(2);
  EXPECT_FALSE(ending.is_watching());
  ending.rank_returned(0, 0);
  ending.rank_ended(0, exited(0), 1 * kMs);
  EXPECT_TRUE(ending.is_running());
  EXPECT_TRUE(ending.is_watching());
  ending.rank_waits(1, true, 2 * kMs);
  ending.rank_waits(1, false, 9000 * kMs);  // it goes on
  EXPECT_EQ(ending.step(90'000 * kMs), Step::kNone);
  ending.rank_returned(1, 90'000 * kMs);
  ending.rank_ended(1, exited(0), 90'001 * kMs);
  EXPECT_TRUE(ending.is_over());
  EXPECT_EQ(ending.exit_code(), 0);
  EXPECT_EQ(ending.line(), "");
}

TEST(Policy, ARankThatWaitsForOneThatReturnedEndsTheJob) {
  Ending ending = started(3);
  ending.rank_returned(1, 5 * kMs);
  ending.rank_ended(1, exited(0), 6 * kMs);
  ending.rank_waits(2, true, 500 * kMs);
  EXPECT_EQ(ending.step(10'499 * kMs), Step::kNone);
  EXPECT_EQ(ending.step(10'500 * kMs), Step::kTerminate);
  EXPECT_EQ(ending.step(ending.next_step_ns()), Step::kKill);
  for (const RankId rank : {0u, 2u}) ending.rank_ended(rank, signalled(SIGKILL), 11'000 * kMs);
  EXPECT_EQ(ending.exit_code(), 1);
  EXPECT_EQ(ending.line(),
            "aqueduct: rank 1 returned from main or called exit(0), and rank 2 has waited for others for "
            "10 s since (GASNET_EXITTIMEOUT); the job ends with code 1");
}

TEST(Policy, TheTimeToWaitBeginsWithTheDeparture) {
  Ending ending = started(2);
  ending.rank_waits(0, true, 0);
  EXPECT_EQ(ending.step(60'000 * kMs), Step::kNone);
  ending.rank_ended(1, exited(0), 60'000 * kMs);
  EXPECT_EQ(ending.step(69'999 * kMs), Step::kNone);
  EXPECT_EQ(ending.step(70'000 * kMs), Step::kTerminate);
}

TEST(Policy, EachWayToLeaveIsNamed) {
  const auto line_after = [](auto leave) {
    Ending ending(2);
    ending.rank_started(0, kTimeout_ms);
    leave(ending);
    ending.rank_waits(0, true, 1 * kMs);
    EXPECT_EQ(ending.step(10'001 * kMs), Step::kTerminate);
    EXPECT_NE(ending.exit_code(), 0);
    return ending.line();
  };
  EXPECT_NE(line_after([](Ending& ending) {
              ending.rank_started(1, kTimeout_ms);
              ending.rank_ended(1, exited(0), 0);
            }).find("rank 1 ended with code 0 by neither gasnet_exit nor exit (perhaps _exit), and rank 0"),
            std::string::npos);
  EXPECT_NE(line_after([](Ending& ending) {
              ending.rank_ended(1, exited(0), 0);
            }).find("rank 1 ended with code 0 before gex_Client_Init, and rank 0"),
            std::string::npos);
  EXPECT_NE(line_after([](Ending& ending) {
              ending.rank_started(1, kTimeout_ms);
              ending.rank_replaced(1, 0);
            }).find("rank 1 became another program (exec), and rank 0"),
            std::string::npos);
}

TEST(Policy, ProgramsThatKnowNothingOfTheLibraryMayEndOneAfterTheOther) {
  Ending ending(2);
  ending.rank_ended(0, exited(0), 0);
  ending.rank_waits(1, true, 0);
  EXPECT_FALSE(ending.is_watching());
  EXPECT_EQ(ending.step(1'000'000 * kMs), Step::kNone);
  ending.rank_ended(1, exited(0), 1'000'000 * kMs);
  EXPECT_EQ(ending.exit_code(), 0);
  EXPECT_EQ(ending.line(), "");
}

TEST(Policy, AFailureAfterARankHasReturnedIsNotDelayed) {
  Ending ending = started(3);
  ending.rank_returned(1, 0);
  ending.rank_ended(1, exited(0), 1 * kMs);
  ending.rank_ended(2, signalled(SIGSEGV), 50 * kMs);
  EXPECT_EQ(ending.exit_code(), 139);
  EXPECT_LT(ending.next_step_ns(), 1000 * kMs);
}

TEST(Policy, WhatElseIsKnownOfADeathIsInTheLine) {
  Ending crashed(1);
  crashed.rank_ended(0, signalled(SIGSEGV) | 0x80, 0);
  EXPECT_EQ(
      crashed.line(),
      "aqueduct: rank 0 was killed by signal 11 (Segmentation fault) and left a core file; the job ends with "
      "code 139");
  Ending killed(1);
  killed.rank_ended(0, signalled(SIGKILL), 0, ", while it rained");
  EXPECT_EQ(killed.line(),
            "aqueduct: rank 0 was killed by signal 9 (Killed), while it rained; the job ends with code 137");
}

TEST(Policy, ARequestToQuitIsAnsweredByARanksHandler) {
  Ending ending(2);
  ending.supervisor_signalled(SIGQUIT, 0);
  EXPECT_EQ(ending.exit_code(), 128 + SIGQUIT);
  ending.rank_ended(1, signalled(SIGQUIT), 1 * kMs);
  EXPECT_EQ(ending.exit_code(), 128 + SIGQUIT) << "a rank without a handler explains nothing";
  ending.rank_called_exit(0, 5, 2 * kMs);
  EXPECT_EQ(ending.exit_code(), 5);
  EXPECT_EQ(ending.line(), "aqueduct: rank 0 called gasnet_exit(5); the job ends with code 5");
  ending.rank_aborted(1, "too late", 3 * kMs);
  EXPECT_EQ(ending.exit_code(), 5);
}

TEST(Policy, NothingElseIsAnswered) {
  Ending ending(2);
  ending.supervisor_signalled(SIGINT, 0);
  ending.rank_called_exit(0, 5, 1 * kMs);
  EXPECT_EQ(ending.exit_code(), 128 + SIGINT);
}

TEST(Policy, SecondInterruptSpeedsTheEndUp) {
  Ending ending(1);
  ending.supervisor_signalled(SIGINT, 0);
  ending.supervisor_signalled(SIGINT, 10 * kMs);  // the same request, delivered twice
  EXPECT_EQ(ending.step(10 * kMs), Step::kNone);
  ending.supervisor_signalled(SIGINT, 200 * kMs);
  EXPECT_EQ(ending.step(200 * kMs), Step::kTerminate);
  ending.supervisor_signalled(SIGINT, 210 * kMs);
  EXPECT_EQ(ending.step(210 * kMs), Step::kKill);
}

TEST(Policy, ClosedOutputEndsTheJobWithoutALine) {
  Ending ending(1);
  ending.output_failed(EPIPE, 0);
  EXPECT_EQ(ending.exit_code(), 128 + SIGPIPE);
  EXPECT_EQ(ending.line(), "");
  EXPECT_EQ(ending.step(0), Step::kTerminate);
}

}  // namespace
