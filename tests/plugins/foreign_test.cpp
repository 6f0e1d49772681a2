// What foreign libraries do to a job that does not run on them (nothing: they are not even mapped), and to
// one that does: it starts and ends as on any other conduit. With a plug-in whose library misbehaves on
// purpose, and with the real ones where they were built.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/process.hpp"
#include "support/sanitized.hpp"

namespace aqueduct::test {
namespace {

namespace fs = std::filesystem;
using Settings = std::vector<std::string>;

// An empty directory, which is the working directory of what is started there.
class Workplace {
 public:
  Workplace() : path_(fs::temp_directory_path() / "aqueduct-foreign-XXXXXX") {
    if (!::mkdtemp(path_.data())) throw std::runtime_error("no directory");
  }
  ~Workplace() { fs::remove_all(path_); }
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  /// Names in it, but those that a core file may have.
  std::vector<std::string> strays() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path_)) {
      const std::string name = entry.path().filename();
      if (!name.starts_with("core")) names.push_back(name);
    }
    return names;
  }

 private:
  std::string path_;
};

Outcome job(const Workplace& place, const std::string& layout, const std::string& what, Settings settings,
            const std::string& conduit = {}) {
  const int ranks = layout == "1+1" ? 2 : 4;
  std::vector<std::string> command = {"/usr/bin/env", "-C", place.path(),         AQUEDUCT_TOOL,
                                      "run",          "-n", std::to_string(ranks)};
  if (!conduit.empty()) command.insert(command.end(), {"--conduit", conduit});
  command.insert(command.end(), {FOREIGN_PROGRAM, what});
  settings.push_back("AQUEDUCT_LAYOUT=" + layout);
  settings.push_back("RUDE_MUST_STAY=here");
  return run(std::move(command), std::move(settings), 600);
}

const std::string kRudePath = std::string("AQUEDUCT_CONDUIT_PATH=") + RUDE_PLUGINS;

std::vector<std::string> lines_in(const std::string& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return lines_of(text.str());
}

TEST(ForeignLibraries, AreNotMappedByAJobThatRunsOnAnotherConduit) {
  const Workplace place;
  Settings settings = {kRudePath, "AQUEDUCT_TEST_RUDE_LOADED=" + place.file("loaded")};
  // With such hardware a job would run on it.
  if (fs::exists("/sys/class/infiniband") || fs::exists("/sys/class/cxi"))
    settings.emplace_back("FI_PROVIDER=tcp");
  const Outcome outcome = job(place, "1+1", "maps", settings);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_GE(lines_with(outcome.out, "libc.so").size(), 2u) << "the test has lost its eyes";
  for (const char* name :
       {"libaqueduct-conduit", "libmpi", "fabric", "psm", "infinipath", "ucs", "ucp", "pmix", "rdma"})
    EXPECT_EQ(lines_with(outcome.out, name).size(), 0u) << name << ":\n" << outcome.out;
  EXPECT_FALSE(fs::exists(place.file("loaded")));
}

TEST(ForeignLibraries, AreAskedByOneProcessOnAMachineWhereTheyMightBeBetter) {
  const Workplace place;
  const Outcome outcome =
      job(place, "2+2", "maps",
          {kRudePath, "AQUEDUCT_TEST_RUDE=hardly", "AQUEDUCT_TEST_RUDE_LOADED=" + place.file("loaded")});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_EQ(lines_with(outcome.out, "conduit-rude").size(), 0u) << outcome.out;
  EXPECT_EQ(lines_in(place.file("loaded")), std::vector<std::string>{"aqueduct-probe"});
}

TEST(ForeignLibraries, AreLoadedByRanksWhereTheyAreBetter) {
  const Workplace place;
  const Outcome outcome =
      job(place, "2+2", "maps",
          {kRudePath, "AQUEDUCT_TEST_RUDE=best", "AQUEDUCT_TEST_RUDE_LOADED=" + place.file("loaded")});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_EQ(lines_with(outcome.out, "conduit-rude").size(), 4u) << outcome.out;
  EXPECT_EQ(lines_in(place.file("loaded")).size(), 1u + 4u);
}

struct Case {
  const char* conduit;
  Settings settings;
};
void PrintTo(const Case& each, std::ostream* out) { *out << each.conduit; }

#ifdef HAS_OFI
// Whether there is hardware only libfabric can say, here for what FI_PROVIDER leaves of it.
TEST(ForeignLibraries, AreAskedForHardwareByOneProcess) {
  const Workplace place;
  const Outcome outcome = job(place, "1+1", "maps", {"FI_PROVIDER=tcp"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_EQ(lines_with(outcome.out, "fabric").size(), 0u) << outcome.out;
}
#endif

class JobOver : public testing::TestWithParam<Case> {
 protected:
  Outcome end_by(const std::string& how, Settings more = {}) {
    Settings settings = GetParam().settings;
    settings.insert(settings.end(), more.begin(), more.end());
    return job(place_, "1+1", how, settings, GetParam().conduit);
  }
  void TearDown() override { EXPECT_EQ(place_.strays(), std::vector<std::string>{}); }

  Workplace place_;
};

TEST_P(JobOver, FindsTheProcessUnchanged) {
  const Outcome outcome = end_by("state");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_EQ(outcome.out, "unchanged\nunchanged\n");
}

TEST_P(JobOver, EndsByTheSignalOfACrash) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer reports crashes and leaks itself, with its own code";
  EXPECT_EQ(end_by("segv").exit_code, 128 + SIGSEGV);
  EXPECT_EQ(end_by("abort").exit_code, 128 + SIGABRT);
  EXPECT_EQ(end_by("term").exit_code, 128 + SIGTERM);
  EXPECT_EQ(end_by("exit").exit_code, 3);
}

// Once: a debugger makes the backtrace, which takes seconds.
using JobOverRude = JobOver;
TEST_P(JobOverRude, AnnouncesACrashWithABacktrace) {
  const Outcome outcome = end_by("abort", {"GASNET_BACKTRACE=1"});
  EXPECT_EQ(outcome.exit_code, 128 + SIGABRT);
  EXPECT_EQ(lines_with(outcome.err, "Caught a fatal signal").size(), 1u) << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(All, JobOver,
                         testing::Values(Case{"udp", {}}, Case{"rude", {kRudePath}}
#ifdef HAS_OFI
                                         ,
                                         Case{"ofi", {"FI_PROVIDER=tcp"}}
#endif
#ifdef HAS_OPENMPI
                                         ,
                                         Case{"mpi-openmpi", {}}
#endif
#ifdef HAS_MPICH
                                         ,
                                         Case{"mpi-mpich", {}}
#endif
                                         ),
                         [](const auto& test) {
                           std::string name = test.param.conduit;
                           std::erase(name, '-');
                           return name;
                         });

INSTANTIATE_TEST_SUITE_P(All, JobOverRude, testing::Values(Case{"rude", {kRudePath}}));

TEST(ForeignLibraries, InfoSaysWhatWasPutBack) {
  const Outcome outcome = run({AQUEDUCT_TOOL, "info", "--json"},
                              {kRudePath, "ASAN_OPTIONS=detect_leaks=0", "RUDE_MUST_STAY=here"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto report = nlohmann::json::parse(outcome.out);
  for (const auto& conduit : report["conduits"]) {
    if (conduit["name"] != "rude") continue;
    const std::string told = conduit["put_back"].dump();
    for (const char* part : {"SIGSEGV", "SIGABRT", "mask", "RUDE_IS_HERE", "RUDE_MUST_STAY", "floating",
                             "locale", "umask", "directory"})
      EXPECT_NE(told.find(part), std::string::npos) << part << " in " << told;
    return;
  }
  FAIL() << outcome.out;
}

}  // namespace
}  // namespace aqueduct::test
