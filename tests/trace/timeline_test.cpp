// The timeline: parts are put together rightly, jobs leave one, and what can go wrong is said.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "support/process.hpp"
#include "trace/merge.hpp"
#include "trace/recorder.hpp"
#include "trace/timeline_summary.hpp"

namespace aqueduct::test {
namespace {

namespace fs = std::filesystem;
using namespace trace::timeline;
using nlohmann::json;

struct FakeClock : Clock {
  std::uint64_t now = 0;
  std::uint64_t now_ns() noexcept override { return now; }
};

/// A rank's part, in memory.
struct FakeRank {
  FakeRank(std::uint32_t rank, std::uint32_t ranks, std::uint64_t host, std::uint64_t origin,
           std::uint64_t capacity = 64)
      : memory(part_bytes(capacity)) {
    clock.now = origin;
    recorder = std::make_unique<Recorder>(memory.data(), capacity, rank, ranks, clock, false);
    recorder->header().host = host;
  }
  void add(const char* name, Kind kind, std::uint64_t begin, std::uint64_t duration, std::uint64_t key = 0) {
    Record record;
    record.kind = kind;
    record.begin = begin;
    record.duration = duration;
    record.key = key;
    recorder->add(name, record);
  }
  Part part() const { return read_part(memory.data(), memory.size()); }

  FakeClock clock;
  std::vector<std::byte> memory;
  std::unique_ptr<Recorder> recorder;
};

class TimelineFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "timeline_" + std::to_string(getpid());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string file(const char* name = "t.json") const { return (folder_ / name).string(); }
  json events(const char* name = "t.json") const {
    std::ifstream in(file(name));
    return json::parse(in).at("traceEvents");
  }
  static std::size_t count(const json& events, const std::string& phase) {
    return static_cast<std::size_t>(
        std::count_if(events.begin(), events.end(), [&](const json& each) { return each["ph"] == phase; }));
  }
  Outcome run(const std::string& arguments, std::vector<std::string> environment = {}) const {
    return test::run(
        {"/bin/sh", "-c", std::string("cd ") + folder_.string() + " && exec " AQUEDUCT_TOOL " " + arguments},
        std::move(environment));
  }

  fs::path folder_;
};

TEST_F(TimelineFile, AlignsClocksOfHostsByMessages) {
  // The second host's clock is a million ahead; each way takes 50.
  FakeRank one(0, 2, 11, 1000);
  FakeRank two(1, 2, 22, 1'000'777);
  one.add("send", Kind::kSend, 2000, 10, 1);
  two.add("handler", Kind::kHandler, 1'002'050, 10, 1);
  two.add("send", Kind::kSend, 1'003'000, 10, 2);
  one.add("handler", Kind::kHandler, 3050, 10, 2);
  ASSERT_EQ(write(file(), {two.part(), one.part()}).error, "");
  int looked_at = 0;
  for (const json& each : events()) {
    if (each["ph"] != "X" || each["pid"] != 1) continue;
    ++looked_at;
    EXPECT_DOUBLE_EQ(each["ts"].get<double>(), each["cat"] == "handler" ? 1.05 : 2.0);
  }
  EXPECT_EQ(looked_at, 2);
  EXPECT_EQ(count(events(), "s"), 2U);
  EXPECT_EQ(count(events(), "f"), 2U);
}

TEST_F(TimelineFile, PairsEqualMessagesInTheirOrderAndSaysWhatWasOverwritten) {
  FakeRank one(0, 2, 11, 0, 16);
  FakeRank two(1, 2, 11, 0, 64);
  for (std::uint64_t i = 0; i < 20; ++i)
    one.add("send", Kind::kSend, 100 * i, 10, 5);  // of which 16 are kept
  for (std::uint64_t i = 0; i < 20; ++i) two.add("handler", Kind::kHandler, 100 * i + 50, 10, 5);
  ASSERT_EQ(write(file(), {one.part(), two.part()}).error, "");
  const json all = events();
  std::map<std::uint64_t, std::pair<double, double>> flows;
  for (const json& each : all) {
    if (each["ph"] == "s") flows[each["id"]].first = each["ts"];
    if (each["ph"] == "f") flows[each["id"]].second = each["ts"];
  }
  EXPECT_EQ(flows.size(), 16U);
  for (const auto& [id, times] : flows) EXPECT_NEAR(times.second - times.first, 0.05, 1e-9);
  const auto lost = std::find_if(all.begin(), all.end(), [](const json& each) { return each["ph"] == "i"; });
  ASSERT_NE(lost, all.end());
  EXPECT_EQ((*lost)["name"], "4 earlier events were overwritten");
}

TEST_F(TimelineFile, OperationsInFlightAreSpansAndCounted) {
  FakeRank one(0, 1, 11, 0);
  one.add("put", Kind::kStarted, 100, 0, 7);
  one.add("put", Kind::kStarted, 200, 0, 8);
  one.add("wait", Kind::kCompleted, 300, 0, 7);
  one.add("wait", Kind::kCompleted, 400, 0, 8);
  ASSERT_EQ(write(file(), {one.part()}).error, "");
  EXPECT_EQ(count(events(), "b"), 2U);
  EXPECT_EQ(count(events(), "e"), 2U);
  std::vector<int> in_flight;
  for (const json& each : events()) {
    if (each["ph"] == "C") in_flight.push_back(each["args"]["operations"]);
  }
  EXPECT_EQ(in_flight, (std::vector<int>{1, 2, 1, 0}));
}

TEST_F(TimelineFile, CyclesBecomeNanosecondsByTheAnchorsOfTheHost) {
  FakeRank one(0, 2, 11, 0);
  FakeRank two(1, 2, 11, 0);
  one.recorder->header().first = one.recorder->header().last = {5000, 1000};  // this one was killed early
  two.recorder->header().first = {6000, 1500};
  two.recorder->header().last = {25000, 11000};  // two cycles for each nanosecond
  one.add("put", Kind::kOperation, 9000, 400);
  two.add("put", Kind::kOperation, 8000, 2000);
  ASSERT_EQ(write(file(), {one.part(), two.part()}).error, "");
  int looked_at = 0;
  for (const json& each : events()) {
    if (each["ph"] != "X") continue;
    ++looked_at;
    EXPECT_DOUBLE_EQ(each["ts"].get<double>(), each["pid"] == 0 ? 2.0 : 1.5);
    EXPECT_DOUBLE_EQ(each["dur"].get<double>(), each["pid"] == 0 ? 0.2 : 1.0);
  }
  EXPECT_EQ(looked_at, 2);
}

// In virtual time much happens at one moment: which slice lies in which follows from the order of their ends.
TEST_F(TimelineFile, EventsStandInTheOrderInWhichTheyBeganEachSliceBeforeWhatLiesInIt) {
  FakeRank one(0, 1, 11, 0);
  const auto add = [&](const char* name, Kind kind, std::uint64_t begin, std::uint8_t depth) {
    Record record;
    record.kind = kind;
    record.begin = begin;
    record.depth = depth;
    one.recorder->add(name, record);
  };
  add("put", Kind::kStarted, 100, 1);
  add("put", Kind::kOperation, 100, 0);
  add("reply", Kind::kSend, 100, 2);
  add("handler", Kind::kHandler, 100, 1);
  add("put", Kind::kCompleted, 100, 1);
  add("wait", Kind::kWait, 100, 0);
  add("get", Kind::kOperation, 100, 0);
  ASSERT_EQ(write(file(), {one.part()}, 3).error, "");
  std::string order;
  for (const json& each : events()) {
    if (!each.contains("args") || each["ph"] == "M" || each["ph"] == "C") continue;
    order += each["name"].get<std::string>() + std::to_string(each["args"].value("depth", 0)) + " ";
  }
  EXPECT_EQ(order, "put0 put1 wait0 handler1 reply2 put1 get0 ");
  std::ifstream in(file());
  const json other = json::parse(in).at("otherData");
  EXPECT_EQ(other["aqueductTimeline"], kForm);
  EXPECT_EQ(other["ranks"], 1);
  EXPECT_EQ(other["exit"], 3);
}

TEST_F(TimelineFile, GarbageIsNoPart) {
  std::vector<std::byte> garbage(part_bytes(16), std::byte{0x5a});
  EXPECT_TRUE(read_part(garbage.data(), garbage.size()).names.empty());
  FakeRank one(0, 1, 11, 0);
  EXPECT_FALSE(one.part().names.empty());
  EXPECT_TRUE(read_part(one.memory.data(), sizeof(PartHeader) + 1).names.empty());  // cut off
  std::ofstream(part_name(file(), 0)) << "nonsense";
  EXPECT_NE(merge(file()).error.find("is not what a rank has left"), std::string::npos);
}

TEST_F(TimelineFile, CriticalPathLeadsToTheLateRank) {
  trace_report::Timeline timeline;
  timeline.ranks = 2;
  // Rank 1 computes until 900, arrives last; rank 0 waits from 100 to 950, then works until 1000.
  timeline.slices.push_back({.category = "barrier",
                             .name = "b",
                             .rank = 0,
                             .begin = 100,
                             .duration = 850,
                             .peer = {},
                             .team = 0,
                             .number = 1});
  timeline.slices.push_back(
      {.category = "operation", .name = "o", .rank = 1, .begin = 0, .duration = 10, .peer = {}});
  timeline.slices.push_back({.category = "barrier",
                             .name = "b",
                             .rank = 1,
                             .begin = 900,
                             .duration = 40,
                             .peer = {},
                             .team = 0,
                             .number = 1});
  timeline.slices.push_back(
      {.category = "operation", .name = "o", .rank = 0, .begin = 960, .duration = 40, .peer = {}});
  const std::vector<trace_report::PathPiece> path = trace_report::critical_path(timeline);
  ASSERT_EQ(path.size(), 3U);
  EXPECT_EQ(path[0].rank, 1U);
  EXPECT_EQ(path[0].end - path[0].begin, 900);
  EXPECT_EQ(path[1].kind, trace_report::PathPiece::Kind::kMessage);
  EXPECT_EQ(path[2].rank, 0U);
  EXPECT_NE(trace_report::summarize(timeline).find("rank 1      last      1 times; all others waited 0.8 us"),
            std::string::npos);
}

TEST_F(TimelineFile, NobodyIsLastAtABarrierToWhichOneNeverCame) {
  trace_report::Timeline timeline;
  timeline.ranks = 3;
  for (std::uint32_t rank : {0, 2})
    timeline.slices.push_back({.category = "barrier",
                               .name = "b",
                               .rank = rank,
                               .begin = 100 * rank,
                               .duration = 10,
                               .peer = {},
                               .team = 0,
                               .number = 1});
  const std::string text = trace_report::summarize(timeline);
  EXPECT_NE(text.find("Not all ranks came to 1 barriers"), std::string::npos) << text;
  EXPECT_EQ(text.find("Late arrivers"), std::string::npos) << text;
}

TEST_F(TimelineFile, OfAJobIsMergedAndSummedUp) {
  const Outcome outcome = run("run -n 3 --conduit udp --layout 1+2 --trace t.json " HELLO_PROGRAM);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const json all = events();
  EXPECT_EQ(count(all, "s"), 3U);  // each rank tells the next
  EXPECT_EQ(count(all, "f"), 3U);
  EXPECT_GE(count(all, "X"), 12U);
  EXPECT_FALSE(fs::exists(part_name(file(), 0)));
  const Outcome summary = run("trace summary t.json");
  EXPECT_EQ(summary.exit_code, 0);
  for (const char* word : {"handler told", "operation gex_RMA_PutBlocking", "Late arrivers at 1 barriers",
                           "Critical path", "3 ranks"})
    EXPECT_NE(summary.out.find(word), std::string::npos) << word << " in\n" << summary.out;
}

TEST_F(TimelineFile, OfAProgramThatStartsItself) {
  const Outcome outcome = test::run({HELLO_PROGRAM}, {"AQUEDUCT_RANKS=2", "AQUEDUCT_TRACE=" + file()});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(count(events(), "f"), 2U);
}

TEST_F(TimelineFile, OfASimulationChangesNothingInIt) {
  const std::string arguments = "sim --network mesh --nodes 8 allreduce";
  const auto hash = [](const Outcome& outcome) { return outcome.out.substr(outcome.out.find("trace hash")); };
  const Outcome traced = run("sim --network mesh --nodes 8 --trace s.json allreduce");
  ASSERT_EQ(traced.exit_code, 0) << traced.err;
  EXPECT_EQ(hash(traced), hash(run(arguments)));
  EXPECT_GE(count(events("s.json"), "X"), 8U);
  EXPECT_EQ(run("sim --network mesh --nodes 8 --trace s.json --seeds 1:2 allreduce").exit_code, 2);
}

// Virtual time takes no chances: the request is under way for longer than a microsecond.
TEST_F(TimelineFile, OfASimulationHasTheWaitsOfClients) {
  const Outcome outcome =
      run("sim --network seastar-redstorm --nodes 4 --conduit portals --trace s.json " STANDSTILL_PROGRAM
          " late");
  ASSERT_EQ(outcome.exit_code, 0) << outcome.all();
  std::set<int> ranks;
  for (const json& each : events("s.json")) {
    if (each["ph"] != "X" || each["name"] != "GASNET_BLOCKUNTIL") continue;
    EXPECT_EQ(each["cat"], "wait");
    EXPECT_GT(each["dur"].get<double>(), 40e6);  // until the last rank has computed for 50 s
    EXPECT_FALSE(each["args"].contains("unfinished"));
    ranks.insert(each["pid"].get<int>());
  }
  EXPECT_EQ(ranks, (std::set<int>{0, 1, 2}));
}

TEST_F(TimelineFile, OfASimulationThatStandsStillHasTheOpenWaits) {
  const std::string command =
      "sim --network seastar-redstorm --nodes 4 --conduit portals --trace s.json " STANDSTILL_PROGRAM;
  for (const char* how : {"", " flood"}) {
    const Outcome outcome = run(command + how);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_NE(outcome.err.find("STUCK"), std::string::npos) << outcome.all();
    std::map<int, double> ends;
    for (const json& each : events("s.json")) {
      if (each["ph"] != "X" || !each["args"].contains("unfinished")) continue;
      EXPECT_EQ(each["name"], *how ? "gex_AM_RequestShort" : "GASNET_BLOCKUNTIL");
      EXPECT_GT(each["dur"].get<double>(), 0);
      ends[each["pid"]] = each["ts"].get<double>() + each["dur"].get<double>();
    }
    ASSERT_EQ(ends.size(), 3u);  // rank 3 has left
    EXPECT_NEAR(ends[0], ends[1], 0.01);
    EXPECT_NEAR(ends[0], ends[2], 0.01);
    const std::string summary = run("trace summary s.json").out;
    EXPECT_NE(summary.find("Unfinished: rank 2 was in "), std::string::npos) << summary;
  }
}

TEST_F(TimelineFile, ThatCannotBeWrittenIsSaid) {
  const Outcome nowhere = run("run -n 1 --trace /nosuch/t.json " HELLO_PROGRAM);
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_NE(nowhere.err.find("--trace: cannot write /nosuch/t.json"), std::string::npos) << nowhere.err;
  const Outcome wrong = run("run -n 1 --trace t.json " HELLO_PROGRAM, {"AQUEDUCT_TRACE_EVENTS=few"});
  EXPECT_NE(wrong.exit_code, 0);
  EXPECT_NE(wrong.err.find("AQUEDUCT_TRACE_EVENTS"), std::string::npos) << wrong.err;
  fs::create_symlink("/dev/full", folder_ / "full.json");
  const Outcome full = run("run -n 1 --trace full.json " HELLO_PROGRAM);
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_NE(full.err.find("cannot write 'full.json': No space left on device"), std::string::npos)
      << full.err;
  const Outcome none = run("trace summary full.json.0.part");
  EXPECT_EQ(none.exit_code, 1);
  EXPECT_NE(none.err.find("is no timeline"), std::string::npos) << none.err;
  EXPECT_NE(run("trace merge nothing").err.find("no rank has left a part"), std::string::npos);
}

}  // namespace
}  // namespace aqueduct::test
