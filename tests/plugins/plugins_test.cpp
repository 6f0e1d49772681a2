// Plug-ins as people use them: found, listed, chosen by name, and refused with one line.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/process.hpp"

namespace aqueduct::test {
namespace {

using nlohmann::json;

constexpr const char* kTool = AQUEDUCT_TOOL;
const std::string kPath = std::string("AQUEDUCT_CONDUIT_PATH=") + GOOD_PLUGINS + ":" + BAD_PLUGINS;

Outcome job(const std::string& conduit, int ranks, std::vector<std::string> program = {RING_PROGRAM},
            std::vector<std::string> environment = {kPath}) {
  std::vector<std::string> command = {kTool, "run", "-n", std::to_string(ranks)};
  if (!conduit.empty()) command.insert(command.end(), {"--conduit", conduit});
  command.insert(command.end(), program.begin(), program.end());
  return run(std::move(command), std::move(environment), 600);
}

json info(std::vector<std::string> environment) {
  // A plug-in that is unloaded leaves what its C++ library keeps for exceptions.
  environment.push_back("ASAN_OPTIONS=detect_leaks=0");
  const Outcome outcome = run({kTool, "info", "--json", "-n", "2"}, std::move(environment), 600);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return json::parse(outcome.out.substr(outcome.out.find('{')));
}

TEST(Plugins, CarryAJob) {
  for (const int ranks : {1, 2, 4}) {
    const Outcome outcome = job("wire-plugin", ranks);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
    EXPECT_EQ(outcome.out, "ring of " + std::to_string(ranks) + " ranks, medium 3968\n");
    EXPECT_EQ(outcome.err, "");
  }
}

TEST(Plugins, CarryAJobThatStartsItself) {
  const Outcome outcome =
      run({RING_PROGRAM}, {kPath, "AQUEDUCT_RANKS=2", "AQUEDUCT_CONDUIT=wire-plugin"}, 600);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_EQ(outcome.out, "ring of 2 ranks, medium 3968\n");
}

TEST(Plugins, AreFoundBesideTheSharedLibrary) {
  namespace fs = std::filesystem;
  std::string folder = fs::temp_directory_path() / "aqueduct-beside-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  fs::create_directory(folder + "/aqueduct");
  fs::copy_file(SHARED_LIBRARY, folder + "/" + SHARED_LIBRARY_NAME);
  fs::copy_file(std::string(GOOD_PLUGINS) + "/libaqueduct-conduit-wire-plugin.so",
                folder + "/aqueduct/libaqueduct-conduit-wire-plugin.so");
  const std::vector<std::string> environment = {"LD_LIBRARY_PATH=" + folder, "AQUEDUCT_RANKS=2",
                                                "AQUEDUCT_CONDUIT=wire-plugin"};
  const Outcome outcome = run({SHARED_RING_PROGRAM}, environment, 600);
  fs::remove_all(folder);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_EQ(outcome.out, "ring of 2 ranks, medium 3968\n");
}

TEST(Audit, NamesTheRankAndWhatALiveJobHasNotGivenBack) {
  const auto audited = [](std::vector<std::string> more) {
    more.insert(more.end(), {kPath, "AQUEDUCT_AUDIT=1"});
    return job("keyed", 2, {RING_PROGRAM}, more);
  };
  const Outcome good = audited({});
  EXPECT_EQ(good.exit_code, 0) << good.all();
  const Outcome leaking = audited({"AQUEDUCT_TEST_LEAK=1"});
  EXPECT_EQ(leaking.exit_code, 1) << leaking.all();
  EXPECT_NE(leaking.err.find("not given back. rank 0: things that a test leaves: "), std::string::npos)
      << leaking.all();
}

TEST(Plugins, AreNotLoadedWhereNobodyNeedsThem) {
  const std::string bad = std::string("AQUEDUCT_CONDUIT_PATH=") + BAD_PLUGINS;
  EXPECT_EQ(lines_with(job("", 2, {RING_PROGRAM}, {bad}).out, "no-symbol").size(), 0u);
  EXPECT_EQ(lines_with(job("wire", 2, {RING_PROGRAM}, {bad}).out, "no-symbol").size(), 0u);
  EXPECT_NE(lines_with(job("no-symbol", 2, {RING_PROGRAM}, {bad}).out, "no-symbol comes").size(), 0u);
}

struct Refusal {
  const char* name;
  const char* reason;
};
void PrintTo(const Refusal& refusal, std::ostream* out) { *out << refusal.name; }

class BadPlugin : public testing::TestWithParam<Refusal> {};

TEST_P(BadPlugin, EndsTheJobThatAsksForItWithOneLine) {
  const Refusal& refusal = GetParam();
  const Outcome outcome = job(refusal.name, 2);
  EXPECT_EQ(outcome.exit_code, 1);
  ASSERT_EQ(lines_of(outcome.err).size(), 1u) << outcome.err;
  EXPECT_NE(outcome.err.find(refusal.reason), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("libaqueduct-conduit-" + std::string(refusal.name) + ".so: "), std::string::npos)
      << outcome.err;
}

TEST_P(BadPlugin, IsListedWithTheReason) {
  const Refusal& refusal = GetParam();
  bool is_there = false;
  const json report = info({kPath});
  for (const json& plugin : report["plugins"]) {
    if (plugin["name"] != refusal.name) continue;
    is_there = true;
    EXPECT_FALSE(plugin["loaded"]);
    EXPECT_NE(plugin["reason"].get<std::string>().find(refusal.reason), std::string::npos) << plugin;
    EXPECT_EQ(plugin["path"], std::string(BAD_PLUGINS) + "/libaqueduct-conduit-" + refusal.name + ".so");
  }
  EXPECT_TRUE(is_there);
}

INSTANTIATE_TEST_SUITE_P(
    All, BadPlugin,
    testing::Values(
        Refusal{"text", "invalid ELF header"},
        Refusal{"no-symbol", "it is no plug-in: it has no symbol 'aqueduct_conduit_plugin'"},
        Refusal{"wrong-magic", "it is no plug-in: its 'aqueduct_conduit_plugin' is something else"},
        Refusal{"short-entry", "it is no plug-in: its 'aqueduct_conduit_plugin' is something else"},
        Refusal{"other-contract",
                "it was made for Aqueduct " AQUEDUCT_VERSION
                " (contract 00000001), and this is Aqueduct " AQUEDUCT_VERSION " (contract "},
        Refusal{"other-version", "it was made for Aqueduct 9.8.7 (contract "},
        Refusal{"unresolved", "aqueduct_function_that_nobody_has"},
        Refusal{"misnamed", "it is the conduit 'wire-plugin', whose file must be called"}),
    [](const auto& test) {
      std::string name = test.param.name;
      std::erase(name, '-');
      return name;
    });

TEST(Plugins, ThatAreRefusedAreUnloaded) {
  EXPECT_NE(lines_with(job("no-symbol", 1).out, "no-symbol goes").size(), 0u);
}

TEST(Plugins, AreListedWithTheirPaths) {
  const json report = info({kPath});
  bool is_there = false;
  for (const json& conduit : report["conduits"]) {
    if (conduit["name"] == "smp") {
      EXPECT_TRUE(conduit["path"].is_null());
    }
    if (conduit["name"] != "wire-plugin") continue;
    is_there = true;
    EXPECT_TRUE(conduit["possible"]);
    EXPECT_EQ(conduit["path"], std::string(GOOD_PLUGINS) + "/libaqueduct-conduit-wire-plugin.so");
  }
  EXPECT_TRUE(is_there);
  EXPECT_EQ(report["job"]["conduit"], "smp");
  EXPECT_EQ(report["plugin_directories"][0], GOOD_PLUGINS);
}

TEST(Plugins, DoNotReplaceConduitsOfTheLibraryNorEachOther) {
  unsigned smp = 0, wires = 0, used = 0;
  const json report = info({kPath});
  for (const json& plugin : report["plugins"]) {
    if (plugin["name"] == "smp") {
      ++smp;
      EXPECT_EQ(plugin["reason"], "the library has a conduit of that name");
    }
    if (plugin["name"] != "wire-plugin") continue;
    ++wires;
    used += plugin["loaded"] ? 1 : 0;
    if (!plugin["loaded"]) {
      EXPECT_NE(plugin["reason"].get<std::string>().find("comes first"), std::string::npos) << plugin;
    }
  }
  EXPECT_EQ(smp, 1u);
  EXPECT_EQ(wires, 2u);
  EXPECT_EQ(used, 1u);
}

TEST(Plugins, NamesDoNotLeadOutOfTheirDirectories) {
  const Outcome outcome = job("x/../../good/libaqueduct-conduit-keyed", 2);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("there is no conduit"), std::string::npos) << outcome.err;
}

TEST(SegmentKeys, OfAllRanksArriveAndAreTakenWhenTheyAreNeeded) {
  constexpr int kRanks = 7;
  constexpr int kSizes[] = {0, 1000, 17};
  const Outcome outcome = job("keyed", kRanks);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.all();
  for (int rank = 0; rank < kRanks; ++rank) {
    const int next = (rank + 1) % kRanks;
    const std::string line = "keyed: rank " + std::to_string(rank) + " has the key of rank " +
                             std::to_string(next) + ", " + std::to_string(kSizes[next % 3]) + " bytes";
    EXPECT_EQ(lines_with(outcome.out, line).size(), 1u) << line << "\n" << outcome.out;
  }
  // The barrier and the put leave pairs that never talk, and those have taken no keys.
  EXPECT_LT(lines_with(outcome.out, "has the key").size(), static_cast<std::size_t>(kRanks) * (kRanks - 1));
}

TEST(SegmentKeys, AreWithdrawnWhereAnotherRankCannotAttach) {
  const Outcome outcome = job("keyed", 3, {RING_PROGRAM, "refuse"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_EQ(lines_with(outcome.out, "keyed: rank 0 withdraws").size(), 1u) << outcome.out;
  EXPECT_EQ(lines_with(outcome.out, "keyed: rank 1 withdraws").size(), 0u) << outcome.out;
  EXPECT_EQ(lines_with(outcome.out, "ring of 3 ranks").size(), 1u) << outcome.out;
}

}  // namespace
}  // namespace aqueduct::test
