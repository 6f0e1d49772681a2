#include <nlohmann/json.hpp>

#include "info/report.hpp"

namespace aqueduct::info {
namespace {

nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(text);
}

}  // namespace

std::string as_json(const InfoReport& report) {
  using nlohmann::ordered_json;
  const MachineFacts& machine = report.machine;
  ordered_json out{{"version", report.version},
                   {"machine",
                    {{"host", machine.host},
                     {"system", machine.system},
                     {"architecture", machine.architecture},
                     {"cores", machine.cores},
                     {"hardware_threads", machine.hardware_threads},
                     {"memory_bytes", machine.memory_bytes},
                     {"free_memory_bytes", machine.free_memory_bytes}}},
                   {"limits",
                    {{"ranks", report.limits.ranks},
                     {"segment_bytes", report.limits.segment_bytes},
                     {"arguments", report.limits.arguments}}},
                   {"job",
                    {{"ranks", report.ranks},
                     {"launcher", report.launcher},
                     {"bound_to", report.binding.cpus},
                     {"bound_to_with_threads", report.binding.threaded_cpus},
                     {"conduit", nullptr},
                     {"failure", nullptr}}},
                   {"conduits", ordered_json::array()},
                   {"plugins", ordered_json::array()},
                   {"plugin_directories", ordered_json::array()},
                   {"plugin_search", ordered_json::array()},
                   {"devices", ordered_json::array()}};
  if (!report.failure.empty()) out["job"]["failure"] = report.failure;
  for (const ConduitFacts& conduit : report.conduits) {
    ordered_json memory = nullptr;
    if (conduit.peer_memory)
      memory = {{"silent", conduit.peer_memory->silent},
                {"known", conduit.peer_memory->known},
                {"busy", conduit.peer_memory->busy}};
    if (conduit.is_chosen) out["job"]["conduit"] = conduit.name;
    out["conduits"].push_back({{"name", conduit.name},
                               {"summary", conduit.summary},
                               {"details", text_or_null(conduit.details)},
                               {"peer_memory_bytes", std::move(memory)},
                               {"path", text_or_null(conduit.path)},
                               {"max_ranks", conduit.max_ranks},
                               {"max_medium_bytes", conduit.max_medium_bytes},
                               {"max_long_bytes", conduit.max_long_bytes},
                               {"possible", conduit.is_possible},
                               {"chosen", conduit.is_chosen},
                               {"reason", conduit.reason},
                               {"put_back", conduit.put_back}});
  }
  for (const PluginFacts& plugin : report.plugins) {
    out["plugins"].push_back({{"name", plugin.name},
                              {"path", plugin.path},
                              {"loaded", plugin.reason.empty()},
                              {"reason", text_or_null(plugin.reason)}});
  }
  for (const conduit::plugin::Directory& directory : report.plugin_directories) {
    out["plugin_directories"].push_back(directory.path);
    out["plugin_search"].push_back({{"path", directory.path}, {"because", directory.because}});
  }
  for (const device::SurveyedDriver& driver : report.devices) {
    ordered_json devices = ordered_json::array();
    for (const device::SurveyedDevice& device : driver.devices) {
      devices.push_back({{"ordinal", device.ordinal},
                         {"name", device.name},
                         {"memory_bytes", device.memory_bytes},
                         {"neighbours_map", device.can_export},
                         {"reason", text_or_null(device.why_not)}});
    }
    out["devices"].push_back({{"family", driver.family},
                              {"version", text_or_null(driver.version)},
                              {"reason", text_or_null(driver.why_not)},
                              {"devices", devices}});
  }
  if (report.system) out["system"] = ordered_json::parse(doctor::facts_as_json(*report.system));
  return out.dump(2) + "\n";
}

std::optional<doctor::Facts> system_in(const std::string& json) try {
  return doctor::facts_from_json(nlohmann::json::parse(json).at("system").dump());
} catch (const nlohmann::json::exception&) {
  return std::nullopt;
}

}  // namespace aqueduct::info
