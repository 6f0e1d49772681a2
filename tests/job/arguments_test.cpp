// Wrong arguments get one clear line, a hint and code 2; a program that cannot be started gets one line.
#include <gtest/gtest.h>

#include "process.hpp"

namespace job_test {
namespace {

Outcome aqueduct(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), AQUEDUCT_TOOL);
  return run({std::move(arguments)});
}

struct Mistake {
  const char* name;
  std::vector<std::string> arguments;
  const char* line;
};
void PrintTo(const Mistake& mistake, std::ostream* out) { *out << mistake.name; }

class WrongArguments : public testing::TestWithParam<Mistake> {};

TEST_P(WrongArguments, AreNamedInOneLine) {
  const Outcome outcome = aqueduct(GetParam().arguments);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.output, "");
  ASSERT_FALSE(lines_of(outcome.errors).empty());
  EXPECT_EQ(lines_of(outcome.errors)[0], GetParam().line);
  EXPECT_LE(lines_of(outcome.errors).size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongArguments,
    testing::Values(
        Mistake{"NoCommand", {}, "aqueduct: no command was given"},
        Mistake{"UnknownCommand", {"walk"}, "aqueduct: there is no command 'walk'"},
        Mistake{"NoRanks", {"run", "true"}, "aqueduct: the number of ranks is missing: -n N"},
        Mistake{"NoRanksValue", {"run", "-n"}, "aqueduct: --ranks: its value is missing"},
        Mistake{"RanksTwice",
                {"run", "-n", "2", "-n", "3", "true"},
                "aqueduct: --ranks: it was given more than once"},
        Mistake{"RanksOfInfo", {"info", "-n", "abc"}, "aqueduct: -n abc: a job has 1 to 1048576 ranks"},
        Mistake{"WordsTooMany", {"info", "about", "this"}, "aqueduct: nothing is known of 'about this'"},
        Mistake{"NoFigures",
                {"figures"},
                "aqueduct: which figures? There are redstorm portals aries extoll all hot-spot credits"},
        Mistake{"UnknownFigures", {"figures", "seven"}, "aqueduct: nothing is known of 'seven'"},
        Mistake{"NoSizes",
                {"bench", "put-latency", "--sizes", ""},
                "aqueduct bench: --sizes: '' is not a list of sizes such as 8,4K,1M, from 1 to 1G each"},
        Mistake{"FaultsOfALiveJob",
                {"bench", "limits", "--faults", "drop=1"},
                "aqueduct: --faults requires --sim"},
        Mistake{"ZeroRanks", {"run", "-n", "0", "true"}, "aqueduct: -n 0: a job has 1 to 1048576 ranks"},
        Mistake{
            "NegativeRanks", {"run", "-n", "-1", "true"}, "aqueduct: -n -1: a job has 1 to 1048576 ranks"},
        Mistake{"TooManyRanks",
                {"run", "-n", "1048577", "true"},
                "aqueduct: -n 1048577: a job has 1 to 1048576 ranks"},
        Mistake{"FarTooManyRanks",
                {"run", "-n", "99999999999999999999", "true"},
                "aqueduct: -n 99999999999999999999: a job has 1 to 1048576 ranks"},
        Mistake{
            "RanksNoNumber", {"run", "-n", "abc", "true"}, "aqueduct: -n abc: a job has 1 to 1048576 ranks"},
        Mistake{
            "RanksWithRest", {"run", "-n", "2x", "true"}, "aqueduct: -n 2x: a job has 1 to 1048576 ranks"},
        Mistake{"NoProgram", {"run", "-n", "2"}, "aqueduct: no program to run was given"},
        Mistake{"EmptyProgram", {"run", "-n", "2", ""}, "aqueduct: no program to run was given"},
        Mistake{"UnknownOption", {"run", "-n", "2", "--fast", "true"}, "aqueduct: --fast: unknown option"},
        Mistake{"UnknownConduit",
                {"run", "-n", "2", "--conduit", "pigeon", "true"},
                "aqueduct: --conduit pigeon: there is no conduit 'pigeon'; this library has smp loopback "
                "wire udp portals mpi-portals aries extoll, and there is no libaqueduct-conduit-pigeon.so "
                "where plug-ins "
                "are looked for"},
        Mistake{"LayoutOfMoreRanks",
                {"run", "--layout", "3+1", "-n", "2", "true"},
                "aqueduct: --layout '3+1' is no layout of 2 ranks: it places 4 ranks, and the job has 2"},
        Mistake{"LayoutThatIsNone",
                {"run", "--show", "--layout", "1+x", "-n", "2"},
                "aqueduct: --layout '1+x' is no layout of 2 ranks: 'x' is not a number of ranks"},
        Mistake{"UnknownBinding",
                {"run", "-n", "2", "--bind", "tight", "true"},
                "aqueduct: 'tight' is no way to bind ranks: use auto, none, compact, spread or a list of "
                "cores such "
                "as 0,2,4-7"},
        Mistake{"MalformedCoreList",
                {"run", "-n", "2", "--bind", "0,,1", "true"},
                "aqueduct: '0,,1' is no way to bind ranks: use auto, none, compact, spread or a list of "
                "cores such "
                "as 0,2,4-7"}),
    [](const auto& info) { return info.param.name; });

TEST(Arguments, CoreThatIsNotThereIsNamed) {
  const Outcome outcome = aqueduct({"run", "-n", "2", "--bind", "8000", "true"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.errors.rfind("aqueduct: cannot bind ranks to core 8000: this process may use 0", 0), 0u)
      << outcome.errors;
}

TEST(Arguments, DescriptorsThatRunOutAreNamedWithWhatToDo) {
  const Outcome outcome = run({{"sh", "-c", "ulimit -n 64; exec " AQUEDUCT_TOOL " run -n 64 true"}});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(lines_of(outcome.errors).size(), 1u) << outcome.errors;
  EXPECT_NE(
      outcome.errors.find("Too many open files (a job needs about four for each rank: raise ulimit -Hn)"),
      std::string::npos)
      << outcome.errors;
}

TEST(Arguments, ProgramThatDoesNotExistIsSaidOnce) {
  const Outcome outcome = aqueduct({"run", "-n", "4", "./no-such-program"});
  EXPECT_EQ(outcome.code, 127);
  EXPECT_EQ(outcome.errors, "aqueduct: cannot start './no-such-program': No such file or directory\n");
}

TEST(Arguments, ProgramThatMayNotBeRunIsSaidOnce) {
  const Outcome outcome = aqueduct({"run", "-n", "4", "/etc/passwd"});
  EXPECT_EQ(outcome.code, 126);
  EXPECT_EQ(outcome.errors, "aqueduct: cannot start '/etc/passwd': Permission denied\n");
}

TEST(Arguments, EverythingAfterTheProgramIsItsOwn) {
  const Outcome outcome = aqueduct({"run", "-n", "1", "echo", "-n", "--tag", "--", "--help", ""});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.output, "--tag -- --help ");
}

TEST(Arguments, DashesMaySeparateTheProgram) {
  EXPECT_EQ(aqueduct({"run", "-n", "1", "--", "echo", "--tag", "--", "x"}).output, "--tag -- x\n");
}

TEST(Arguments, HelpAndVersionSucceed) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--help"}, {"run", "--help"}, {"info", "--help"}}) {
    const Outcome outcome = aqueduct(arguments);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_NE(outcome.output.find("Usage"), std::string::npos);
  }
  const Outcome version = aqueduct({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(version.output.rfind("aqueduct ", 0), 0u);
}

TEST(Arguments, ConduitReachesTheRanks) {
  const Outcome outcome = run(rank_job(1, {"place"}, {"--conduit", "loopback"}));
  EXPECT_NE(outcome.output.find("conduit loopback"), std::string::npos) << outcome.output;
}

TEST(Arguments, InfoNamesTheChosenConduitAndWhyNotTheOthers) {
  const Outcome outcome = aqueduct({"info"});
  EXPECT_EQ(outcome.code, 0);
  for (const char* expected : {"* smp", "loopback", "chosen: ", "not chosen: ", "1048576 in a job"}) {
    EXPECT_NE(outcome.output.find(expected), std::string::npos) << expected << "\n" << outcome.output;
  }
}

}  // namespace
}  // namespace job_test
