#include "json_text.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <variant>

namespace aqueduct::bench {
namespace {

using json = nlohmann::ordered_json;  // members stay in the order in which they are written

/// Calls `visit` with the name and the value of each member.
template <class AnyParameters, class Visit>
void each_parameter(AnyParameters& of, Visit visit) {
  visit("bench", of.bench);
  visit("conduit", of.conduit);
  visit("kind", of.kind);
  visit("mode", of.mode);
  visit("against", of.against);
  visit("local_memory", of.local_memory);
  visit("remote_memory", of.remote_memory);
  visit("device_class", of.device_class);
  visit("window", of.window);
  visit("bind", of.bind);
  visit("look_ahead", of.look_ahead);
  visit("ranks", of.ranks);
  visit("threads", of.threads);
  visit("peers", of.peers);
  visit("repetitions", of.repetitions);
  visit("sizes", of.sizes);
  visit("crowded", of.crowded);
  visit("inject_error", of.inject_error);
  visit("simulate", of.simulate);
  visit("change", of.change);
  visit("bridge", of.bridge);
  visit("faults", of.faults);
  visit("seed", of.seed);
  visit("result_fd", of.result_fd);
}

json machine_to_json(const Machine& machine) {
  return {{"cpu", machine.cpu},
          {"cores", machine.cores},
          {"kernel", machine.kernel},
          {"compiler", machine.compiler},
          {"version", machine.version},
          {"bind", machine.bind},
          {"date", machine.date},
          {"load", machine.load},
          {"oversubscribed", machine.oversubscribed}};
}

/// The members of a JSON row that are not among its `more`.
constexpr std::array<std::string_view, 10> kRowMembers{"size",  "median",    "min",       "max",  "limit",
                                                       "ratio", "limit_min", "limit_max", "best", "what"};

json number(std::optional<double> value) { return value ? json(*value) : json(nullptr); }

json row_to_json(const Row& row, Better better) {
  json out = json::object();
  out["size"] = row.size;
  out["median"] = row.value.median;
  out["min"] = row.value.min;
  out["max"] = row.value.max;
  out["limit"] = row.limit ? json(row.limit->median) : json(nullptr);
  out["ratio"] = number(ratio(row, better));
  if (row.limit) {
    out["limit_min"] = row.limit->min;
    out["limit_max"] = row.limit->max;
    out["best"] = number(best_ratio(row, better));
  }
  if (!row.what.empty()) out["what"] = row.what;
  for (const auto& [name, value] : row.more) {
    std::visit([&, &name = name](const auto& plain) { out[name] = plain; }, value);
  }
  return out;
}

Extra extra_from_json(const json& in) {
  if (in.is_string()) return in.get<std::string>();
  if (in.is_number_unsigned()) return in.get<std::uint64_t>();
  return in.get<double>();
}

Row row_from_json(const json& in) {
  Row row;
  row.size = in.at("size");
  row.value = {.median = in.at("median"), .min = in.at("min"), .max = in.at("max")};
  if (!in.at("limit").is_null()) {
    row.limit = Spread{.median = in.at("limit"), .min = in.at("limit_min"), .max = in.at("limit_max")};
  }
  row.what = in.value("what", "");
  for (const auto& [key, value] : in.items()) {
    if (std::ranges::find(kRowMembers, key) == kRowMembers.end()) row.more[key] = extra_from_json(value);
  }
  return row;
}

json result_to_json(const Result& result) {
  json rows = json::array();
  for (const Row& row : result.rows) rows.push_back(row_to_json(row, result.better));
  return {{"title", result.title},
          {"unit", result.unit},
          {"limit_name", result.limit_name},
          {"better", result.better == Better::kLower ? "lower" : "higher"},
          {"rows", rows},
          {"notes", result.notes},
          {"failure", result.failure}};
}

Result result_from_json(const json& in) {
  Result result{.title = in.at("title"),
                .unit = in.at("unit"),
                .limit_name = in.at("limit_name"),
                .better = in.at("better") == "lower" ? Better::kLower : Better::kHigher,
                .notes = in.at("notes"),
                .failure = in.at("failure")};
  for (const json& row : in.at("rows")) result.rows.push_back(row_from_json(row));
  return result;
}

}  // namespace

std::string to_text(const Parameters& parameters) {
  json out = json::object();
  each_parameter(parameters, [&](const char* name, const auto& value) { out[name] = value; });
  return out.dump();
}

Parameters parameters_from_text(const std::string& text) {
  const json in = json::parse(text);
  Parameters parameters;
  each_parameter(parameters, [&](const char* name, auto& value) { in.at(name).get_to(value); });
  return parameters;
}

std::string to_text(const Answer& answer) {
  if (answer.result) return result_to_json(*answer.result).dump();
  return json{{"unsuitable", answer.unsuitable}}.dump();
}

std::optional<Answer> answer_from_text(const std::string& text) {
  const json found = json::parse(text, nullptr, false);
  if (found.is_discarded()) return {};
  if (found.contains("unsuitable")) return Answer{.unsuitable = found.at("unsuitable")};
  return Answer{.result = result_from_json(found)};
}

std::string stored_text(const Parameters& parameters, const std::string& conduit, const Machine& machine,
                        const Result& result, const std::string& command) {
  json out{{"bench", parameters.bench}, {"conduit", conduit}, {"ranks", parameters.ranks}};
  const json found = result_to_json(result);
  for (const char* name : {"unit", "rows"}) out[name] = found.at(name);
  out["machine"] = machine_to_json(machine);
  for (const auto& [name, value] : found.items()) out[name] = value;
  out["command"] = command;
  return out.dump(2) + "\n";
}

}  // namespace aqueduct::bench
