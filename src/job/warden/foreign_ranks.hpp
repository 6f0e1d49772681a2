// The ranks of this host as its warden sees them: processes that somebody else has started, which enrol
// (job/warden/enrolment.hpp), announce things and end.
//
// Reports the events of job/messages/rank_event.hpp to its watcher; a rank's announcements precede its end.
// If nobody can find out how a rank has ended, the event is that it has aborted, with a line that says so.
#pragma once
#include <vector>

#include "job/inspection/inspection.hpp"
#include "job/supervision/host_memory.hpp"
#include "job/supervision/oom_killer.hpp"
#include "job/supervision/rank_source.hpp"
#include "job/warden/enrolment.hpp"
#include "job/warden/warden.hpp"
#include "net/event_set.hpp"

namespace aqueduct::job::warden {

class ForeignRanks {
 public:
  /// The plan's ranks of this machine enrol at `listener`, which `events` watches from now on. The object
  /// must not move.
  ForeignRanks(const WardenPlan& plan, net::Descriptor memory, net::Descriptor listener,
               net::EventSet& events, RankWatcher& watcher);

  /// Sends the signal to all ranks that have come and have not ended.
  void signal(int number);
  /// Asks them to leave with this code (job/warden/order.hpp), and lets stopped ones go on.
  void order_to_leave(int code);
  void look_who_waits() { host_memory_.look(watcher_); }
  void inspect(const InspectOptions& look) { watcher_.take_states(inspection_.look(look)); }
  /// Tells the ranks that `rank`, of any host, has died (job/place/failures.hpp).
  void tell_failed(RankId rank) { host_memory_.tell_failed(rank); }

  int memory_fd() const { return host_memory_.memory_fd(); }
  const std::vector<RankId>& numbers() const { return numbers_; }
  bool are_all_here() const { return here_ == ranks_.size(); }
  /// Whether all ranks that have come have ended.
  bool have_all_ended() const { return alive_ == 0; }
  /// The ranks that have not come.
  std::vector<RankId> missing() const;

 private:
  struct Rank {
    RankId number = 0;
    pid_t pid = -1;  ///< -1: it has not come
    net::Descriptor process;
    net::Descriptor control;
    cpu_set_t cpus = {};
    std::int32_t session = 0;
    bool has_ended = false;
  };

  void serve_listener();
  void welcome_all();
  void serve_control(Rank& rank, std::uint32_t flags);
  void judge(Rank& rank);
  void tell(RankEvent::Kind kind, const Rank& rank, int number = 0, std::string text = {});

  net::Descriptor memory_;
  net::Descriptor listener_;
  std::vector<RankId> numbers_;
  std::vector<Rank> ranks_;  // as numbers_
  std::size_t here_ = 0;
  std::size_t alive_ = 0;
  net::EventSet& events_;
  RankWatcher& watcher_;
  HostMemory host_memory_;
  Inspection inspection_;
  OomKiller oom_killer_;
};

}  // namespace aqueduct::job::warden
