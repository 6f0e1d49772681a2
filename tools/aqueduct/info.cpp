// aqueduct info: what this build can do on this machine, and what it would choose.
#include <fmt/core.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "commands.hpp"
#include "conduit/registry.hpp"
#include "job/binding.hpp"
#include "job/membership.hpp"

namespace {

using namespace aqueduct;

double in_gib(long pages) {
  return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1024.0 * 1024.0 * 1024.0);
}

void print_machine() {
  utsname system = {};
  uname(&system);
  const std::vector<job::Core> cores = job::usable_cores();
  fmt::print("aqueduct {}\n\n", AQUEDUCT_VERSION);
  fmt::print("Machine\n");
  fmt::print("  host          {} ({} {}, {})\n", system.nodename, system.sysname, system.release,
             system.machine);
  fmt::print("  cores         {} usable, with {} hardware threads\n", cores.size(), job::count_cpus(cores));
  fmt::print("  memory        {:.1f} GiB, {:.1f} GiB of it free\n", in_gib(sysconf(_SC_PHYS_PAGES)),
             in_gib(sysconf(_SC_AVPHYS_PAGES)));
}

void print_limits() {
  fmt::print("\nLimits\n");
  fmt::print("  ranks         {} in a job\n", job::kMaxRanks);
  fmt::print("  arguments     {} of an active message\n", conduit::kMaxArgs);
  fmt::print("  medium        {} bytes on every conduit\n", conduit::kLeastMaxMedium);
}

/// Why this conduit is not the one that a job of `membership` gets.
std::string why_not(const conduit::Description& description, const conduit::Description* chosen,
                    const job::Membership& membership) {
  std::string reason;
  if (conduit::choose(description.name, membership, &reason) == nullptr) {
    const std::size_t cause = reason.find(": ");
    return cause == std::string::npos ? reason : reason.substr(cause + 2);
  }
  return fmt::format("possible, but {} is preferred", chosen->name);
}

void print_conduits(RankId ranks) {
  job::Membership membership;
  membership.size = ranks;
  membership.cores = job::count_cpus(job::usable_cores());
  const char* wanted = std::getenv("AQUEDUCT_CONDUIT");
  std::string why;
  const conduit::Description* chosen = conduit::choose(wanted, membership, &why);

  fmt::print("\nConduits, for a job of {} rank{}\n", ranks, ranks == 1 ? "" : "s");
  for (const conduit::Description* description : conduit::all()) {
    const bool is_chosen = description == chosen;
    fmt::print("{} {:<12}  {}\n", is_chosen ? '*' : ' ', description->name, description->summary);
    fmt::print("                up to {} ranks\n", description->max_ranks);
    if (is_chosen) {
      const bool is_named = wanted != nullptr && *wanted != '\0';
      fmt::print("                chosen: {}\n",
                 is_named ? "AQUEDUCT_CONDUIT names it" : "the most preferred that is possible");
    } else {
      fmt::print("                not chosen: {}\n", why_not(*description, chosen, membership));
    }
  }
  if (chosen == nullptr) fmt::print("  none would be chosen: {}\n", why);
}

}  // namespace

void add_info_command(CLI::App& app, int& exit_code) {
  CLI::App* info = app.add_subcommand("info", "Show conduits, limits, and what would be chosen here");
  auto ranks = std::make_shared<RankId>(2);
  info->add_option("-n,--ranks", *ranks, "Size of the job to choose a conduit for")
      ->check(CLI::Range(RankId{1}, job::kMaxRanks))
      ->type_name("N")
      ->capture_default_str();
  info->callback([ranks, &exit_code] {
    print_machine();
    print_limits();
    print_conduits(*ranks);
    exit_code = 0;
  });
}
