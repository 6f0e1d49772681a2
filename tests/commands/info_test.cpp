// `aqueduct info --json`: the documented form.
#include <map>
#include <nlohmann/json.hpp>

#include "command.hpp"

namespace aqueduct::test {
namespace {

using nlohmann::json;

json info(const std::string& options, std::vector<std::string> environment = {}) {
  const Outcome outcome = command("info --json " + options, std::move(environment));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  return json::parse(outcome.out);
}

TEST(InfoAsJson, HasTheDocumentedMembers) {
  const json report = info("-n 3");
  EXPECT_TRUE(report.at("version").is_string());
  for (const char* text : {"host", "system", "architecture"})
    EXPECT_TRUE(report.at("machine").at(text).is_string()) << text;
  for (const char* number : {"cores", "hardware_threads", "memory_bytes", "free_memory_bytes"})
    EXPECT_TRUE(report.at("machine").at(number).is_number_unsigned()) << number;
  EXPECT_GE(report["machine"]["cores"], 1);
  EXPECT_EQ(report.at("limits").at("ranks"), 1048576);
  EXPECT_EQ(report.at("limits").at("arguments"), 16);
  EXPECT_TRUE(report.at("limits").at("segment_bytes").is_number_unsigned());
  EXPECT_EQ(report.at("job").at("ranks"), 3);
  EXPECT_TRUE(report.at("job").at("launcher").is_string());
  for (const char* number : {"bound_to", "bound_to_with_threads"})
    EXPECT_TRUE(report.at("job").at(number).is_number_unsigned()) << number;
  EXPECT_EQ(report.at("job").at("conduit"), "smp");
  EXPECT_TRUE(report.at("job").at("failure").is_null());
  ASSERT_FALSE(report.at("conduits").empty());
  int chosen = 0;
  for (const json& conduit : report["conduits"]) {
    for (const char* text : {"name", "summary", "reason"}) EXPECT_TRUE(conduit.at(text).is_string()) << text;
    for (const char* number : {"max_ranks", "max_medium_bytes", "max_long_bytes"})
      EXPECT_TRUE(conduit.at(number).is_number_unsigned()) << number;
    for (const char* flag : {"possible", "chosen"}) EXPECT_TRUE(conduit.at(flag).is_boolean()) << flag;
    EXPECT_EQ(conduit["chosen"], conduit["name"] == report["job"]["conduit"]);
    EXPECT_EQ(conduit["possible"], conduit["name"] != "loopback");
    chosen += conduit["chosen"] ? 1 : 0;
  }
  EXPECT_EQ(chosen, 1);
}

TEST(InfoAsJson, SaysWhatPeersTakeWhichIsTheSameForManyRanks) {
  const auto details = [](const std::string& options) {
    std::map<std::string, std::string> found;
    const json report = info(options);
    for (const json& conduit : report.at("conduits")) {
      if (conduit.at("details").is_string()) found[conduit.at("name")] = conduit.at("details");
    }
    return found;
  };
  auto few = details("-n 4");
  EXPECT_EQ(few, details("-n 4096"));
  for (const char* name : {"aries", "extoll"})
    EXPECT_NE(few[name].find("a peer that a rank talks with"), few[name].npos) << name;
}

TEST(InfoAsJson, SaysWhichLauncherItSees) {
  EXPECT_EQ(info("")["job"]["launcher"], "none: no launcher has left a rank in the environment");
  EXPECT_EQ(info("", {"PMI_FD=3", "PMI_RANK=1", "PMI_SIZE=2"})["job"]["launcher"],
            "pmi1: PMI_FD and PMI_RANK are set");
}

TEST(InfoAsJson, SaysWhyAJobWouldNotStart) {
  const json report = info("", {"AQUEDUCT_CONDUIT=loopback"});
  EXPECT_TRUE(report["job"]["conduit"].is_null());
  EXPECT_TRUE(report["job"]["failure"].is_string());
  EXPECT_EQ(info("", {"AQUEDUCT_CONDUIT=wire"})["job"]["conduit"], "wire");
}

TEST(InfoAsJson, LimitsFollowTheEnvironment) {
  EXPECT_EQ(info("", {"GASNET_MAX_SEGSIZE=64MB"})["limits"]["segment_bytes"], 64 << 20);
}

}  // namespace
}  // namespace aqueduct::test
