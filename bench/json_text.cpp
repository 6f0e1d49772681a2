#include "json_text.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <variant>

namespace aqueduct::bench {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Parameters, bench, conduit, kind, mode, bind, ranks, threads, repetitions,
                                   sizes, crowded, inject_error, simulate, change, bridge, faults, seed,
                                   result_fd)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Machine, cpu, cores, kernel, compiler, version, bind, date, load,
                                   oversubscribed)

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// The members of a JSON row that are not among its `more`.
constexpr std::array<std::string_view, 10> kRowMembers{"size",  "median",    "min",       "max",  "limit",
                                                       "ratio", "limit_min", "limit_max", "best", "what"};

json number(std::optional<double> value) { return value ? json(*value) : json(nullptr); }

json row_to_json(const Row& row, Better better) {
  json out = json::object();
  for (const auto& [name, value] : row.more) {
    std::visit([&](const auto& plain) { out[name] = plain; }, value);
  }
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

/// Moves the members named in `first` to the front, for readers of the file.
ordered_json ordered(const json& in, std::initializer_list<const char*> first) {
  ordered_json out;
  for (const char* key : first) out[key] = in.at(key);
  for (const auto& [key, value] : in.items()) out[key] = value;
  return out;
}

}  // namespace

std::string to_text(const Parameters& parameters) { return json(parameters).dump(); }
Parameters parameters_from_text(const std::string& text) { return json::parse(text).get<Parameters>(); }

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
  json all = result_to_json(result);
  all["bench"] = parameters.bench;
  all["conduit"] = conduit;
  all["ranks"] = parameters.ranks;
  all["machine"] = machine;
  all["command"] = command;
  ordered_json out = ordered(all, {"bench", "conduit", "ranks", "unit", "rows", "machine"});
  for (ordered_json& row : out["rows"]) {
    row = ordered(json(row), {"size", "median", "min", "max", "limit", "ratio"});
  }
  return out.dump(2) + "\n";
}

}  // namespace aqueduct::bench
