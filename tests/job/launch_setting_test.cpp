// The launcher reads what a program reads that starts its own ranks; what is typed wins. And its time limit.
#include <gtest/gtest.h>

#include "process.hpp"

namespace job_test {
namespace {

Outcome launch(const std::map<std::string, std::string>& environment, std::vector<std::string> options,
               std::vector<std::string> command = {RANK_PROGRAM, "memory"}) {
  Command all;
  all.arguments = {AQUEDUCT_TOOL, "run"};
  all.arguments.insert(all.arguments.end(), options.begin(), options.end());
  all.arguments.insert(all.arguments.end(), command.begin(), command.end());
  all.environment = environment;
  return run(all);
}

TEST(LaunchSettings, CountComesFromTheEnvironmentWhereNoneIsTyped) {
  EXPECT_EQ(launch({{"AQUEDUCT_RANKS", "2"}}, {}).output, "sum 3\nsum 3\n");
  EXPECT_EQ(launch({{"GASNET_PSHM_NODES", "2"}}, {}).output, "sum 3\nsum 3\n");
  EXPECT_EQ(launch({{"AQUEDUCT_RANKS", "2"}, {"GASNET_PSHM_NODES", "3"}}, {}).output, "sum 3\nsum 3\n");
  EXPECT_EQ(launch({{"AQUEDUCT_RANKS", "2"}}, {"-n", "1"}).output, "sum 1\n");
}

TEST(LaunchSettings, TagComesFromTheEnvironmentUnlessTyped) {
  EXPECT_EQ(launch({{"AQUEDUCT_TAG", "yes"}}, {"-n", "1"}).output, "[0] sum 1\n");
  EXPECT_EQ(launch({{"AQUEDUCT_TAG", "yes"}}, {"-n", "1", "--no-tag"}).output, "sum 1\n");
  EXPECT_EQ(launch({{"AQUEDUCT_TAG", "no"}}, {"-n", "1", "--tag"}).output, "[0] sum 1\n");
}

TEST(LaunchSettings, BindingComesFromTheEnvironmentUnlessTyped) {
  const std::vector<std::string> show = {"sh", "-c", "grep Cpus_allowed_list /proc/self/status"};
  EXPECT_EQ(launch({{"AQUEDUCT_BIND", "0"}}, {"-n", "1"}, show).output, "Cpus_allowed_list:\t0\n");
  EXPECT_EQ(launch({{"AQUEDUCT_BIND", "none"}}, {"-n", "1", "--bind", "0"}, show).output,
            "Cpus_allowed_list:\t0\n");
  EXPECT_EQ(launch({{"AQUEDUCT_BIND", "tight"}}, {"-n", "1", "--bind", "none"}).code, 0);
}

TEST(LaunchSettings, ConduitComesFromTheEnvironmentUnlessTyped) {
  const std::vector<std::string> place = {RANK_PROGRAM, "place"};
  EXPECT_NE(launch({{"AQUEDUCT_CONDUIT", "wire"}}, {"-n", "1"}, place).output.find("conduit wire"),
            std::string::npos);
  EXPECT_NE(launch({{"AQUEDUCT_CONDUIT", "pigeon"}}, {"-n", "1", "--conduit", "wire"}, place)
                .output.find("conduit wire"),
            std::string::npos);
}

/// As a direct start refuses them: before anything runs, in one line that names the variable.
TEST(LaunchSettings, MalformedOnesAreRefused) {
  struct Wrong {
    const char* name;
    const char* value;
    const char* says;
  };
  for (const Wrong& wrong : {
           Wrong{"AQUEDUCT_RANKS", "0", "AQUEDUCT_RANKS='0' is not a whole number from 1 to 1048576"},
           Wrong{"GASNET_PSHM_NODES", "many",
                 "GASNET_PSHM_NODES='many' is not a whole number from 1 to 1048576"},
           Wrong{"AQUEDUCT_TAG", "maybe", "AQUEDUCT_TAG='maybe' is not yes"},
           Wrong{"AQUEDUCT_BIND", "tight", "'tight' is no way to bind ranks"},
           Wrong{"AQUEDUCT_CONDUIT", "pigeon", "AQUEDUCT_CONDUIT=pigeon: there is no conduit 'pigeon'"},
       }) {
    const bool is_count = std::string(wrong.says).find("1048576") != std::string::npos;
    std::vector<std::string> options;
    if (!is_count) options = {"-n", "2"};
    const Outcome outcome = launch({{wrong.name, wrong.value}}, options, {"echo", "started"});
    EXPECT_NE(outcome.code, 0) << wrong.name;
    EXPECT_EQ(outcome.output, "") << wrong.name;
    ASSERT_FALSE(lines_of(outcome.errors).empty());
    EXPECT_NE(lines_of(outcome.errors)[0].find(wrong.says), std::string::npos) << outcome.errors;
  }
}

TEST(TimeLimit, EndsTheJobWithItsOwnCode) {
  const Outcome outcome = launch({}, {"-n", "2", "--timeout", "0.2"}, {"sleep", "600"});
  EXPECT_EQ(outcome.code, 124);
  EXPECT_EQ(outcome.errors,
            "aqueduct: the job is not over after 0.2 s (--timeout); the job ends with code 124\n");
}

TEST(TimeLimit, EndsRanksThatDoNotListen) {
  const Outcome outcome =
      launch({}, {"-n", "2", "--timeout", "0.2"}, {"sh", "-c", "trap '' TERM; sleep 600; sleep 600"});
  EXPECT_EQ(outcome.code, 124);
}

TEST(TimeLimit, ThatIsNotReachedChangesNothing) {
  EXPECT_EQ(launch({}, {"-n", "2", "--timeout", "500"}).code, 0);
  EXPECT_EQ(launch({}, {"-n", "2", "--timeout", "1000000000"}, {"sh", "-c", "exit 3"}).code, 3);
}

}  // namespace
}  // namespace job_test
