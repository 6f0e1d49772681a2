#include "job/supervision/supervisor.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <optional>
#include <vector>

#include "base/variables.hpp"
#include "job/bootstrap/rendezvous.hpp"
#include "job/inspection/job_table.hpp"
#include "job/place/binding.hpp"
#include "job/place/membership.hpp"
#include "job/place/start_settings.hpp"
#include "job/place/variables.hpp"
#include "job/supervision/descriptor_limit.hpp"
#include "job/supervision/guard.hpp"
#include "job/supervision/limit_advice.hpp"
#include "job/supervision/local_ranks.hpp"
#include "job/supervision/preparation.hpp"
#include "job/supervision/reaping.hpp"
#include "job/supervision/same_addresses.hpp"
#include "job/supervision/signals.hpp"
#include "job/supervision/spawn.hpp"
#include "job/supervision/supervision.hpp"
#include "trace/merge.hpp"

namespace aqueduct::job {
namespace {

std::string name_of_this_host() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

/// What all ranks learn about hosts, and the rendezvous of leaders if there are several hosts.
struct Hosts {
  net::JobKey key = net::JobKey::random();
  std::vector<PlaceVariable> variables;
  std::optional<Rendezvous> rendezvous;
};

/// Without variables and with errno if there can be no rendezvous.
Hosts prepare_hosts(const Membership& any_rank) {
  Hosts hosts;
  std::string address;
  if (any_rank.hosts.hosts() > 1) {
    hosts.rendezvous.emplace(hosts.key, any_rank.hosts.hosts());
    net::Address where = net::Address::loopback();
    if (!hosts.rendezvous->open(where)) return hosts;
    where.port = hosts.rendezvous->port();
    address = where.text();
  }
  hosts.variables = {{place::kLayout, layout_setting(any_rank)},
                     {place::kNeighbours, neighbours_setting(any_rank)},
                     {place::kRendezvous, address}};
  return hosts;
}

Supervised run_job(const Launch& launch, const Membership& any_rank, const BindingPlan& binding,
                   SupervisorSignals& signals, int lifeline_fd) {
  const DescriptorLimit limit(descriptors_for(launch.ranks));
  Adoption adoption;
  Hosts hosts = prepare_hosts(any_rank);
  if (hosts.variables.empty())
    return refuse_job("cannot start the job: no port for its hosts to meet at: " + explain_with_advice(errno),
                      1);
  Spawned spawned =
      spawn_ranks(launch, whole_job(launch.ranks), binding, hosts.key, hosts.variables, signals, limit);
  if (spawned.in_rank) return {true, 0};
  if (!spawned.error.empty()) {
    adoption.end_all();
    return refuse_job(spawned.error, spawned.error_code);
  }
  if (spawned.have_different_addresses) std::fputs(warning_of_different_addresses("").c_str(), stderr);
  JobFacts facts;
  facts.ranks = launch.ranks;
  facts.job = getppid();
  facts.supervisor = getpid();
  facts.program = launch.command.empty() ? own_command_line() : command_line(launch.command);
  describe_job(spawned.memory.get(), facts);
  Ending ending(launch.ranks, {}, name_of_this_host());
  if (any_rank.reports_failures) ending.go_on_after_deaths();
  Supervision supervision(
      std::move(ending),
      {.signals = &signals, .lifeline_fd = lifeline_fd, .time_limit_s = launch.time_limit_s});
  LocalRanks ranks(std::move(spawned), launch.ranks, "", std::move(hosts.rendezvous), launch.tag, adoption,
                   supervision.events(), supervision);
  return {false, supervision.run(ranks)};
}

}  // namespace

Supervised supervise(const Launch& launch) {
  if (launch.ranks < 1 || launch.ranks > kMaxRanks) {
    return refuse_job(
        "a job has 1 to " + std::to_string(kMaxRanks) + " ranks, not " + std::to_string(launch.ranks),
        kBadArguments);
  }
  env::warn_of_unknown_variables();
  Membership any_rank;
  any_rank.size = launch.ranks;
  any_rank.reports_failures = reports_failures_from_environment();
  read_layout(any_rank);  // reports a wrong layout once, before anything is started
  const BindingPlan binding = plan_binding(launch.bind, launch.ranks, usable_cores());
  if (!binding.error.empty()) return refuse_job(binding.error, kBadArguments);

  fill_standard_descriptors();
  Adoption adoption;
  SupervisorSignals signals;
  if (const std::string why = what_forbids_a_job(signals); !why.empty()) return refuse_job(why, 1);
  Supervised supervised =
      run_guarded([&](int lifeline_fd) { return run_job(launch, any_rank, binding, signals, lifeline_fd); },
                  signals, adoption);
  if (!supervised.in_rank) supervised.exit_code = trace::timeline::finish_job(supervised.exit_code);
  return supervised;
}

}  // namespace aqueduct::job
