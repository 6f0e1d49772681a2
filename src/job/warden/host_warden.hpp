// What the wardens of all hosts have: the ranks of their host, and a time by which these must have come.
#pragma once
#include <unistd.h>

#include "base/clock.hpp"
#include "job/inspection/job_table.hpp"
#include "job/warden/foreign_ranks.hpp"
#include "job/warden/warden.hpp"
#include "net/event_set.hpp"

namespace aqueduct::job::warden {

class HostWarden : public RankWatcher {
 public:
  void take_output(RankId, Channel, std::string_view) override {}

 protected:
  HostWarden(Plan plan, net::Descriptor memory, net::Descriptor enrolment)
      : plan_(std::move(plan)),
        start_end_ns_(now_ns() + static_cast<std::uint64_t>(plan_.timeout_ms) * kMillisecondNs),
        ranks_(std::move(memory), std::move(enrolment), plan_.machines.ranks_of(plan_.machine),
               plan_.machines.size(), plan_.machines.hosts() > 1 ? plan_.names[plan_.machine] : "", events_,
               *this) {}
  ~HostWarden() = default;

  /// Says in the memory of the ranks what the job is, for those who look (job/inspection/job_list.hpp).
  void describe_to_others(const std::string& socket, const std::string& launcher) const {
    JobFacts facts;
    facts.ranks = plan_.machines.size();
    facts.hosts = plan_.machines.hosts();
    facts.job = facts.supervisor = ::getpid();
    facts.socket = socket;
    facts.launcher = launcher;
    facts.program = own_command_line();
    describe_job(ranks_.memory_fd(), facts);
  }

  static constexpr std::uint64_t kMillisecondNs = 1'000'000;
  static std::uint64_t now_ns() { return machine_clock().now_ns(); }

  Plan plan_;
  const std::uint64_t start_end_ns_;  ///< when ranks and hosts that have not come are not waited for any more
  net::EventSet events_;
  ForeignRanks ranks_;
};

}  // namespace aqueduct::job::warden
