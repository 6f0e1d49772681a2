#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <iterator>

#include "base/variables.hpp"
#include "info/report.hpp"

namespace aqueduct::info {
namespace {

/// "64 KiB", "2 GiB", "19.9 GiB".
std::string in_units(std::uint64_t whole) {
  static constexpr std::array kUnits = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  auto bytes = static_cast<double>(whole);
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  const bool is_whole = bytes == static_cast<double>(static_cast<long>(bytes));
  return fmt::format("{:.{}f} {}", bytes, is_whole ? 0 : 1, kUnits[unit]);
}

std::string counted(RankId ranks) { return fmt::format("{} rank{}", ranks, ranks == 1 ? "" : "s"); }

std::string described(const Binding& binding, RankId ranks) {
  if (binding.cpus == 0) return fmt::format("none for {}", counted(ranks));
  std::string text =
      fmt::format("rank 0 of {} to {} hardware thread{}", ranks, binding.cpus, binding.cpus == 1 ? "" : "s");
  if (binding.cpus != binding.threaded_cpus)
    text += fmt::format(", or to {} once it has threads", binding.threaded_cpus);
  return text;
}

std::string described(const device::SurveyedDevice& device) {
  if (!device.why_not.empty()) return fmt::format("cannot be used: {}", device.why_not);
  return fmt::format(
      "{}, {}; {}", device.name, in_units(device.memory_bytes),
      device.can_export ? "neighbours map its memory" : "its memory cannot be mapped by neighbours");
}

std::string devices_as_text(const std::vector<device::SurveyedDriver>& drivers) {
  std::string out = "\nMemory of devices\n";
  const auto into = std::back_inserter(out);
  bool is_any = false;
  for (const device::SurveyedDriver& driver : drivers) {
    if (driver.version.empty()) {
      fmt::format_to(into, "  {:<11}  none: {}\n", driver.family, driver.why_not);
      continue;
    }
    fmt::format_to(into, "  {:<11}  driver {}, {} device{}\n", driver.family, driver.version,
                   driver.devices.size(), driver.devices.size() == 1 ? "" : "s");
    for (const device::SurveyedDevice& device : driver.devices)
      fmt::format_to(into, "               device {}: {}\n", device.ordinal, described(device));
    is_any |= !driver.devices.empty();
  }
  if (is_any)
    fmt::format_to(
        into,
        "  Neighbours copy by the driver. Over networks transfers are staged through pinned memory; "
        "over\n"
        "  libfabric they go direct where the provider does that, as is said at ofi above.\n");
  return out;
}

struct Heading {
  env::Section section;
  const char* title;
};

constexpr Heading kHeadings[] = {
    {env::Section::kJobs, "Jobs"},
    {env::Section::kMemory, "Memory and paths"},
    {env::Section::kUdp, "The udp conduit"},
    {env::Section::kMpi, "The mpi conduit"},
    {env::Section::kOfi, "The ofi conduit"},
    {env::Section::kAries, "The aries conduit"},
    {env::Section::kExtoll, "The extoll conduit"},
    {env::Section::kPortals, "The portals conduit"},
    {env::Section::kTrace, "Trace and statistics"},
    {env::Section::kDebugging, "Debugging"},
    {env::Section::kPlace, "Between a supervisor and its ranks"},
};

}  // namespace

std::string as_text(const InfoReport& report) {
  std::string out = fmt::format("aqueduct {}\n\nMachine\n", report.version);
  const auto into = std::back_inserter(out);
  const MachineFacts& machine = report.machine;
  fmt::format_to(into, "  host         {} ({}, {})\n", machine.host, machine.system, machine.architecture);
  fmt::format_to(into, "  cores        {} usable, {} hardware threads\n", machine.cores,
                 machine.hardware_threads);
  fmt::format_to(into, "  memory       {}, of which {} free\n", in_units(machine.memory_bytes),
                 in_units(machine.free_memory_bytes));
  fmt::format_to(into, "  binding      {}\n", described(report.binding, report.ranks));
  fmt::format_to(into, "  launcher     {}\n", report.launcher);
  fmt::format_to(into, "\nLimits\n  ranks        {} in a job\n", report.limits.ranks);
  fmt::format_to(into, "  segment      {} for each of {} (GASNET_MAX_SEGSIZE changes it)\n",
                 in_units(report.limits.segment_bytes), counted(report.ranks));
  fmt::format_to(into, "  arguments    {} of an active message\n", report.limits.arguments);
  fmt::format_to(into, "\nConduits, for a job of {}\n", counted(report.ranks));
  for (const ConduitFacts& conduit : report.conduits) {
    fmt::format_to(into, "{} {:<11}  {}\n", conduit.is_chosen ? '*' : ' ', conduit.name, conduit.summary);
    fmt::format_to(into, "               at most {}; active messages: medium {}, long {}\n",
                   counted(conduit.max_ranks), in_units(conduit.max_medium_bytes),
                   in_units(conduit.max_long_bytes));
    if (!conduit.details.empty()) fmt::format_to(into, "               {}\n", conduit.details);
    if (conduit.peer_memory)
      fmt::format_to(into,
                     "               memory: {} for each other rank, {} once messages were exchanged, at "
                     "most {} while some are under way\n",
                     in_units(conduit.peer_memory->silent), in_units(conduit.peer_memory->known),
                     in_units(conduit.peer_memory->busy));
    if (!conduit.path.empty()) fmt::format_to(into, "               plug-in {}\n", conduit.path);
    if (!conduit.put_back.empty())
      fmt::format_to(into, "               its libraries change {}; these are put back\n",
                     fmt::join(conduit.put_back, "; "));
    fmt::format_to(into, "               {}: {}\n", conduit.is_chosen ? "chosen" : "not chosen",
                   conduit.reason);
  }
  for (const PluginFacts& plugin : report.plugins) {
    if (!plugin.reason.empty())
      fmt::format_to(into, "  {:<11}  cannot be used: {}\n               plug-in {}\n", plugin.name,
                     plugin.reason, plugin.path);
  }
  fmt::format_to(into, "  Plug-ins are looked for, in this order, in\n");
  for (const conduit::plugin::Directory& directory : report.plugin_directories)
    fmt::format_to(into, "    {}  ({})\n", directory.path, directory.because);
  if (!report.failure.empty()) fmt::format_to(into, "  A job would not start: {}\n", report.failure);
  return out + devices_as_text(report.devices);
}

std::string variable_tables() {
  std::string out;
  const auto into = std::back_inserter(out);
  for (const Heading& heading : kHeadings) {
    fmt::format_to(into, "{}## {}\n\n| variable | type | meaning | default |\n|---|---|---|---|\n",
                   out.empty() ? "" : "\n", heading.title);
    for (const env::Variable& variable : env::variables()) {
      if (variable.section != heading.section) continue;
      const std::string alias = variable.alias != nullptr ? fmt::format(", `{}`", variable.alias) : "";
      fmt::format_to(into, "| `{}`{} | {} | {} | {} |\n", variable.name, alias, variable.type, variable.text,
                     variable.fallback);
    }
  }
  return out;
}

}  // namespace aqueduct::info
