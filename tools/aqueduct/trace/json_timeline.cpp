#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "trace/timeline_summary.hpp"

namespace aqueduct::trace_report {
namespace {

using nlohmann::json;

std::int64_t nanoseconds(const json& micros) { return std::llround(micros.get<double>() * 1000); }

TimelineSlice slice_of(const json& event) {
  TimelineSlice slice{.category = event.at("cat"),
                      .name = event.at("name"),
                      .rank = event.at("pid"),
                      .thread = event.at("tid"),
                      .begin = nanoseconds(event.at("ts")),
                      .duration = nanoseconds(event.at("dur")),
                      .peer = {}};
  const json& arguments = event.at("args");
  if (arguments.contains("peer")) slice.peer = arguments["peer"].get<std::uint32_t>();
  slice.bytes = arguments.value("bytes", std::uint64_t{0});
  slice.team = arguments.value("team", std::uint64_t{0});
  slice.number = arguments.value("number", std::uint64_t{0});
  slice.is_unfinished = arguments.value("unfinished", false);
  return slice;
}

}  // namespace

std::optional<Timeline> read_timeline(const std::string& file, std::string* why) try {
  std::ifstream in(file);
  if (!in) {
    *why = "cannot read '" + file + "': " + std::strerror(errno);
    return std::nullopt;
  }
  Timeline timeline;
  std::map<std::uint64_t, TimelineFlow> flows;
  const json whole = json::parse(in);
  for (const json& event : whole.at("traceEvents")) {
    const std::string phase = event.at("ph");
    if (phase == "X") timeline.slices.push_back(slice_of(event));
    if (phase == "M") timeline.ranks = std::max(timeline.ranks, event.at("pid").get<std::uint32_t>() + 1);
    if (phase == "i" && event.at("cat") == "lost") ++timeline.lost;
    if (phase != "s" && phase != "f") continue;
    TimelineFlow& flow = flows[event.at("id").get<std::uint64_t>()];
    (phase == "s" ? flow.from : flow.to) = event.at("pid");
    (phase == "s" ? flow.sent : flow.arrived) = nanoseconds(event.at("ts"));
  }
  for (const auto& [id, flow] : flows) timeline.flows.push_back(flow);
  return timeline;
} catch (const json::exception&) {
  *why = "'" + file + "' is no timeline; `aqueduct run --trace` writes one";
  return std::nullopt;
}

}  // namespace aqueduct::trace_report
