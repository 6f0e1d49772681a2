// The loop that supervises a job until all of its ranks have ended, wherever they are and whoever has started
// them (job/supervision/rank_source.hpp). It runs in a supervisor, in the launcher of several hosts and in
// the warden of the first host.
//
// One set holds every descriptor (net/event_set.hpp). Two rules order events: the loop serves signals to this
// process first (Ctrl-C kills the ranks at the same time), and a source reports a rank's announcements before
// its end.
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

/// What the loop watches besides the ranks.
struct SupervisionOptions {
  SupervisorSignals* signals = nullptr;  ///< to this process; null: it ignores them, as a warden does
  int lifeline_fd =
      -1;  ///< becomes readable when the guard is gone (job/supervision/guard.hpp); -1: there is none
  double time_limit_s = 0;  ///< counts from the start of the loop; 0: there is none
  /// Writes the line before it ends the ranks, not after their last output: a foreign launcher may end with
  /// its ranks, and then nobody would read the line.
  bool explains_early = false;
};

class Supervision final : public RankWatcher {
 public:
  Supervision(Ending ending, const SupervisionOptions& options);

  /// For the source, which watches its descriptors in this set.
  net::EventSet& events() { return events_; }
  Ending& ending() { return ending_; }

  /// Returns the exit code of the job, after its last process has ended and its output has been written.
  int run(RankSource& source);

  void take(const RankEvent& event) override;
  void take_output(RankId rank, Channel channel, std::string_view text) override;
  void take_states(std::vector<observe::RankState> states) override;

  /// Opens the socket for questions about the job (job/inspection/inquiry.hpp); returns its name.
  std::string open_inquiries() { return states_.open(); }

 private:
  struct Sink {
    OutputSink sink;
    bool is_watched = false;  ///< the loop waits until it takes more
    bool is_held = false;     ///< its streams stay unread because its backlog is large
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
