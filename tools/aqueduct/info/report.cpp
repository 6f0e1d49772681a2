#include "info/report.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <cstdlib>

#include "conduit/registry/registry.hpp"
#include "job/launchers/detection.hpp"
#include "job/place/binding.hpp"
#include "job/place/membership.hpp"
#include "job/place/variables.hpp"
#include "world/segment_limit.hpp"

namespace aqueduct::info {
namespace {

std::uint64_t memory_bytes(int which) {
  return static_cast<std::uint64_t>(sysconf(which)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

MachineFacts this_machine(const std::vector<job::Core>& cores) {
  utsname system = {};
  uname(&system);
  return {.host = system.nodename,
          .system = std::string(system.sysname) + " " + system.release,
          .architecture = system.machine,
          .cores = cores.size(),
          .hardware_threads = job::count_cpus(cores),
          .memory_bytes = memory_bytes(_SC_PHYS_PAGES),
          .free_memory_bytes = memory_bytes(_SC_AVPHYS_PAGES)};
}

Binding binding_of(RankId ranks, const std::vector<job::Core>& cores) {
  const job::BindingPlan plan = job::plan_binding("auto", ranks, cores);
  return {.cpus = plan.of_rank[0].size(), .threaded_cpus = plan.of_threaded_rank[0].size()};
}

ConduitFacts describe(const conduit::Description& description, const conduit::Description* chosen,
                      bool is_named, const job::Membership& membership) {
  const conduit::ForeignCall call(description);
  const am::Limits limits = description.limits();
  ConduitFacts found{.name = description.name,
                     .summary = description.summary,
                     .details = description.details ? description.details() : "",
                     .peer_memory = {},
                     .path = {},
                     .max_ranks = description.max_ranks,
                     .max_medium_bytes = limits.max_medium - am::kEncapsulationBytes,
                     .max_long_bytes = limits.max_long,
                     .is_chosen = &description == chosen,
                     .reason = {},
                     .put_back = {}};
  if (description.peer_memory) {
    const conduit::PeerMemory memory = description.peer_memory();
    found.peer_memory = PeerMemory{memory.silent, memory.known, memory.busy};
  }
  std::string why;
  found.is_possible = conduit::choose(description.name, membership, &why) != nullptr;
  if (found.is_chosen) {
    found.reason = is_named ? "AQUEDUCT_CONDUIT asks for it" : "it comes first among those that are possible";
  } else if (!found.is_possible) {
    const std::size_t cause = why.find(": ");
    found.reason = cause == std::string::npos ? why : why.substr(cause + 2);
  } else if (chosen == nullptr) {
    found.reason = "another one was asked for";
  } else {
    found.reason = std::string("possible, but ") + chosen->name + " comes first";
  }
  return found;
}

std::string launcher_here() {
  if (std::getenv(job::place::kControlFd) != nullptr) return "aqueduct run has started this process";
  const job::launchers::Detected found = job::launchers::detect();
  return std::string(job::launchers::name_of(found.launcher)) + ": " + found.because;
}

}  // namespace

InfoReport make_report(const std::string& version, const job::Layout& machines) {
  const RankId ranks = machines.size();
  const RankId ranks_here = machines.local_size(0);
  const std::vector<job::Core> cores = job::usable_cores();
  InfoReport report{.version = version,
                    .ranks = ranks,
                    .machine = this_machine(cores),
                    .binding = binding_of(ranks_here, cores),
                    .limits = {.ranks = job::kMaxRanks,
                               .segment_bytes = world::max_segment_bytes(ranks_here),
                               .arguments = am::kMaxArgs},
                    .conduits = {},
                    .plugins = {},
                    .plugin_directories = conduit::plugin::directories(),
                    .devices = device::survey(),
                    .launcher = launcher_here(),
                    .failure = {},
                    .system = {}};
  job::Membership membership;
  membership.size = ranks;
  membership.machine_ranks = ranks_here;
  membership.hosts = machines;
  membership.hosts_are_machines = machines.hosts() > 1;
  membership.cores = job::count_cpus(cores);
  const char* const wanted = std::getenv("AQUEDUCT_CONDUIT");
  const bool is_named = wanted != nullptr && *wanted != '\0';
  std::string why;
  const conduit::Description* const chosen = conduit::choose(wanted, membership, &why);
  if (chosen == nullptr) report.failure = why;
  for (const conduit::Description* description : conduit::built_in()) {
    report.conduits.push_back(describe(*description, chosen, is_named, membership));
  }
  for (const conduit::PluginFile& plugin : conduit::plugins()) {
    report.plugins.push_back({.name = plugin.name, .path = plugin.path, .reason = plugin.reason});
    if (plugin.description == nullptr) continue;
    report.conduits.push_back(describe(*plugin.description, chosen, is_named, membership));
    report.conduits.back().path = plugin.path;
    report.conduits.back().put_back = conduit::put_back(plugin.name);
  }
  return report;
}

}  // namespace aqueduct::info
