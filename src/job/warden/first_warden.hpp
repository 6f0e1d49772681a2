// The warden of the first host: decides for the whole job (job/warden/warden.hpp). It listens for those of
// other hosts until all have come, or the time for it is over.
//
// A host whose warden does not come in time, closes its connection while ranks live there, says what cannot
// be, or is silent for longer than the heartbeat allows is lost. That ends the job, or where the others go on
// without ranks that have died (AQUEDUCT_ON_FAILURE), all hosts are told of its ranks.
#pragma once
#include <memory>
#include <vector>

#include "job/bootstrap/visitors.hpp"
#include "job/inspection/hang_reporter.hpp"
#include "job/supervision/ending.hpp"
#include "job/supervision/local_ranks.hpp"
#include "job/warden/connection.hpp"
#include "job/warden/host_warden.hpp"

namespace aqueduct::job::warden {

class FirstWarden final : public HostWarden {
 public:
  FirstWarden(Plan plan, net::Descriptor memory, net::Descriptor enrolment);

  /// Until all ranks of the job have ended.
  void run();

  void take(const RankEvent& event) override;
  void take_states(std::vector<observe::RankState> states) override;

 private:
  /// The warden of another host.
  struct Other {
    std::unique_ptr<Connection> connection;  ///< null: has not come
    bool is_gone = false;                    ///< its ranks have ended, or it is lost
  };

  std::uint64_t next_time_ns() const;
  void serve_newcomers();
  void stop_listening();
  Answer admit(const Greeting& greeting, net::Descriptor& connection);
  void serve_other(HostId machine);
  void hear(HostId machine, const agent::Message& message);
  void lose(HostId machine, const std::string& what);
  void keep_time();
  void tell_of_deaths();
  void look_who_waits();
  void look_who_is_missing();
  void take_step();
  void tell_others(const agent::Message& message);
  std::size_t ask_hosts(const InspectOptions& look);
  void say_why();

  Ending ending_;
  RendezvousService rendezvous_;
  Visitors visitors_;
  std::vector<Other> others_;  ///< by machine
  HangReporter hang_reporter_;
  std::uint64_t next_look_ns_ = 0;
  bool has_said_why_ = false;
};

}  // namespace aqueduct::job::warden
