// The loop that supervises a job: from ranks that run to ranks that have all ended, wherever they are and
// whoever has started them (job/supervision/rank_source.hpp). It runs in a supervisor, in the launcher of
// several hosts and in the warden of the first host.
//
// One set holds every descriptor (net/event_set.hpp). Two rules refine the order of events: the loop serves
// signals to this process first (Ctrl-C kills the ranks at the same time as it reaches us), and a source
// tells a rank's announcements before its end.
#pragma once
#include <cstdint>
#include <vector>

#include "job/inspection/state_collector.hpp"
#include "job/supervision/ending.hpp"
#include "job/supervision/output.hpp"
#include "job/supervision/rank_source.hpp"
#include "job/supervision/signals.hpp"
#include "net/event_set.hpp"

namespace aqueduct::job {

/// What a supervision looks after besides its ranks.
struct SupervisionOptions {
  SupervisorSignals* signals = nullptr;  ///< to this process; null: it ignores them, as a warden does
  int lifeline_fd =
      -1;  ///< becomes readable when the guard is gone (job/supervision/guard.hpp); -1: there is none
  double time_limit_s = 0;  ///< counts from the start of the supervision; 0: there is none
  /// Says why the job ends before the ranks are asked to, not after their last output. Whoever has started
  /// the ranks may end with them, and with it whoever reads.
  bool explains_early = false;
};

class Supervision final : public RankWatcher {
 public:
  Supervision(Ending ending, const SupervisionOptions& options);

  /// For the source, which watches what it needs and tells this object what happens.
  net::EventSet& events() { return events_; }
  Ending& ending() { return ending_; }

  /// Returns the exit code of the job, after its last process has ended and its output has been written.
  int run(RankSource& source);

  void take(const RankEvent& event) override;
  void take_output(RankId rank, Channel channel, std::string_view text) override;
  void take_states(std::vector<observe::RankState> states) override;

  /// Lets others ask how the job is, through a socket (job/inspection/inquiry.hpp); its name.
  std::string open_inquiries() { return states_.open(); }

 private:
  struct Sink {
    OutputSink sink;
    bool is_watched = false;  ///< we wait for it to take more
    bool is_held = false;     ///< its streams are left unread because it has too much to write
  };

  void wait_for_events();
  void say_why();
  void serve_signals();
  std::size_t ask_hosts(const InspectOptions& look);
  void serve_sinks();
  void look_who_waits();
  void tell_of_deaths();
  void take_step();
  void hold_or_release(Channel channel);
  void write_last_output();

  net::EventSet events_;
  std::vector<Sink> sinks_;  ///< indexed by Channel
  SupervisorSignals* signals_;
  bool explains_early_;
  bool has_said_why_ = false;
  Ending ending_;
  StateCollector states_;
  RankSource* source_ = nullptr;
  std::uint64_t next_look_ns_ = 0;
};

}  // namespace aqueduct::job
