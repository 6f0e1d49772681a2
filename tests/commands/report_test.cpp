// `aqueduct report`: what it measures, what it refuses, and the page, also as a browser sees it.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "command.hpp"
#include "report/ucx.hpp"
#include "tools/common/child.hpp"

namespace aqueduct::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The command as a run of the smallest benchmark over one conduit.
constexpr const char* kSmall = "report --quick --conduits smp --only barrier --no-peers";
constexpr std::size_t kLargestPage = std::size_t{1} << 20;

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class ReportPage : public testing::Test {
 protected:
  ReportPage() : folder_(fs::temp_directory_path() / ("aqueduct-report-" + std::to_string(::getpid()))) {
    fs::create_directory(folder_);
  }
  ~ReportPage() override { fs::remove_all(folder_); }

  std::string in(const char* name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

TEST_F(ReportPage, IsMadeOfOneConduitAndAgainOfItsData) {
  const Outcome outcome = command(std::string(kSmall) + " --out " + in("a.html") + " --json " + in("a.json"));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.all();
  EXPECT_EQ(outcome.err, "");
  const json data = json::parse(text_of(in("a.json")));
  ASSERT_EQ(data["plots"].size(), 2U);
  const json& series = data["plots"][0]["series"];
  EXPECT_EQ(data["plots"][0]["id"], "barrier");
  EXPECT_EQ(series[0]["name"], "smp");
  EXPECT_GT(series[0]["samples"][0][1], 0);
  EXPECT_TRUE(data["failures"].empty());

  const std::string page = text_of(in("a.html"));
  EXPECT_LT(page.size(), kLargestPage);
  for (const char* const outside : {"src=", "url(", "@import", "<link"}) {
    EXPECT_EQ(page.find(outside), std::string::npos) << outside << " asks for something else";
  }
  ASSERT_EQ(command("report --from " + in("a.json") + " --out " + in("b.html")).exit_code, 0);
  EXPECT_EQ(text_of(in("b.html")), page);
}

TEST_F(ReportPage, NamesARunThatDoesNotEndAndGoesOn) {
  const Outcome outcome =
      command(std::string(kSmall) + " --timeout 0.001 --out " + in("a.html") + " --json " + in("a.json"));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(lines_with(outcome.err, "barrier over smp: it did not end within 0.001 s").size(), 1U)
      << outcome.err;
  const json data = json::parse(text_of(in("a.json")));
  ASSERT_EQ(data["failures"].size(), 1U);
  EXPECT_EQ(data["failures"][0]["what"], "barrier over smp");
  EXPECT_NE(text_of(in("a.html")).find("its further runs are left out"), std::string::npos);
}

TEST_F(ReportPage, RefusesWhatCannotBeDoneBeforeTheWork) {
  std::ofstream(in("text")) << "no report";
  std::ofstream(in("other.json")) << R"({"rows": []})";
  std::ofstream(in("half.json")) << R"({"report": 1, "version": "0", "date": 7})";
  const std::pair<std::string, std::string> cases[] = {
      {"report", "say --out FILE for the page, --json FILE for the data, or both"},
      {"report --out /nowhere/a.html", "--out: cannot write /nowhere/a.html"},
      {"report --json /nowhere/a.json", "--json: cannot write /nowhere/a.json"},
      {"report --only speed --out " + in("a.html"),
       "--only: nothing is known of 'speed'; there are latency,"},
      {"report --conduits smp,pigeon --out " + in("a.html"),
       "--conduits: nothing is known of 'pigeon'; there are smp,"},
      {"report --conduits loopback --out " + in("a.html"), "--conduits: loopback is not possible here: "},
      {"report --timeout soon --out " + in("a.html"), "--timeout"},
      {"report --from /nowhere/a.json --out " + in("a.html"), "--from: cannot read /nowhere/a.json"},
      {"report --from " + in("text") + " --out " + in("a.html"), "it is not JSON"},
      {"report --from " + in("other.json") + " --out " + in("a.html"), "it is no report"},
      {"report --from " + in("half.json") + " --out " + in("a.html"), "report.date is no text"},
  };
  for (const auto& [typed, complaint] : cases) {
    const Outcome outcome = command(typed);
    EXPECT_EQ(outcome.exit_code, 2) << typed;
    EXPECT_EQ(lines_with(outcome.err, complaint).size(), 1U) << typed << "\n" << outcome.err;
    EXPECT_FALSE(fs::exists(in("a.html"))) << typed;
  }
}

/// A report with everything that the page can draw, and names that would harm it if it took them for HTML.
json everything() {
  const json axis_bytes{{"label", "bytes"}, {"log", true}, {"bytes", true}, {"low", 0}, {"high", 0}};
  const json axis_ns{{"label", "ns"}, {"log", true}, {"bytes", false}, {"low", 0}, {"high", 0}};
  const json axis_plain{{"label", "MB/s"}, {"log", false}, {"bytes", false}, {"low", 0}, {"high", 0}};
  const auto series = [](const char* name, const char* role, const char* below, json samples) {
    return json{{"name", name}, {"role", role},   {"below", below},
                {"what", "w"},  {"command", "c"}, {"samples", std::move(samples)}};
  };
  const auto plot = [](const char* id, const char* form, const json& x, const json& y, json list) {
    return json{{"id", id},
                {"section", "Latency"},
                {"title", "t"},
                {"text", "</script><script>throw 1</script>"},
                {"form", form},
                {"x", x},
                {"y", y},
                {"higher_is_better", false},
                {"series", std::move(list)},
                {"stated", json::array()},
                {"bands", json::array()},
                {"guides", json::array()}};
  };
  json lines = plot(
      "lines", "lines", axis_bytes, axis_ns,
      {series("<b>smp", "conduit", "", {{8, 10, 9, 12}, {64, 20, 19, 500}}),
       series("UDP sockets", "bare", "<b>smp", {{8, 5, 5, 5}}),
       series("this machine", "machine", "", {{8, 1, 1, 1}}), series("UCX", "peer", "", {{8, 7, 7, 7}})});
  json dots =
      plot("am-short", "dots", axis_plain, axis_ns, {series("<b>smp", "conduit", "", {{0, 100, 90, 4000}})});
  json figure = plot("figure", "lines", axis_bytes, axis_plain,
                     {series("put", "curve", "", {{1, 10, 10, 10}, {1024, 900, 900, 900}})});
  figure["stated"] = {{{"series", "put"}, {"x", 8}, {"y", 100}, {"text", "stated"}}};
  figure["bands"] = {{{"samples", {{1, 5, 5, 15}, {1024, 800, 800, 1000}}}, {"text", "band"}}};
  figure["guides"] = {{{"vertical", true}, {"at", 64}, {"to", nullptr}, {"text", "half"}},
                      {{"vertical", false}, {"at", 800}, {"to", 900}, {"text", "top"}}};
  return {{"report", 1},
          {"version", "0"},
          {"date", "2026-01-01T00:00:00Z"},
          {"command", "c"},
          {"seconds", 1.5},
          {"quick", true},
          {"machine",
           {{"host", "</title>"},
            {"cpu", "c"},
            {"system", "s"},
            {"cores", 2},
            {"memory_bytes", 1 << 30},
            {"load", 3.0}}},
          {"conduits", {{{"name", "<b>smp"}, {"summary", ""}, {"measured", true}, {"reason", ""}}}},
          {"peers", json::array()},
          {"sections", {{{"title", "Latency"}, {"text", ""}}}},
          {"plots", {lines, dots, figure}},
          {"failures", {{{"what", "a"}, {"why", "b"}, {"command", "c"}}}}};
}

TEST_F(ReportPage, DrawsEveryPlotInABrowserWithoutAnError) {
  if (!is_in_path("chromium")) GTEST_SKIP() << "chromium is not installed";
  std::ofstream(in("all.json")) << everything();
  ASSERT_EQ(command("report --from " + in("all.json") + " --out " + in("all.html")).exit_code, 0);
  const Outcome outcome = run({"chromium", "--headless", "--no-sandbox", "--disable-gpu",
                               "--disable-dev-shm-usage", "--user-data-dir=" + in("profile"),
                               "--enable-logging=stderr", "--dump-dom", "file://" + in("all.html")});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find(R"(data-errors="0" data-plots="3" data-empty="")"), std::string::npos)
      << outcome.out.substr(0, 400);
  EXPECT_EQ(lines_with(outcome.err, "CONSOLE"), std::vector<std::string>{});
  for (const char* const part : {"data-points=\"5\"", "data-points=\"1\"", "data-points=\"2\"",
                                 "class=\"band\"", "1 of the runs came to nothing"}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part;
  }
}

TEST(UcxPerftest, IsReadByLinesThatAreResults) {
  using namespace report::ucx;
  const char* const said =
      "[host:1] UCX WARN something\n"
      "3,iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr\n"
      "8,[thread 0]  42,11071.655,11949.667,11949.667,0.00,0.00,84,84\n"
      "8,2000,0.616,0.671,0.671,11.37,11.37,1490911,1490911\n"
      "8,2000,0.626,0.671,0.671,11.37,11.37,1490911,1490911\n"
      "8,2000,9.616,0.671,0.671,11.37,11.37,1490911,1490911\n"
      "512,2000,0.821,12.124,12.124,40.27,40.00,82483,82000\n";
  const std::vector<report::Sample> latency = samples_in(said, *test_for("put-latency"));
  ASSERT_EQ(latency.size(), 2U);
  EXPECT_EQ(latency[0].x, 8);
  EXPECT_DOUBLE_EQ(latency[0].y.median, 626);
  EXPECT_DOUBLE_EQ(latency[0].y.max, 9616);
  EXPECT_DOUBLE_EQ(samples_in(said, *test_for("put-bandwidth"))[1].y.median, 40.0 * 1.048576e-3);
  EXPECT_DOUBLE_EQ(samples_in(said, *test_for("rate-medium"))[1].y.median, 0.082);
  EXPECT_EQ(test_for("barrier"), nullptr);
}

TEST(Child, IsEndedWhenItTakesTooLong) {
  const Ended ended = run_to_end({.words = {"sleep", "1000"}, .timeout_s = 0.05});
  EXPECT_TRUE(ended.timed_out);
}

TEST(Child, SaysWhatItSaysAndHowItEnds) {
  const InheritedFile file("given");
  const Ended ended = run_to_end(
      {.words = {"sh", "-c",
                 "cat " + file.path() + "; echo $NAME >&2; printf left > " + file.path() + "; exit 3"},
       .environment = {{"NAME", "value"}}});
  EXPECT_EQ(ended.code, 3);
  EXPECT_EQ(ended.said, "givenvalue\n");
  EXPECT_EQ(file.text(), "left");
  EXPECT_EQ(run_to_end({.words = {"no-such-program-anywhere"}}).code, 127);
}

}  // namespace
}  // namespace aqueduct::test
