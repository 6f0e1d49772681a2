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
  EXPECT_EQ(bench.exit_code, 1);
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

TEST(FullDisk, IsOneLineOfWhateverWritesAFile) {
  for (const auto& [arguments, complaint] : {
           std::pair("sim --nodes 4 --links /dev/full ring",
                     "aqueduct sim: --links: cannot write /dev/full: No space left on device\n"),
           std::pair("sim --nodes 4 --trace /dev/full ring",
                     "aqueduct sim: --trace: cannot write '/dev/full': No space left on device\n"),
       }) {
    const Outcome outcome = command(arguments);
    EXPECT_EQ(outcome.exit_code, 1) << arguments;
    EXPECT_EQ(outcome.err, complaint);
  }
  const fs::path directory = fs::temp_directory_path() / ("aqueduct-full-" + std::to_string(getpid()));
  fs::create_directories(directory);
  fs::create_symlink("/dev/full", directory / "hot-spot.svg");
  const Outcome figures = command("figures hot-spot --out " + directory.string());
  EXPECT_EQ(figures.exit_code, 1);
  EXPECT_EQ(figures.err, "aqueduct figures: --out: cannot write " + (directory / "hot-spot.svg").string() +
                             ": No space left on device\n");
  // A rank's part of a timeline; that there is nothing to put together goes without saying.
  const std::string timeline = (directory / "t.json").string();
  for (const char* rank : {"0", "1"}) fs::create_symlink("/dev/full", timeline + "." + rank + ".part");
  const Outcome traced = command("run -n 2 --trace " + timeline + " " CLIENT_PROGRAM);
  EXPECT_EQ(traced.exit_code, 1);
  EXPECT_EQ(lines_of(traced.err).size(), 1U) << traced.err;
  EXPECT_NE(traced.err.find("AQUEDUCT_TRACE: cannot write"), std::string::npos) << traced.err;
  fs::remove_all(directory);
}

/// What prints nothing has nothing to complain of; all others must not be silent. Jobs that commands look at
/// are another matter: they are asked for one that runs.
TEST(ClosedOutput, IsAnErrorOfEveryCommandThatPrints) {
  const Process job({AQUEDUCT_TOOL, "run", "-n", "1", "sleep", "300"});
  const std::string pid = std::to_string(job.pid());
  ASSERT_FALSE(wait_for_job("ps", pid).empty());
  const std::string trace = (fs::temp_directory_path() / ("aqueduct-closed-" + pid)).string();
  ASSERT_EQ(client_job({"GASNET_TRACEFILE=" + trace}).exit_code, 0);
  ASSERT_EQ(command("run -n 2 --trace " + trace + ".json " CLIENT_PROGRAM).exit_code, 0);
  for (const std::string& printing : {std::string("--help"),
                                      std::string("--version"),
                                      std::string("help"),
                                      std::string("help run"),
                                      std::string("info"),
                                      std::string("info --json"),
                                      std::string("info --variables"),
                                      std::string("doctor -n 1"),
                                      std::string("bench --list"),
                                      std::string("bench limits --repetitions 1 --sizes 8"),
                                      std::string("sim --list"),
                                      std::string("sim --nodes 2 ring"),
                                      std::string("figures credits --nodes 8"),
                                      "trace " + trace,
                                      "trace summary " + trace + ".json",
                                      std::string("ps"),
                                      "top --once " + pid,
                                      "explain --no-stacks " + pid,
                                      std::string("demo --repetitions 1"),
                                      std::string("run -n 2 --show program"),
                                      std::string("run -n 2 echo hello"),
                                      std::string("complete -- b")}) {
    const Outcome outcome = run({"sh", "-c", "exec " AQUEDUCT_TOOL " " + printing + " >&-"});
    EXPECT_EQ(outcome.exit_code, 1) << printing;
    EXPECT_EQ(lines_of(outcome.err).size(), 1U) << printing << ": " << outcome.err;
    EXPECT_NE(outcome.err.find("aqueduct: cannot write to standard output: Bad file descriptor"),
              std::string::npos)
        << printing << ": " << outcome.err;
  }
  fs::remove(trace);
  fs::remove(trace + ".json");
}

TEST(ClosedOutput, IsNoErrorOfWhatPrintsNothing) {
  const Outcome outcome = run({"sh", "-c", "exec " AQUEDUCT_TOOL " run -n 2 true <&- >&-"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
}

/// Also where the signal is ignored, as Python's and systemd's children have it.
TEST(ReaderThatHasGone, EndsACommandQuietly) {
  for (const char* ignored : {"", "trap '' PIPE; "}) {
    // The reader has opened the pipe and has ended before the command begins to write.
    const Outcome outcome =
        run({"bash", "-c",
             std::string(ignored) +
                 "d=$(mktemp -d); mkfifo $d/f; (exec 3<$d/f) & exec 4>$d/f; wait $!; " AQUEDUCT_TOOL
                 " info --variables >&4; echo $?; rm -r $d"});
    EXPECT_EQ(outcome.out, "141\n") << ignored;
    EXPECT_EQ(outcome.err, "") << ignored;
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
