// Every benchmark runs and stores a result of the documented form.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tool.hpp"

namespace aqueduct::test {
namespace {

using nlohmann::json;

/// What stands beside every row. A cache line's round trip is only measured where each rank has a core.
enum class Limit { kNone, kCopy, kLine };

struct Measurement {
  const char* name;
  const char* arguments;
  std::size_t rows;
  const char* unit;
  Limit limit;
  const char* environment = "";
};

void PrintTo(const Measurement& measurement, std::ostream* out) { *out << measurement.name; }

class StoredResult : public testing::TestWithParam<Measurement> {};

bool higher_is_better(const std::string& unit) { return unit != "ns"; }

void expect_row_is_sound(const json& row, const std::string& unit) {
  for (const char* key : {"size", "median", "min", "max", "limit", "ratio"})
    ASSERT_TRUE(row.contains(key)) << key;
  EXPECT_TRUE(row["size"].is_number_unsigned());
  EXPECT_GT(row["max"].get<double>(), 0);
  EXPECT_GE(row["min"].get<double>(), 0);
  EXPECT_LE(row["min"], row["median"]);
  EXPECT_LE(row["median"], row["max"]);
  EXPECT_EQ(row["limit"].is_null(), row["ratio"].is_null());
  if (row["limit"].is_null()) return;
  const double median = row["median"];
  const double limit = row["limit"];
  const double times_worse = higher_is_better(unit) ? limit / median : median / limit;
  EXPECT_NEAR(row["ratio"].get<double>(), times_worse, 1e-6 * times_worse);
}

void expect_machine_is_described(const json& machine) {
  for (const char* key : {"cpu", "kernel", "compiler", "version", "bind", "date"}) {
    ASSERT_TRUE(machine.contains(key)) << key;
    EXPECT_FALSE(machine[key].get<std::string>().empty()) << key;
  }
  EXPECT_GE(machine.at("cores").get<int>(), 1);
  EXPECT_TRUE(machine.at("oversubscribed").is_boolean());
}

TEST_P(StoredResult, HasTheDocumentedForm) {
  const Measurement& asked = GetParam();
  const Stored stored = stored_bench(words(asked.arguments), words(asked.environment));
  ASSERT_EQ(stored.outcome.exit_code, 0) << stored.outcome.all();
  EXPECT_EQ(stored.outcome.err, "");
  EXPECT_NE(stored.outcome.out.find(asked.unit), std::string::npos) << "the table names its unit";

  const json& result = stored.json;
  ASSERT_TRUE(result.is_object());
  EXPECT_EQ(result.at("bench"), words(asked.arguments)[0]);
  EXPECT_EQ(result.at("unit"), asked.unit);
  EXPECT_EQ(result.at("rows").size(), asked.rows);
  EXPECT_TRUE(result.at("conduit").is_string());
  EXPECT_GE(result.at("ranks").get<int>(), 1);
  expect_machine_is_described(result.at("machine"));
  const bool crowded = result.at("ranks") > result.at("machine").at("cores");
  const bool has_limit = asked.limit == Limit::kCopy || (asked.limit == Limit::kLine && !crowded);
  for (const json& row : result.at("rows")) {
    expect_row_is_sound(row, asked.unit);
    EXPECT_EQ(row.at("limit").is_number(), has_limit) << row.dump();
  }
}

/// Put and get as messages, also where memory is shared.
constexpr const char* kReference = "AQUEDUCT_REFERENCE=1";

const Measurement kMeasurements[] = {
    {"Limits", "limits --sizes 8,4K --repetitions 3", 6, "ns", Limit::kNone},
    {"PutLatency", "put-latency --sizes 8,1000 --repetitions 3", 2, "ns", Limit::kCopy},
    {"GetLatency", "get-latency --sizes 1,8 --repetitions 3", 2, "ns", Limit::kCopy},
    {"PutBandwidth", "put-bandwidth --sizes 4K --repetitions 3", 1, "GB/s", Limit::kCopy},
    {"GetBandwidth", "get-bandwidth --sizes 4K,1M --repetitions 3", 2, "GB/s", Limit::kCopy},
    {"AmLatency", "am-latency --repetitions 3", 1, "ns", Limit::kLine},
    {"AmLatencyPar", "am-latency --mode par --repetitions 3", 1, "ns", Limit::kLine},
    {"AmLatencyMedium", "am-latency --kind medium --sizes 8,512 --repetitions 3", 2, "ns", Limit::kLine},
    {"AmLatencyEcho", "am-latency --kind echo --sizes 4K,32K --repetitions 3", 2, "ns", Limit::kLine},
    {"AmLatencyLong", "am-latency --kind long --sizes 64K --repetitions 3", 1, "ns", Limit::kLine},
    {"AmLatencyAmongMany", "am-latency -n 64 --repetitions 1", 1, "ns", Limit::kLine},
    {"AmLatencyAgainstVelo", "am-latency --conduit extoll --against raw --repetitions 1", 1, "ns",
     Limit::kCopy},
    {"AmFloodAgainstVelo",
     "am-flood --conduit extoll --against raw --kind medium --sizes 100 --repetitions 1", 1, "ns",
     Limit::kCopy},
    {"AmFlood", "am-flood --repetitions 3", 1, "ns", Limit::kNone},
    {"AmFloodMedium", "am-flood --kind medium --sizes 100 --repetitions 3", 1, "ns", Limit::kCopy},
    {"AmFloodLong", "am-flood --kind long --sizes 100 --repetitions 3", 1, "ns", Limit::kCopy},
    {"PutFlood", "put-flood --sizes 8,100 --repetitions 3", 2, "ns", Limit::kNone},
    {"PutFloodAgainstSockets", "put-flood --conduit udp --against raw --sizes 8,1K --repetitions 1", 2, "ns",
     Limit::kCopy, "AQUEDUCT_LAYOUT=1+1"},
    {"AmPrepare", "am-prepare --sizes 100,4K --repetitions 3", 4, "ns", Limit::kCopy},
    {"AmPrepareLong", "am-prepare --kind long --sizes 100 --repetitions 3", 2, "ns", Limit::kCopy},
    {"WaitModes", "wait-modes --repetitions 3", 3, "ns", Limit::kLine},
    {"AmCrowd", "am-crowd -n 6 --repetitions 1", 1, "million messages/s", Limit::kNone},
    {"AmCrowdRandom", "am-crowd --kind random --repetitions 1", 1, "million messages/s", Limit::kNone},
    {"Injection", "injection --repetitions 2", 9, "ns", Limit::kCopy},
    {"InjectionShort", "injection --kind short --repetitions 2", 9, "ns", Limit::kNone},
    {"InjectionGet", "injection --kind get --sizes 64 --repetitions 2", 9, "ns", Limit::kCopy},
    {"InjectionLong", "injection --kind long --sizes 16K --repetitions 2", 9, "ns", Limit::kCopy},
    {"Barrier", "barrier --repetitions 3", 1, "ns", Limit::kLine},
    {"Reduce", "reduce --sizes 8 --repetitions 3", 1, "ns", Limit::kLine},
    {"ReduceOfFour", "reduce -n 4 --sizes 8,4K --repetitions 3", 2, "ns", Limit::kNone},
    {"Broadcast", "broadcast --sizes 8,64K --repetitions 3", 2, "ns", Limit::kLine},
    {"BarrierOfFour", "barrier -n 4 --repetitions 3", 1, "ns", Limit::kNone},
    {"BarrierOfOne", "barrier -n 1 --repetitions 3", 1, "ns", Limit::kNone},
    {"TeamBarrier", "team-barrier --repetitions 3", 1, "ns", Limit::kLine},
    {"TeamBarrierOfFive", "team-barrier -n 5 --repetitions 2", 3, "ns", Limit::kLine},
    {"TeamBroadcast", "team-broadcast -n 3 --sizes 8,4K,100K --repetitions 2", 6, "ns", Limit::kCopy},
    {"TeamBroadcastOfPrivateMemory", "team-broadcast --kind private --sizes 4K,100K --repetitions 2", 2, "ns",
     Limit::kCopy},
    {"RandomAccess", "random-access --sizes 64K --repetitions 2", 2, "GUP/s", Limit::kCopy},
    {"RandomAccessOfThree", "random-access -n 3 --sizes 8K --repetitions 3", 2, "GUP/s", Limit::kCopy},
    {"RandomAccessByVelo", "random-access --version velo --sizes 8K --repetitions 1", 2, "GUP/s",
     Limit::kCopy},
    {"RandomAccessAggregatedOfFive", "random-access -n 5 --version aggregated --sizes 4K --repetitions 1", 2,
     "GUP/s", Limit::kCopy},
    {"RandomAccessOverUdp", "random-access --conduit udp --version aggregated --sizes 4K --repetitions 1", 2,
     "GUP/s", Limit::kCopy},
    {"RandomAccessByMessagePassingOverWire",
     "random-access --conduit wire --version message-passing --sizes 4K --repetitions 1", 2, "GUP/s",
     Limit::kCopy},
    {"RandomAccessOnLoopback", "random-access -n 1 --conduit loopback --sizes 8K", 2, "GUP/s", Limit::kCopy},
    {"Atomics", "atomics --repetitions 2", 10, "ns", Limit::kCopy},
    {"AtomicsOfBoth", "atomics --kind both --repetitions 1", 10, "ns", Limit::kCopy},
    {"AtomicsByMessages", "atomics --repetitions 1", 10, "ns", Limit::kCopy, kReference},
    {"VisStrided", "vis-strided --sizes 8,100 --repetitions 2", 8, "ns", Limit::kCopy},
    {"VisStridedGetByMessages", "vis-strided --kind get --sizes 8 --repetitions 1", 4, "ns", Limit::kCopy,
     kReference},
    {"PutLatencyAmongFour", "put-latency -n 4 --sizes 8 --repetitions 3", 1, "ns", Limit::kCopy},
    {"PutBandwidthByMessages", "put-bandwidth --sizes 4K --repetitions 2", 1, "GB/s", Limit::kCopy,
     kReference},
    {"GetLatencyByMessages", "get-latency --sizes 8 --repetitions 2", 1, "ns", Limit::kCopy, kReference},
};

INSTANTIATE_TEST_SUITE_P(Of, StoredResult, testing::ValuesIn(kMeasurements),
                         [](const auto& info) { return info.param.name; });

TEST(StoredJson, OfSeveralThreadsComparesThemWithOne) {
  const Stored stored = stored_bench(words("am-latency --threads 2 --repetitions 2"));
  ASSERT_EQ(stored.outcome.exit_code, 0) << stored.outcome.all();
  ASSERT_EQ(stored.json.at("rows").size(), 2u);
  const json& one = stored.json["rows"][0];
  const json& two = stored.json["rows"][1];
  EXPECT_EQ(one.at("threads"), 1);
  EXPECT_EQ(two.at("threads"), 2);
  const double scaling = two.at("median").get<double>() / one.at("median").get<double>();
  EXPECT_NEAR(two.at("scaling").get<double>(), scaling, 1e-6 * scaling);
}

TEST(StoredJson, OfFloodsComparesThreadsAndPeersWithOneOfEach) {
  for (const char* flood : {"am-flood", "am-flood --kind medium --sizes 100",
                            "am-flood --kind long --sizes 100", "put-flood --sizes 100"}) {
    const Stored stored = stored_bench(words(flood + std::string(" --threads 2 --peers 3 --repetitions 2")));
    ASSERT_EQ(stored.outcome.exit_code, 0) << stored.outcome.all();
    EXPECT_EQ(stored.json.at("ranks"), 4) << "one more than peers";
    const json& rows = stored.json.at("rows");
    ASSERT_EQ(rows.size(), 2u) << flood;
    for (const json& row : rows) expect_row_is_sound(row, "ns");
    EXPECT_EQ(rows[0].at("threads"), 1);
    EXPECT_EQ(rows[0].at("peers"), 1);
    EXPECT_EQ(rows[1].at("threads"), 2);
    EXPECT_EQ(rows[1].at("peers"), 3);
  }
}

TEST(StoredJson, OfFloodsOverDatagramsHasTheBareFloodOfTheSameShape) {
  for (const char* flood : {"am-flood --kind medium --sizes 100", "put-flood --sizes 100"}) {
    const Stored stored =
        stored_bench(words(flood + std::string(" --conduit udp --against raw --threads 2 --peers 3 "
                                               "--repetitions 1")),
                     {"AQUEDUCT_LAYOUT=1+3"});
    ASSERT_EQ(stored.outcome.exit_code, 0) << stored.outcome.all();
    for (const json& row : stored.json.at("rows")) EXPECT_TRUE(row.at("limit").is_number()) << row.dump();
  }
}

TEST(StoredJson, OfSealsHasEachLibraryThatThisMachineHas) {
  const Stored stored = stored_bench(words("udp-seal -n 1 --sizes 64 --repetitions 2"));
  ASSERT_EQ(stored.outcome.exit_code, 0) << stored.outcome.all();
  std::map<std::string, int> rows;  // by what comes before the last comma
  for (const json& row : stored.json.at("rows")) {
    expect_row_is_sound(row, "ns");
    const std::string what = row.at("what");
    ++rows[what.substr(0, what.rfind(','))];
  }
  EXPECT_EQ(rows.count("ChaCha20-Poly1305, authenticate"), 1u);
  EXPECT_EQ(rows.count("ChaCha20-Poly1305, encrypt"), 1u);
  for (const auto& [what, count] : rows) EXPECT_EQ(count, 3) << what;
}

TEST(StoredJson, SaysWhenTheMachineIsOversubscribed) {
  const Stored stored = stored_bench(words("barrier -n 64 --repetitions 1"));
  ASSERT_EQ(stored.outcome.exit_code, 0) << stored.outcome.all();
  const int cores = stored.json.at("machine").at("cores");
  EXPECT_EQ(stored.json["machine"].at("oversubscribed"), cores < 64);
  EXPECT_EQ(lines_with(stored.outcome.out, "oversubscribed").size(), cores < 64 ? 1u : 0u);
}

}  // namespace
}  // namespace aqueduct::test
