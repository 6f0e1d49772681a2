// portals-perf and portals-netpipe: live between two ranks, and in simulation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tool.hpp"

namespace aqueduct::test {
namespace {

/// The row of `pattern` and `size`; a failure if there is none.
nlohmann::json row_of(const nlohmann::json& stored, const std::string& pattern, std::size_t size) {
  for (const nlohmann::json& row : stored.value("rows", nlohmann::json::array())) {
    if (row.value("pattern", "") == pattern && row.value("size", std::size_t{1} << 40) == size) return row;
  }
  ADD_FAILURE() << "no row for " << pattern << " of " << size << " bytes";
  return {{"median", std::nan("")}, {"MB_per_s", std::nan("")}, {"transferred", 0}, {"interrupts", -1}};
}

TEST(PortalsBench, MeasuresBetweenTwoRanks) {
  const Stored run = stored_bench(words("portals-perf --sizes 0,8,4K --repetitions 2"));
  ASSERT_EQ(run.outcome.exit_code, 0) << run.outcome.err;
  EXPECT_EQ(run.json.at("rows").size(), 9u);
  for (const char* pattern : {"put", "get", "bidirectional put"}) {
    EXPECT_GT(row_of(run.json, pattern, 4096).at("MB_per_s"), 0) << pattern;
  }
}

TEST(PortalsBench, EveryPatternOfNetpipeRunsLive) {
  for (const char* kind :
       {"put", "get", "bidirectional-put", "bidirectional-get", "put-stream", "get-stream"}) {
    const Stored run =
        stored_bench(words(std::string("portals-netpipe --sizes 13,6K --repetitions 1 --kind ") + kind));
    EXPECT_EQ(run.outcome.exit_code, 0) << kind << ": " << run.outcome.err;
  }
}

TEST(PortalsBench, InSimulationTheResultIsTheSameEveryTime) {
  const auto command = words("portals-netpipe --kind put --sim seastar-redstorm");
  const Stored first = stored_bench(command);
  const Stored second = stored_bench(command);
  ASSERT_EQ(first.outcome.exit_code, 0) << first.outcome.err;
  EXPECT_EQ(first.json.at("rows"), second.json.at("rows"));
  // NetPIPE's sizes, with their neighbours.
  for (const std::size_t size : {12u, 13u, 16u, 19u, 1021u, 1024u, 1027u}) row_of(first.json, "put", size);
  EXPECT_GT(row_of(first.json, "put", 13).at("median").get<double>(),
            row_of(first.json, "put", 12).at("median").get<double>() + 1.5);
}

TEST(PortalsBench, BidirectionalTestsCountBothDirections) {
  const Stored run =
      stored_bench(words("portals-netpipe --kind bidirectional-put --sizes 1M --sim seastar-redstorm"));
  ASSERT_EQ(run.outcome.exit_code, 0) << run.outcome.err;
  const nlohmann::json row = row_of(run.json, "bidirectional put", 1 << 20);
  EXPECT_EQ(row.at("transferred"), 2 << 20);
  EXPECT_GT(row.at("MB_per_s"), 2100);
}

TEST(PortalsBench, AcceleratedProcessesAreNotInterrupted) {
  const Stored run =
      stored_bench(words("portals-perf --kind put --sizes 0,4K --sim seastar-redstorm --bridge accelerated"));
  ASSERT_EQ(run.outcome.exit_code, 0) << run.outcome.err;
  EXPECT_EQ(row_of(run.json, "put", 0).at("interrupts"), 0);
  EXPECT_LT(row_of(run.json, "put", 0).at("median"), 2);
}

TEST(PortalsBench, RefusesWhatItCannotDoInOneLine) {
  const struct {
    const char* command;
    const char* complaint;
  } kRefusals[] = {
      {"put-latency --sim seastar-redstorm", "put-latency has no --sim"},
      {"portals-perf --sim atlantis", "--sim: there is no network 'atlantis'; there are"},
      {"portals-perf --sim crossbar", "--sim: crossbar does not say what Portals costs there"},
      {"portals-perf --sim seastar-redstorm --bridge troll",
       "--bridge: qk, uk, k or accelerated, not 'troll'"},
      {"portals-perf --sim seastar-redstorm -n 3", "-n: with --sim portals-perf is between two ranks, not 3"},
      {"portals-perf --sim seastar-redstorm --repetitions 9",
       "--repetitions: with --sim every one is like the first"},
      {"portals-perf --sim seastar-redstorm --set costs.trap", "'costs.trap' does not name a number"},
      {"portals-perf --sim seastar-redstorm --faults often", "--faults: "},
      {"portals-perf -n 3", "portals-perf is between two ranks: -n 2"},
  };
  for (const auto& refusal : kRefusals) {
    const Outcome outcome = tool(words(std::string("bench ") + refusal.command));
    EXPECT_EQ(outcome.exit_code, 2) << refusal.command;
    EXPECT_NE(outcome.err.find(refusal.complaint), std::string::npos) << outcome.err;
    EXPECT_EQ(std::ranges::count(outcome.err, '\n'), 1) << outcome.err;
  }
}

}  // namespace
}  // namespace aqueduct::test
