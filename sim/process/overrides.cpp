#include "sim/process/overrides.hpp"

#include <unordered_map>
#include <vector>

#include "sim/process/groups.hpp"

namespace aqueduct::sim::process {
namespace {

std::vector<OverrideGroup> groups() {
  return {exit_overrides(),   linking_overrides(),  environment_overrides(), time_overrides(),
          chance_overrides(), output_overrides(),   lock_overrides(),        thread_overrides(),
          signal_overrides(), backtrace_overrides()};
}

}  // namespace

void* find_override(std::string_view name) {
  static const auto& table = *[] {
    auto* const all = new std::unordered_map<std::string_view, void*>;
    for (const OverrideGroup group : groups())
      for (const Override& each : group) all->emplace(each.name, each.function);
    return all;
  }();
  const auto found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}

}  // namespace aqueduct::sim::process
