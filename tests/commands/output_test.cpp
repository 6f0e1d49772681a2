// A place that cannot be written is found before the work; a disk that is full is an error, in one line.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "command.hpp"

namespace aqueduct::test {
namespace {

namespace fs = std::filesystem;

struct Place {
  const char* name;
  const char* arguments;
  int code;
  const char* says;
};

void PrintTo(const Place& place, std::ostream* out) { *out << place.name; }

class Unwritable : public testing::TestWithParam<Place> {};

/// That nothing was done first shows in what it does not print, and in the trace file that is not missed.
TEST_P(Unwritable, IsFoundBeforeTheWork) {
  const Outcome outcome = command(GetParam().arguments);
  EXPECT_EQ(outcome.exit_code, GetParam().code);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
  EXPECT_NE(outcome.err.find(GetParam().says), std::string::npos) << outcome.err;
}

const Place kPlaces[] = {
    {"FiguresRedstorm", "figures redstorm --check --out /proc/xx", 2, "--out: cannot write /proc/xx"},
    {"FiguresPortals", "figures portals --check --out /dev/null/xx", 2, "--out: cannot write /dev/null/xx"},
    {"BenchFile", "bench limits --json /proc/xx", 2, "--json: cannot write /proc/xx"},
    {"BenchDirectory", "bench limits --json /", 2, "--json: cannot write /: Is a directory"},
    {"TraceFile", "trace no-such-trace -o /proc/xx", 1, "cannot write /proc/xx"},
};

INSTANTIATE_TEST_SUITE_P(Of, Unwritable, testing::ValuesIn(kPlaces),
                         [](const auto& info) { return info.param.name; });

TEST(Output, TryingAPlaceLeavesNothing) {
  const fs::path directory = fs::temp_directory_path() / ("aqueduct-output-" + std::to_string(getpid()));
  fs::create_directories(directory);
  const std::string file = (directory / "result.json").string();
  EXPECT_EQ(command("bench limits --conduit loopback --json " + file).exit_code, 2);
  EXPECT_TRUE(fs::is_empty(directory));
  fs::remove_all(directory);
}

TEST(FullDisk, IsAnErrorOfTheCommandThatWrites) {
  const Outcome bench = command("bench limits --repetitions 1 --sizes 8 --json /dev/full");
  EXPECT_NE(bench.exit_code, 0);
  EXPECT_EQ(bench.err, "aqueduct bench: --json: cannot write /dev/full: No space left on device\n");
  for (const char* printing : {"info", "info --json", "info --variables", "bench --list", "sim --list",
                               "--help", "sim --nodes 2 ring"}) {
    const Outcome outcome =
        run({"sh", "-c", std::string("exec " AQUEDUCT_TOOL " ") + printing + " > /dev/full"});
    EXPECT_EQ(outcome.exit_code, 1) << printing;
    EXPECT_EQ(outcome.err, "aqueduct: cannot write to standard output: No space left on device\n")
        << printing;
  }
}

/// Also for a program without a launcher, and whichever file it is.
TEST(FullDisk, IsAnErrorOfTheJobThatTraces) {
  for (const char* variable : {"GASNET_TRACEFILE", "GASNET_STATSFILE", "GASNET_MALLOCFILE"}) {
    const std::string setting = variable + std::string("=/dev/full");
    for (const Outcome& outcome :
         {client_job({setting}), client_job({setting, "GASNET_TRACEFLUSH=1"}),
          run({CLIENT_PROGRAM}, {setting}), run({CLIENT_PROGRAM}, {setting, "AQUEDUCT_RANKS=2"})}) {
      EXPECT_EQ(outcome.exit_code, 1) << setting;
      EXPECT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
      EXPECT_NE(
          outcome.err.find(variable + std::string(": cannot write to '/dev/full': No space left on device")),
          std::string::npos)
          << outcome.err;
    }
  }
}

}  // namespace
}  // namespace aqueduct::test
