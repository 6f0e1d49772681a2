#include "result.hpp"

namespace aqueduct::bench {
namespace {

using nlohmann::json;

json number(std::optional<double> value) { return value ? json(*value) : json(nullptr); }

json row_to_json(const Row& row, Better better) {
  json out = row.more;
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

Row row_from_json(const json& in) {
  Row row;
  row.size = in.at("size");
  row.value = {.median = in.at("median"), .min = in.at("min"), .max = in.at("max")};
  if (!in.at("limit").is_null()) {
    row.limit = Spread{.median = in.at("limit"), .min = in.at("limit_min"), .max = in.at("limit_max")};
  }
  row.what = in.value("what", "");
  row.more = in;
  for (const char* key :
       {"size", "median", "min", "max", "limit", "ratio", "limit_min", "limit_max", "best", "what"}) {
    row.more.erase(key);
  }
  return row;
}

}  // namespace

std::optional<double> ratio(const Row& row, Better better) {
  if (!row.limit) return {};
  return better == Better::kLower ? row.value.median / row.limit->median
                                  : row.limit->median / row.value.median;
}

std::optional<double> best_ratio(const Row& row, Better better) {
  if (!row.limit) return {};
  return better == Better::kLower ? row.value.min / row.limit->min : row.limit->max / row.value.max;
}

json to_json(const Result& result) {
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

}  // namespace aqueduct::bench
