// The ranks of a job that another launcher has started, as the warden of the first host sees them: those of
// its own host (job/warden/foreign_ranks.hpp), and those of other hosts behind their wardens
// (job/warden/other_warden.hpp). A source of ranks for the loop that supervises all jobs
// (job/supervision/supervision.hpp). It listens for other wardens until all have come or the start timeout is
// over.
//
// A host is lost if its warden does not come in time, closes its connection while ranks live there, sends
// nonsense, or is silent for longer than the heartbeat allows. That ends the job; with
// AQUEDUCT_ON_FAILURE=report the job goes on, and all hosts learn which ranks are lost.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "job/bootstrap/rendezvous_service.hpp"
#include "job/bootstrap/visitors.hpp"
#include "job/supervision/supervision.hpp"
#include "job/warden/connection.hpp"
#include "job/warden/foreign_ranks.hpp"
#include "job/warden/warden.hpp"

namespace aqueduct::job::warden {

class ForeignJob final : public RankSource {
 public:
  ForeignJob(WardenPlan plan, net::Descriptor memory, net::Descriptor enrolment, Supervision& supervision);

  /// The ranks are not children of this process.
  void child_has_ended() override {}
  void signal(int number) override;
  /// Asks each rank to leave with the job's code (job/warden/order.hpp).
  void terminate(int code) override;
  bool hears_terminal() const override { return true; }
  /// The launcher carries the output.
  void hold(Channel, bool) override {}
  void look_who_waits() override;
  void inspect(const InspectOptions& look) override;
  std::size_t hosts_to_answer() const override;
  void tell_failed(RankId rank) override;
  void finish() override { is_finished_ = true; }
  bool is_finished() const override { return is_finished_; }
  void keep_time(std::uint64_t now_ns) override;
  std::uint64_t next_time_ns() const override;

 private:
  /// The warden of another host.
  struct Other {
    std::unique_ptr<WardenConnection> connection;  ///< null: the warden has not come
    bool is_gone = false;                          ///< its ranks have ended, or the host is lost

    bool is_here() const { return connection && !is_gone; }
  };

  void serve_newcomers();
  void stop_listening();
  GreetingAnswer admit(const Greeting& greeting, net::Descriptor& connection);
  void serve_other(HostId machine);
  void hear(HostId machine, const agent::RankMessage& message);
  void lose(HostId machine, const std::string& what);
  void look_who_is_missing(std::uint64_t now_ns);
  void tell_others(const agent::RankMessage& message);

  WardenPlan plan_;
  Supervision& supervision_;
  const std::uint64_t start_end_ns_;  ///< the end of the wait for ranks and hosts
  ForeignRanks here_;
  RendezvousService rendezvous_;
  Visitors visitors_;
  std::vector<Other> others_;  ///< by machine
  bool is_finished_ = false;
};

/// Supervises the job until all of its ranks have ended.
void supervise_foreign_job(WardenPlan plan, net::Descriptor memory, net::Descriptor enrolment);

}  // namespace aqueduct::job::warden
