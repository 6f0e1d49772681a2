// The supervisor's loop: from ranks that run to ranks that have all ended, wherever they are.
//
// One set holds every source of events (net/event_set.hpp). Two rules refine their order: signals to the
// supervisor are served first (Ctrl-C kills the ranks at the same time as it reaches us), and a rank's
// announcements before its end, which its source sees to.
#pragma once
#include <cstdint>
#include <vector>

#include "job/inspection/hang_reporter.hpp"
#include "job/supervision/ending.hpp"
#include "job/supervision/output.hpp"
#include "job/supervision/rank_source.hpp"
#include "job/supervision/signals.hpp"
#include "net/event_set.hpp"

namespace aqueduct::job {

class Supervision final : public RankWatcher {
 public:
  /// `lifeline_fd` becomes readable when the guard is gone (job/supervision/guard.hpp).
  /// `time_limit_s` counts from here; 0: there is none.
  Supervision(Ending ending, double time_limit_s, SupervisorSignals& signals, int lifeline_fd);

  /// For the source, which watches what it needs and tells this object what happens.
  net::EventSet& events() { return events_; }
  Ending& ending() { return ending_; }

  /// Returns the exit code of the job, after its last process has ended and its output has been written.
  int run(RankSource& source);

  void take(const RankEvent& event) override;
  void take_output(RankId rank, Channel channel, std::string_view text) override;
  void take_states(std::vector<observe::RankState> states) override;

  /// Lets others ask how the job is, through a socket (job/inspection/inquiry.hpp); its name.
  std::string open_inquiries() { return hang_reporter_.open(); }

 private:
  struct Sink {
    OutputSink sink;
    bool is_watched = false;  ///< we wait for it to take more
    bool is_held = false;     ///< its streams are left unread because it has too much to write
  };

  void wait_for_events();
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
  SupervisorSignals& signals_;
  Ending ending_;
  HangReporter hang_reporter_;
  RankSource* source_ = nullptr;
  std::uint64_t next_look_ns_ = 0;
};

}  // namespace aqueduct::job
