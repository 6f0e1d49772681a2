#include <unistd.h>

#include "base/variables.hpp"
#include "hosts/hub.hpp"
#include "job/inspection/job_table.hpp"
#include "job/place/start_settings.hpp"
#include "job/supervision/guard.hpp"
#include "job/supervision/preparation.hpp"
#include "job/supervision/reaping.hpp"

namespace aqueduct::job {
namespace {

Supervised run_on_hosts(const HostsLaunch& job, SupervisorSignals& signals, int lifeline_fd) {
  constexpr rlim_t kOfOneHost = 4;
  constexpr rlim_t kOthers = 64;
  const DescriptorLimit limit(kOthers + kOfOneHost * job.placement.hosts.size());
  Adoption adoption;
  Ending ending(job.placement.layout.size(),
                [&job](RankId rank) { return job.placement.hosts[job.placement.layout.host_of(rank)].name; });
  if (reports_failures_from_environment()) ending.go_on_after_deaths();
  Supervision supervision(
      std::move(ending),
      {.signals = &signals, .lifeline_fd = lifeline_fd, .time_limit_s = job.launch.time_limit_s});
  JobFacts facts;
  facts.ranks = job.placement.layout.size();
  facts.hosts = job.placement.layout.hosts();
  facts.job = getppid();
  facts.supervisor = getpid();
  facts.is_launcher = true;
  facts.socket = supervision.open_inquiries();
  facts.program = command_line(job.launch.command);
  const net::Descriptor memory(create_shared_memory());  // only for `aqueduct ps`; ranks do not share it
  if (memory) describe_job(memory.get(), facts);
  Hub hub(job, supervision, signals, limit);
  const int code = supervision.run(hub);
  adoption.end_all();
  return {false, code};
}

}  // namespace

int supervise_hosts(const HostsLaunch& job) {
  env::warn_of_unknown_variables();
  fill_standard_descriptors();
  Adoption adoption;
  SupervisorSignals signals(true);
  if (const std::string why = what_forbids_a_job(signals); !why.empty()) return refuse_job(why, 1).exit_code;
  return run_guarded([&](int lifeline_fd) { return run_on_hosts(job, signals, lifeline_fd); }, signals,
                     adoption)
      .exit_code;
}

}  // namespace aqueduct::job
