// A rank that leaves while others wait for it ends the job, with a line that says what it did and a code that
// is not 0; one that leaves while others have no need of it does not.
#include <gtest/gtest.h>

#include <string>

#include "support/process.hpp"

namespace aqueduct::test {
namespace {

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> found;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    found.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return found;
}

Outcome launched(const std::string& arguments, std::vector<std::string> environment) {
  std::vector<std::string> command{AQUEDUCT_LAUNCHER, "run", "-n", "3", AQUEDUCT_LEAVING};
  for (const std::string& word : words(arguments)) command.push_back(word);
  return run(command, std::move(environment));
}
Outcome direct(const std::string& arguments, std::vector<std::string> environment) {
  std::vector<std::string> command{AQUEDUCT_LEAVING};
  for (const std::string& word : words(arguments)) command.push_back(word);
  environment.push_back("AQUEDUCT_RANKS=3");
  return run(command, std::move(environment));
}

struct Departure {
  const char* name;
  const char* arguments;
  const char* says;
  bool only_launched = false;
};
void PrintTo(const Departure& departure, std::ostream* out) { *out << departure.name; }

class Leaving : public ::testing::TestWithParam<Departure> {};

TEST_P(Leaving, WhileOthersWaitEndsTheJob) {
  for (const bool is_launched : {true, false}) {
    if (!is_launched && GetParam().only_launched) continue;
    const Outcome outcome =
        (is_launched ? launched : direct)(GetParam().arguments, {"GASNET_EXITTIMEOUT=0.5"});
    EXPECT_FALSE(outcome.timed_out);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
    EXPECT_EQ(outcome.err.find(std::string("aqueduct: rank 1 ") + GetParam().says), 0u) << outcome.err;
    EXPECT_NE(outcome.err.find(" has waited for others for 0.5 s"), std::string::npos) << outcome.err;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Leaving,
    ::testing::Values(
        Departure{"Return", "return", "returned from main or called exit(0)"},
        Departure{"Exit", "exit", "returned from main or called exit(0)"},
        Departure{"ExitOfOthersThatPoll", "exit poll", "returned from main or called exit(0)"},
        Departure{"UnderscoreExit", "_exit", "ended with code 0 by neither gasnet_exit nor exit"},
        Departure{"Exec", "exec", "became another program (exec)"},
        Departure{"ExecOfAProgramThatEnds", "exec-true", ""},
        Departure{"BeforeInit", "before-init", "ended with code 0 before gex_Client_Init", true}),
    [](const auto& info) { return info.param.name; });

TEST(Leaving, BeforeOthersWhoStillWriteFilesIsNoFailure) {
  // They take four times as long as a rank may wait.
  for (const char* how : {"return", "exit", "_exit"}) {
    const Outcome outcome = launched(std::string(how) + " files 2", {"GASNET_EXITTIMEOUT=0.5"});
    EXPECT_EQ(outcome.exit_code, 0) << how;
    EXPECT_EQ(outcome.err, "") << how;
    EXPECT_GE(outcome.seconds, 2) << how;
  }
  const Outcome outcome = direct("return files 2", {"GASNET_EXITTIMEOUT=0.5"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
}

TEST(Leaving, WhileOthersWaitIsAllowedWhereExitsAreNotCaught) {
  const Outcome outcome = run({"timeout", "2", AQUEDUCT_LAUNCHER, "run", "-n", "3", AQUEDUCT_LEAVING, "exit"},
                              {"GASNET_EXITTIMEOUT=0.5", "GASNET_CATCH_EXIT=0"});
  EXPECT_EQ(outcome.exit_code, 124) << "it waits for as long as it is let";
}

TEST(Leaving, TogetherIsNoFailureHoweverShortTheTime) {
  for (int round = 0; round < 5; ++round) {
    const Outcome outcome = launched("", {"GASNET_EXITTIMEOUT=0"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
  }
}

TEST(Leaving, WithoutEverStartingTheLibraryIsNoFailure) {
  const Outcome outcome =
      run({AQUEDUCT_LAUNCHER, "run", "-n", "2", "sh", "-c", "[ $AQUEDUCT_RANK = 0 ] || sleep 2"},
          {"GASNET_EXITTIMEOUT=0"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
}

}  // namespace
}  // namespace aqueduct::test
