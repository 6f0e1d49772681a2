// Replays of recorded jobs: a job takes the same time again on the network where it was recorded, and on a
// slower one the time that it really takes there; what cannot be replayed is said in one line.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/process.hpp"

namespace aqueduct::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// "replayed      20.708 us on torus: ..." -> 20.708; negative if there is no such line.
double micros_in(const std::string& text, const std::string& name) {
  const std::vector<std::string> lines = lines_with(text, name + "  ");
  for (const std::string& line : lines) {
    if (line.starts_with(name)) return std::stod(line.substr(line.find_first_of("0123456789")));
  }
  return -1;
}

class ReplayTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "replay_" + std::to_string(getpid());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string file(const char* name = "t.json") const { return (folder_ / name).string(); }
  Outcome run(const std::string& arguments, std::vector<std::string> environment = {}) const {
    return test::run({"/bin/sh", "-c", "cd " + folder_.string() + " && exec " AQUEDUCT_TOOL " " + arguments},
                     std::move(environment));
  }
  /// Simulates and records; the time of the job itself, as the replay says it.
  void record(const std::string& network, const std::string& job, const char* name = "t.json") const {
    const Outcome outcome = run("sim " + network + " --trace " + name + " " + job);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.all();
  }
  struct Times {
    double recorded = -1, replayed = -1;
  };
  Times replay(const std::string& network, const char* name = "t.json") const {
    const Outcome outcome = run("sim " + network + " --replay " + name);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.all();
    return {micros_in(outcome.out, "recorded"), micros_in(outcome.out, "replayed")};
  }
  std::string refusal(const std::string& arguments) const {
    const Outcome outcome = run("sim " + arguments);
    EXPECT_EQ(outcome.exit_code, 2) << outcome.all();
    return outcome.err;
  }
  std::string text_of(const char* name) const {
    std::ifstream in(file(name));
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(const char* name, const std::string& text) const { std::ofstream(file(name)) << text; }

  fs::path folder_;
};

/// A job, and how far its replay on a network of ten times the latency may be off, in percent.
struct Job {
  const char* words;
  double percent;
};

class ReplayOf : public ReplayTest, public testing::WithParamInterface<Job> {};

TEST_P(ReplayOf, TakesTheTimeOfTheJobWhereItWasRecordedAndOnASlowerNetwork) {
  const std::string fast = "--network torus --nodes 8", slow = fast + " --set link.hop=1us";
  record(fast, GetParam().words);
  record(slow, GetParam().words, "slow.json");
  const Times same = replay(fast);
  EXPECT_GT(same.recorded, 0);
  EXPECT_NEAR(same.replayed / same.recorded, 1, std::max(GetParam().percent, 2.0) / 100)
      << "recorded " << same.recorded << " us";
  const Times really = replay(slow, "slow.json");
  EXPECT_GT(really.recorded, 1.05 * same.recorded);
  EXPECT_NEAR(really.replayed / really.recorded, 1, std::max(GetParam().percent, 1.0) / 100)
      << "recorded " << really.recorded << " us";
  const double slower = replay(slow).replayed, faster = replay(fast, "slow.json").replayed;
  EXPECT_NEAR(slower / really.recorded, 1, GetParam().percent / 100)
      << slower << " us, really " << really.recorded;
  EXPECT_NEAR(faster / same.recorded, 1, GetParam().percent / 100)
      << faster << " us, really " << same.recorded;
  const std::string words = GetParam().words;
  std::printf("%-28s %10.3f us, again %10.3f us; 10 times the latency: %10.3f us, replayed %10.3f us\n",
              words.substr(words.find_last_of('/') + 1).c_str(), same.recorded, same.replayed,
              really.recorded, slower);
}

INSTANTIATE_TEST_SUITE_P(
    , ReplayOf,
    testing::Values(Job{"ring", 1}, Job{"allreduce", 1}, Job{"all-to-all", 1}, Job{"--faults '' random", 5},
                    Job{"--version atomics random-access", 2}, Job{JOBS " stencil 16", 3},
                    Job{JOBS " updates", 3}, Job{JOBS " token", 2}, Job{JOBS " transfers", 3},
                    Job{JOBS " teams", 3}, Job{JOBS " atomics", 3}, Job{JOBS " longs", 3}),
    [](const auto& info) { return "Job" + std::to_string(info.index); });

TEST_F(ReplayTest, WorksOnEveryConduit) {
  record("--network torus --nodes 4", JOBS " transfers 2");
  for (const char* network :
       {"--network seastar-xt4 --conduit portals", "--network seastar-xt4 --conduit mpi-portals",
        "--network aries-knl --conduit aries", "--network extoll-fpga --conduit extoll",
        "--network mesh --nodes 2 --ranks-per-node 2"})
    EXPECT_GT(replay(network).replayed, 1) << network;
}

// Puts among the ranks of one host are complete at once, so that nobody waits for them; a network makes them
// wait.
TEST_F(ReplayTest, OfARecordingOnOneHostWaitsWhereTheJobDidNot) {
  for (const std::string job :
       {"transfers 4", "stencil 16", "updates 4", "teams 4", "atomics 4", "longs 4"}) {
    record("--network torus --nodes 4", JOBS " " + job, "apart.json");
    const double apart = replay("--network torus --compute 0", "apart.json").replayed;
    record("--network torus --nodes 1 --ranks-per-node 4", JOBS " " + job, "near.json");
    const double near = replay("--network torus --nodes 4 --compute 0", "near.json").replayed;
    EXPECT_NEAR(near / apart, 1, 0.15) << job << ": " << near << " us, recorded apart " << apart;
    // How long a live job waited, and where, is the machine's; it shows in what its replay computes.
    const Outcome live = run("run -n 4 --trace live.json " LIVE_JOBS " " + job);
    ASSERT_EQ(live.exit_code, 0) << live.all();
    const double free = replay("--network torus --compute 0", "live.json").replayed;
    EXPECT_GT(free, 0.5 * apart) << job;
    std::printf("%-12s %10.3f us, recorded on one host %10.3f us, live %10.3f us\n", job.c_str(), apart, near,
                free);
  }
}

TEST_F(ReplayTest, SaysWhatABetterNetworkGives) {
  record("--network torus --nodes 8", JOBS " stencil 16");
  const Outcome outcome =
      run("sim --network torus --set link.hop=1ns --replay t.json --against torus --trace out.json --costs");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_NE(outcome.out.find("on torus (link.hop=1ns): 0."), std::string::npos) << outcome.out;
  EXPECT_NEAR(micros_in(outcome.out, "against") / micros_in(outcome.out, "recorded"), 1, 0.01);
  EXPECT_LT(micros_in(outcome.out, "replayed"), micros_in(outcome.out, "recorded"));
  for (const char* row : {"time of all ranks", "computing", "waits for messages", "critical path"})
    EXPECT_NE(outcome.out.find(row), std::string::npos) << row;
  // What a replay has recorded can be replayed.
  EXPECT_NEAR(
      replay("--network torus --set link.hop=1ns", "out.json").replayed / micros_in(outcome.out, "replayed"),
      1, 0.05);
}

TEST_F(ReplayTest, ScalesComputing) {
  record("--network torus --nodes 8", JOBS " stencil 16");
  const double once = replay("--network torus").replayed;
  const double twice = replay("--network torus --compute 2").replayed;
  const double never = replay("--network torus --compute 0").replayed;
  EXPECT_GT(twice, once + 16 * 0.8);  // each rank computes for at least 0.8 us in each round
  EXPECT_LT(never, once);
  EXPECT_LT(twice, 2 * once);
}

// Ranks that look in vain, and do something else now and then, wait for the one that comes late. What they do
// meanwhile keeps its time.
TEST_F(ReplayTest, FruitlessLooksTakeNoTimeOfTheirOwn) {
  record("--network torus --nodes 4", JOBS " pauses 4");
  const Times same = replay("--network torus");
  EXPECT_GT(same.recorded, 4 * 100);
  EXPECT_NEAR(same.replayed / same.recorded, 1, 0.02);
  EXPECT_LT(replay("--network torus --compute 0").replayed, 0.1 * same.recorded);
}

// By hand: the parts of a path are its length. A ring of blocking puts and barriers has nothing else on it.
TEST_F(ReplayTest, TheCriticalPathAddsUpToTheDuration) {
  for (const char* job : {"ring", "--faults '' random", JOBS " updates", JOBS " teams"}) {
    record("--network torus --nodes 8", job);
    const Outcome outcome = run("sim --network torus --replay t.json");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.all();
    double recorded = 0, replayed = 0;
    bool is_path = false;
    for (const std::string& line : lines_of(outcome.out)) {
      if (is_path && !line.starts_with("  ")) break;
      if (is_path) {
        std::istringstream words(line.substr(22));
        std::string unit, percent, sign;
        double one = 0, other = 0;
        words >> one >> unit >> percent >> sign >> other;
        recorded += one;
        replayed += other;
      }
      is_path |= line.starts_with("critical path");
    }
    EXPECT_NEAR(recorded, micros_in(outcome.out, "recorded"), 0.01) << outcome.out;
    EXPECT_NEAR(replayed, micros_in(outcome.out, "replayed"), 0.01) << outcome.out;
  }
}

TEST_F(ReplayTest, SaysWhatItReplaysAsSomethingElse) {
  record("--network torus --nodes 4", JOBS " strided 3");
  const Outcome outcome = run("sim --network torus --replay t.json");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_NE(
      outcome.out.find("note          12 gex_VIS_StridedPutBlocking are replayed as contiguous transfers"),
      std::string::npos)
      << outcome.out;
}

TEST_F(ReplayTest, RefusesWhatIsNotWhole) {
  record("--network torus --nodes 4", "ring");
  EXPECT_NE(
      refusal("--replay t.json --nodes 3").find("it has 4 ranks, and there are 3 here: leave --nodes out"),
      std::string::npos);
  EXPECT_NE(refusal("--replay nowhere.json").find("'nowhere.json' cannot be read: No such file"),
            std::string::npos);
  EXPECT_NE(refusal("--replay t.json ring").find("--replay is what runs"), std::string::npos);
  EXPECT_NE(refusal("--compute 2 ring").find("are for --replay"), std::string::npos);
  EXPECT_NE(refusal("--replay t.json --against nosuch").find("--against"), std::string::npos);

  const std::string whole = text_of("t.json");
  write("cut.json", whole.substr(0, whole.size() / 2));
  EXPECT_NE(refusal("--replay cut.json").find("is damaged or not complete"), std::string::npos);
  write("garbage.json",
        "\x7f"
        "ELF\x01\x02");
  EXPECT_NE(refusal("--replay garbage.json").find("is damaged or not complete"), std::string::npos);
  write("other.json", R"({"rows":[1,2]})");
  EXPECT_NE(refusal("--replay other.json").find("is no timeline"), std::string::npos);

  json old = json::parse(whole);
  old.erase("otherData");
  write("old.json", old.dump());
  EXPECT_NE(refusal("--replay old.json").find("was not written by this version; record the job again"),
            std::string::npos);
  json newer = json::parse(whole);
  newer["otherData"]["aqueductTimeline"] = 99;
  write("newer.json", newer.dump());
  EXPECT_NE(refusal("--replay newer.json").find("has form 99"), std::string::npos);
  json fewer = json::parse(whole);
  fewer["otherData"]["ranks"] = 5;
  write("fewer.json", fewer.dump());
  EXPECT_NE(refusal("--replay fewer.json").find("has 4 of 5 ranks"), std::string::npos);
  json threads = json::parse(whole);
  for (json& each : threads["traceEvents"]) {
    if (each["ph"] != "X" || each["name"] != "gex_RMA_PutBlocking") continue;
    each["tid"] = 1;
    break;
  }
  write("threads.json", threads.dump());
  EXPECT_NE(refusal("--replay threads.json").find("calls of several threads of rank 0"), std::string::npos);
  json strange = json::parse(whole);
  for (json& each : strange["traceEvents"]) {
    if (each["ph"] == "X" && each["name"] == "gex_RMA_PutBlocking") each["name"] = "gex_New_Call";
  }
  write("strange.json", strange.dump());
  EXPECT_NE(refusal("--replay strange.json").find("has 16 calls of gex_New_Call, which cannot be replayed"),
            std::string::npos);
  json outside = json::parse(whole);
  for (json& each : outside["traceEvents"]) {
    if (each["ph"] == "X" && each["name"] == "gex_RMA_PutBlocking") each["args"]["peer"] = 4;
  }
  write("outside.json", outside.dump());
  EXPECT_NE(refusal("--replay outside.json").find("has no peer in the job"), std::string::npos);
}

TEST_F(ReplayTest, RefusesJobsThatDidNotEndWell) {
  const Outcome failed = run("run -n 2 --trace failed.json " LIVE_JOBS " failing");
  EXPECT_EQ(failed.exit_code, 3) << failed.all();
  EXPECT_NE(refusal("--replay failed.json").find("is of a job that failed with code 3"), std::string::npos);
  const Outcome stuck =
      run("sim --network torus --nodes 4 --faults crash=1:2us --trace stuck.json " JOBS " stencil");
  EXPECT_EQ(stuck.exit_code, 1) << stuck.all();
  EXPECT_NE(refusal("--replay stuck.json").find("only whole jobs can be replayed"), std::string::npos);
  record("--network torus --nodes 4", JOBS " stencil", "full.json");
  const Outcome full =
      run("sim --network torus --nodes 4 --trace lost.json " JOBS " stencil", {"AQUEDUCT_TRACE_EVENTS=20"});
  ASSERT_EQ(full.exit_code, 0) << full.all();
  EXPECT_NE(refusal("--replay lost.json")
                .find("lacks the earlier events of 4 ranks: record the job again with a "
                      "larger AQUEDUCT_TRACE_EVENTS"),
            std::string::npos);
}

TEST_F(ReplayTest, FaultsAndPlacementsApply) {
  record("--network torus --nodes 8", "ring");
  const double usual = replay("--network torus").replayed;
  EXPECT_GT(replay("--network torus --faults 'slow=3:900 delay=500000 delay-by=20us'").replayed, usual);
  EXPECT_GT(replay("--network torus --nodes 4 --ranks-per-node 2 --placement random --seed 3").replayed, 0);
}

}  // namespace
}  // namespace aqueduct::test
