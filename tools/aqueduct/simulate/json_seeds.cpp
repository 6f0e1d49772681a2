#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "simulate/seed_results.hpp"

namespace aqueduct {

std::string SeedResults::json(const std::string& network, std::uint32_t nodes) const {
  using Json = nlohmann::ordered_json;
  Json figures = Json::array(), failed = Json::array();
  for (const FigureStatistics& figure : statistics.figures()) {
    figures.push_back({{"name", figure.name},
                       {"unit", figure.unit},
                       {"runs", figure.runs},
                       {"mean", figure.mean},
                       {"half_width_95", figure.half_width},
                       {"least", figure.least},
                       {"most", figure.most}});
  }
  for (const FailedSeed& one : failures)
    failed.push_back({{"seed", one.seed}, {"why", one.why}, {"command", one.command}});
  const Json all{{"network", network},  {"nodes", nodes},
                 {"first_seed", first}, {"seeds", count},
                 {"passed", passed},    {"figures", figures},
                 {"failures", failed},  {"trace_hash", fmt::format("{:016x}", trace_hash)}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace aqueduct
