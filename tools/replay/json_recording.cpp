#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "tools/replay/recording.hpp"

namespace aqueduct::replay {
namespace {

using nlohmann::json;

/// Leaves room for sums.
constexpr double kMostNs = 1e17;

std::int64_t nanoseconds(const json& micros) {
  const double ns = micros.get<double>() * 1000;
  if (!(std::abs(ns) < kMostNs)) throw std::out_of_range("time");
  return std::llround(ns);
}

template <class Number>
Number number_in(const json& value) {
  if (!value.is_number_integer() || (!value.is_number_unsigned() && value.get<std::int64_t>() < 0))
    throw std::out_of_range("number");
  const auto number = value.get<std::uint64_t>();
  if (number > std::numeric_limits<Number>::max()) throw std::out_of_range("number");
  return static_cast<Number>(number);
}

template <class Number>
void take(const json& arguments, const char* name, Number* into) {
  if (const auto found = arguments.find(name); found != arguments.end()) *into = number_in<Number>(*found);
}

RecordedEvent common_of(const json& event) {
  RecordedEvent one;
  one.name = event.at("name").get<std::string>();
  one.rank = number_in<std::uint32_t>(event.at("pid"));
  if (one.rank >= kMostRanks) throw std::out_of_range("rank");
  if (event.contains("tid")) one.thread = number_in<std::uint32_t>(event.at("tid"));
  if (event.contains("ts")) one.begin = nanoseconds(event.at("ts"));
  if (const auto arguments = event.find("args"); arguments != event.end())
    take(*arguments, "depth", &one.depth);
  return one;
}

RecordedEvent slice_of(const json& event) {
  RecordedEvent slice = common_of(event);
  slice.category = event.at("cat").get<std::string>();
  slice.duration = nanoseconds(event.at("dur"));
  if (slice.duration < 0) throw std::out_of_range("duration");
  const json& arguments = event.at("args");
  take(arguments, "peer", &slice.peer);
  take(arguments, "bytes", &slice.bytes);
  take(arguments, "team", &slice.team);
  take(arguments, "number", &slice.number);
  take(arguments, "message", &slice.message);
  take(arguments, "handler", &slice.handler);
  take(arguments, "arguments", &slice.arguments);
  take(arguments, "local", &slice.local);
  take(arguments, "collective", &slice.collective);
  take(arguments, "opcode", &slice.opcode);
  take(arguments, "type", &slice.type);
  take(arguments, "looked", &slice.looked);
  slice.is_implicit = arguments.contains("implicit");
  take(arguments, "implicit", &slice.implicit);
  take(arguments, "went on after", &slice.went_on_after);
  slice.is_true_at_once = arguments.contains("true at once");
  slice.is_refused = arguments.contains("refused");
  slice.is_unfinished = arguments.value("unfinished", false);
  return slice;
}

RecordedEvent instant_of(const json& event, RecordedEvent::Phase phase) {
  RecordedEvent instant = common_of(event);
  instant.phase = phase;
  instant.span = event.at("id").get<std::string>();
  return instant;
}

RecordedEvent team_of(const json& event) {
  RecordedEvent team = common_of(event);
  team.phase = RecordedEvent::Phase::kTeam;
  take(event.at("args"), "team", &team.team);
  take(event.at("args"), "rank", &team.peer);
  take(event.at("args"), "size", &team.bytes);
  return team;
}

void add(Recording& recording, const json& event) {
  using Phase = RecordedEvent::Phase;
  const auto phase = event.at("ph").get<std::string>();
  if (phase == "M") {
    const auto rank = number_in<std::uint32_t>(event.at("pid"));
    if (rank >= kMostRanks) throw std::out_of_range("rank");
    if (rank >= recording.is_there.size()) recording.is_there.resize(rank + 1);
    recording.is_there[rank] = true;
  } else if (phase == "X") {
    recording.events.push_back(slice_of(event));
  } else if (phase == "b") {
    recording.events.push_back(instant_of(event, Phase::kStarted));
  } else if (phase == "e") {
    recording.events.push_back(instant_of(event, Phase::kCompleted));
  } else if (phase == "n") {
    recording.events.push_back(instant_of(event, Phase::kReleased));
  } else if (phase == "i") {
    const std::string category = event.value("cat", "lost");
    if (category == "lost") ++recording.lost_ranks;
    if (category == "team") recording.events.push_back(team_of(event));
  }
}

}  // namespace

std::optional<Recording> read_recording(std::string_view text, std::string* why) try {
  Recording recording;
  const json whole = json::parse(text);
  if (const auto other = whole.find("otherData"); other != whole.end()) {
    recording.form = other->value("aqueductTimeline", 0);
    take(*other, "ranks", &recording.ranks);
    if (other->contains("exit")) recording.exit_code = other->at("exit").get<int>();
  }
  for (const json& event : whole.at("traceEvents")) add(recording, event);
  return recording;
} catch (const json::parse_error&) {
  *why = "is damaged or not complete: it is no JSON text; copy it again, or record it again";
  return std::nullopt;
} catch (const std::exception&) {
  *why = "is no timeline; `aqueduct run --trace` writes one";
  return std::nullopt;
}

}  // namespace aqueduct::replay
