// aqueduct info: what this build can do on this machine, and what it would choose.
#include <fmt/core.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "arguments.hpp"
#include "commands.hpp"
#include "conduit/registry.hpp"
#include "core/segment.hpp"
#include "job/binding.hpp"
#include "job/membership.hpp"

namespace {

using namespace aqueduct;

/// "64 KiB", "2 GiB", "19.9 GiB".
std::string in_units(double bytes) {
  static constexpr std::array kUnits = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  const bool is_whole = bytes == static_cast<double>(static_cast<long>(bytes));
  return fmt::format("{:.{}f} {}", bytes, is_whole ? 0 : 1, kUnits[unit]);
}

std::string counted(RankId ranks) { return fmt::format("{} rank{}", ranks, ranks == 1 ? "" : "s"); }

double memory_bytes(int which) {
  return static_cast<double>(sysconf(which)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

void print_machine(const std::vector<job::Core>& cores) {
  utsname system = {};
  uname(&system);
  fmt::print("Machine\n");
  fmt::print("  host         {} ({} {}, {})\n", system.nodename, system.sysname, system.release,
             system.machine);
  fmt::print("  cores        {} usable, {} hardware threads\n", cores.size(), job::count_cpus(cores));
  fmt::print("  memory       {}, of which {} free\n", in_units(memory_bytes(_SC_PHYS_PAGES)),
             in_units(memory_bytes(_SC_AVPHYS_PAGES)));
}

/// What `--bind auto` would do.
void print_binding(RankId ranks, const std::vector<job::Core>& cores) {
  const job::BindingPlan plan = job::plan_binding("auto", ranks, cores);
  const auto threads = [](const job::CpuSet& cpus) {
    return fmt::format("{} hardware thread{}", cpus.size(), cpus.size() == 1 ? "" : "s");
  };
  if (plan.of_rank[0].empty()) {
    fmt::print("  binding      none for {}\n", counted(ranks));
  } else if (plan.of_rank[0] == plan.of_threaded_rank[0]) {
    fmt::print("  binding      rank 0 of {} to {}\n", ranks, threads(plan.of_rank[0]));
  } else {
    fmt::print("  binding      rank 0 of {} to {}, or to {} once it has threads\n", ranks,
               threads(plan.of_rank[0]), plan.of_threaded_rank[0].size());
  }
}

void print_limits(RankId ranks) {
  fmt::print("\nLimits\n");
  fmt::print("  ranks        {} in a job\n", job::kMaxRanks);
  fmt::print("  segment      {} for each of {} (GASNET_MAX_SEGSIZE changes it)\n",
             in_units(static_cast<double>(core::max_segment_bytes(ranks))), counted(ranks));
  fmt::print("  arguments    {} of an active message\n", conduit::kMaxArgs);
}

/// Why this conduit is not the one that the job gets.
std::string why_not(const conduit::Description& description, const conduit::Description* chosen,
                    const job::Membership& membership) {
  std::string reason;
  if (conduit::choose(description.name, membership, &reason) == nullptr) {
    const std::size_t cause = reason.find(": ");
    return cause == std::string::npos ? reason : reason.substr(cause + 2);
  }
  return chosen == nullptr ? "another one was asked for"
                           : fmt::format("possible, but {} comes first", chosen->name);
}

void print_conduits(const job::Membership& membership) {
  const char* wanted = std::getenv("AQUEDUCT_CONDUIT");
  const bool is_named = wanted != nullptr && *wanted != '\0';
  std::string why;
  const conduit::Description* chosen = conduit::choose(wanted, membership, &why);

  fmt::print("\nConduits, for a job of {}\n", counted(membership.size));
  for (const conduit::Description* description : conduit::all()) {
    const conduit::Limits limits = description->limits();
    fmt::print("{} {:<11}  {}\n", description == chosen ? '*' : ' ', description->name, description->summary);
    fmt::print("               at most {}; active messages: medium {}, long {}\n",
               counted(description->max_ranks),
               in_units(static_cast<double>(limits.max_medium - conduit::kCarriageBytes)),
               in_units(static_cast<double>(limits.max_long)));
    if (description == chosen) {
      fmt::print("               chosen: {}\n",
                 is_named ? "AQUEDUCT_CONDUIT asks for it" : "it comes first among those that are possible");
    } else {
      fmt::print("               not chosen: {}\n", why_not(*description, chosen, membership));
    }
  }
  if (chosen == nullptr) fmt::print("  A job would not start: {}\n", why);
}

}  // namespace

void add_info_command(CLI::App& app, int& exit_code) {
  CLI::App* info = app.add_subcommand("info", "Show conduits, limits, and what would be chosen here");
  auto text = std::make_shared<std::string>("2");
  info->add_option("-n,--ranks", *text, "Size of the job to choose a conduit for")
      ->type_name("N")
      ->capture_default_str();
  info->callback([text, &exit_code] {
    const RankId ranks = arguments::rank_count(*text);
    const std::vector<job::Core> cores = job::usable_cores();
    job::Membership membership;
    membership.size = ranks;
    membership.cores = job::count_cpus(cores);
    fmt::print("aqueduct {}\n\n", AQUEDUCT_TOOL_VERSION);
    print_machine(cores);
    print_binding(ranks, cores);
    print_limits(ranks);
    print_conduits(membership);
    exit_code = 0;
  });
}
