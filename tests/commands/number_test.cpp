// A number is taken as written or refused in one line: it does not wrap, and is not replaced by another.
#include "command.hpp"

namespace aqueduct::test {
namespace {

struct Number {
  const char* name;
  const char* arguments;
  const char* says;
};

void PrintTo(const Number& number, std::ostream* out) { *out << number.name; }

class Refused : public testing::TestWithParam<Number> {};

TEST_P(Refused, InOneLine) {
  const Outcome outcome = command(GetParam().arguments);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  ASSERT_FALSE(lines_of(outcome.err).empty());
  EXPECT_NE(lines_of(outcome.err)[0].find(GetParam().says), std::string::npos) << outcome.err;
}

constexpr char kAnySeed[] = ": it must be a whole number from 0 to 18446744073709551615";
const Number kNumbers[] = {
    {"SeedBelowZero", "sim --seed -1 ring", kAnySeed},
    {"SeedWithRest", "sim --seed 3x ring", kAnySeed},
    {"SeedTooLarge", "sim --seed 18446744073709551616 ring", kAnySeed},
    {"SeedWithFraction", "sim --seed 1.5 ring", kAnySeed},
    {"NoRounds", "sim --rounds 0 ring", "--rounds 0: it must be a whole number from 1 to"},
    {"RoundsBelowZero", "sim --rounds -3 ring", "--rounds -3: it must be a whole number"},
    {"RoundsTooMany", "sim --rounds 4294967296 ring", "--rounds 4294967296: it must be a whole number"},
    {"NoBytes", "sim --bytes 0 ring", "--bytes 0: it must be a whole number from 1 to"},
    {"NoNodes", "sim --nodes 0 ring", "--nodes 0: it must be a whole number from 1 to 1048576"},
    {"NodesTooMany", "sim --nodes 4294967297 ring", "--nodes 4294967297"},
    {"RanksPerNode", "sim --ranks-per-node 65 ring", "--ranks-per-node 65"},
    {"SeedsThatWrap", "sim --seeds 18446744073709551615:2 ring", "--seeds 18446744073709551615:2"},
    {"SeedsBelowZero", "sim --seeds -1:2 ring", "--seeds -1:2"},
    {"NoSeeds", "sim --seeds 1:0 ring", "--seeds 1:0"},
    {"SeedsAsAWord", "sim --seeds many ring", "--seeds many: it should look like 1000"},
    {"StatisticsOfOne", "sim --statistics ring", "--statistics is for many runs: --seeds 100"},
    {"StoredNothing", "sim --seeds 2 --json x ring", "--json is for --statistics"},
    {"SegmentBelowZero", "sim --segment -1MiB ring", "--segment -1MiB"},
    {"NoSegment", "sim --segment 0B ring", "--segment 0B: it must be"},
    {"SegmentTooLarge", "sim --segment 99999999999999MiB ring", "--segment 99999999999999MiB"},
    {"StackTooSmall", "sim --stack 1KiB ring", "--stack 1KiB: it must be"},
    {"TimeLimit", "sim --time-limit -1s ring", "--time-limit -1s"},
    {"CreditNodes", "figures credits --nodes 7", "--nodes 7: it must be a whole number from 8 to 16384"},
    {"CreditRounds", "figures credits --rounds 0", "--rounds 0: it must be a whole number"},
    {"CreditSeed", "figures credits --seed -1", kAnySeed},
    {"BenchSeed", "bench portals-perf --sim seastar-redstorm --seed -1",
     "--seed: '-1' is not a number from 0 to 18446744073709551615"},
    {"BenchRanks", "bench barrier -n -2", "-n: '-2' is not a number from 1 to 1048576"},
    {"DemoRepetitions", "demo --repetitions 0", "--repetitions 0: it must be a whole number from 1 to 10000"},
    {"DemoRepetitionsBelowZero", "demo --repetitions -1", "--repetitions -1"},
    {"InfoRanks", "info -n -1", "-n -1: a job has 1 to 1048576 ranks"},
    {"NoTimeout", "run -n 1 --timeout 0 true", "--timeout 0: it must be a number of seconds"},
    {"TimeoutBelowZero", "run -n 1 --timeout -1 true", "--timeout -1: it must be a number of seconds"},
    {"TimeoutNoNumber", "run -n 1 --timeout soon true", "--timeout soon: it must be a number of seconds"},
    {"TimeoutWithUnit", "run -n 1 --timeout 5s true", "--timeout 5s: it must be a number of seconds"},
    {"TimeoutInfinite", "run -n 1 --timeout inf true", "--timeout inf: it must be a number of seconds"},
};

INSTANTIATE_TEST_SUITE_P(Of, Refused, testing::ValuesIn(kNumbers),
                         [](const auto& info) { return info.param.name; });

TEST(Numbers, TheLargestSeedIsOne) {
  const Outcome outcome = command("sim --nodes 2 --seed 18446744073709551615 ring");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("seed 18446744073709551615\n"), std::string::npos) << outcome.out;
  EXPECT_EQ(command("sim --nodes 2 --seeds 18446744073709551614:2 ring").exit_code, 0);
}

struct Setting {
  const char* setting;
  const char* says;
};

/// Variables are numbers, too: each is refused with one line that names it.
TEST(Numbers, OfVariablesAreRefused) {
  for (const auto& [setting, says] : {
           Setting{"GASNET_EXITTIMEOUT=-1",
                   "GASNET_EXITTIMEOUT='-1' is not a number of seconds from 0 to 1000000"},
           Setting{"GASNET_EXITTIMEOUT=1e9", "GASNET_EXITTIMEOUT='1e9'"},
           Setting{"GASNET_MAX_SEGSIZE=-1", "GASNET_MAX_SEGSIZE='-1' is not a size"},
           Setting{"AQUEDUCT_COLLECTIVE_GROUP=-1", "AQUEDUCT_COLLECTIVE_GROUP='-1'"},
           Setting{"GASNET_TRACENODES=1-", "GASNET_TRACENODES='1-' is not a list of ranks"},
       }) {
    const Outcome outcome = client_job({setting});
    EXPECT_EQ(outcome.exit_code, 1) << setting;
    EXPECT_EQ(lines_with(outcome.err, says).size(), 1u) << outcome.err;
    EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
  }
}

/// A limit that is cut to what the host has is said once for the job, and no more is changed than that.
TEST(Numbers, ALimitThatIsCutIsSaidOnce) {
  for (const char* setting : {"GASNET_MAX_SEGSIZE=1000TB", "GASNET_MAX_SEGSIZE=0"}) {
    const Outcome outcome = client_job({setting});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(lines_with(outcome.err, "WARNING").size(), 1u) << outcome.err;
    EXPECT_EQ(lines_with(outcome.err, "the largest segment is").size(), 1u) << outcome.err;
  }
  EXPECT_NE(command("info", {"AQUEDUCT_MAX_SEGSIZE=1000TB"}).err.find("AQUEDUCT_MAX_SEGSIZE='1000TB' is"),
            std::string::npos);
  EXPECT_EQ(client_job({"GASNET_MAX_SEGSIZE=8MB"}).err, "");
  EXPECT_EQ(client_job({"GASNET_MAX_SEGSIZE=1000TB", "GASNET_QUIET=1"}).err, "");
}

TEST(Numbers, AListWithoutARankOfTheJobIsSaidOnce) {
  for (const char* variable :
       {"GASNET_TRACENODES", "GASNET_STATSNODES", "GASNET_MALLOCNODES", "GASNET_BACKTRACE_NODES"}) {
    const Outcome outcome = client_job({variable + std::string("=77,5-9")});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(lines_with(outcome.err, variable + std::string("='77,5-9' names none of the ranks of this job, "
                                                             "0 to 1"))
                  .size(),
              1u)
        << outcome.err;
    EXPECT_EQ(client_job({variable + std::string("=1,77")}).err, "");
  }
}

}  // namespace
}  // namespace aqueduct::test
