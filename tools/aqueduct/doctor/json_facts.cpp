#include <nlohmann/json.hpp>

#include "doctor/facts.hpp"

namespace aqueduct::doctor {
namespace {

/// The members of Facts with their names, for reading and writing alike.
template <class F, class Visit>
void visit_members(F& facts, Visit visit) {
  visit("host", facts.host);
  visit("cores", facts.cores);
  visit("cores_online", facts.cores_online);
  visit("core_quota", facts.core_quota);
  visit("memory_bytes", facts.memory_bytes);
  visit("memory_limit", facts.memory_limit);
  visit("shm_bytes", facts.shm_bytes);
  visit("shm_free_bytes", facts.shm_free_bytes);
  visit("locked_limit", facts.locked_limit);
  visit("descriptor_limit", facts.descriptor_limit);
  visit("process_limit", facts.process_limit);
  visit("address_limit", facts.address_limit);
  visit("core_file_limit", facts.core_file_limit);
  visit("overcommit", facts.overcommit);
  visit("core_pattern", facts.core_pattern);
  visit("ptrace_scope", facts.ptrace_scope);
  visit("has_debugger", facts.has_debugger);
  visit("clock_source", facts.clock_source);
  visit("own_addresses", facts.own_addresses);
  visit("receive_buffer_limit", facts.receive_buffer_limit);
  visit("has_sodium", facts.has_sodium);
  visit("seal_advice", facts.seal_advice);
  visit("has_remote_shell", facts.has_remote_shell);
  visit("mpi_launchers", facts.mpi_launchers);
  visit("has_libfabric", facts.has_libfabric);
  visit("has_device_nodes", facts.has_device_nodes);
  visit("devices", facts.devices);
  visit("device_troubles", facts.device_troubles);
  visit("devices_are_mapped", facts.devices_are_mapped);
}

}  // namespace

std::string facts_as_json(const Facts& facts) {
  nlohmann::ordered_json out;
  visit_members(facts, [&](const char* name, const auto& value) { out[name] = value; });
  out["interfaces"] = nlohmann::ordered_json::array();
  for (const InterfaceFacts& each : facts.interfaces)
    out["interfaces"].push_back(
        {{"name", each.name}, {"address", each.address}, {"mtu", each.mtu}, {"up", each.is_up}});
  return out.dump();
}

std::optional<Facts> facts_from_json(const std::string& text) try {
  const nlohmann::json in = nlohmann::json::parse(text);
  Facts facts;
  visit_members(facts, [&](const char* name, auto& value) { in.at(name).get_to(value); });
  for (const nlohmann::json& each : in.at("interfaces"))
    facts.interfaces.push_back({each.at("name"), each.at("address"), each.at("mtu"), each.at("up")});
  return facts;
} catch (const nlohmann::json::exception&) {
  return std::nullopt;
}

}  // namespace aqueduct::doctor
