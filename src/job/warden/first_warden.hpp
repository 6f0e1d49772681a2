// The warden of the first host: decides for the whole job (job/warden/warden.hpp).
//
// A host whose warden does not come in time, closes its connection while ranks live there, says what cannot
// be, or is silent for longer than the heartbeat allows is lost, which ends the job.
#pragma once
#include <memory>
#include <vector>

#include "job/ending.hpp"
#include "job/hosts/agent_link.hpp"
#include "job/hosts/heartbeat.hpp"
#include "job/local_ranks.hpp"
#include "job/visitors.hpp"
#include "job/warden/foreign_ranks.hpp"
#include "job/warden/warden.hpp"

namespace aqueduct::job::warden {

class FirstWarden final : public RankWatcher {
 public:
  FirstWarden(Plan plan, Descriptor memory, Descriptor enrolment);

  /// Until all ranks of the job have ended.
  void run();

  void take(const RankEvent& event) override;
  void take_output(RankId, Channel, std::string_view) override {}

 private:
  /// The warden of another host.
  struct Other {
    std::unique_ptr<agent::Link> link;  ///< null: has not come
    std::optional<Heartbeat> heartbeat;
    bool is_gone = false;  ///< its ranks have ended, or it is lost
  };

  int timeout_ms() const;
  void serve_newcomers();
  Answer admit(const Greeting& greeting, Descriptor& connection);
  void serve_other(HostId machine);
  void hear(HostId machine, const agent::Message& message);
  void lose(HostId machine, const std::string& what);
  void keep_time();
  void look_who_waits();
  void look_who_is_missing();
  void take_step();
  void tell_others(const agent::Message& message);
  void say_why();

  Plan plan_;
  std::uint64_t start_end_ns_;
  EventSet events_;
  Ending ending_;
  ForeignRanks ranks_;
  RendezvousService rendezvous_;
  Visitors visitors_;
  std::vector<Other> others_;  ///< by machine
  std::uint64_t next_look_ns_ = 0;
  bool has_said_why_ = false;
};

}  // namespace aqueduct::job::warden
