// The supervisor's loop: from ranks that run to ranks that have all ended.
//
// One epoll set holds every source of events. It reports them in the order in which they happened, which is
// what makes "the first cause" of an ending more than a guess: a process descriptor becomes readable when its
// rank has ended, a control socket when an announcement is in it. Two rules refine the order: signals to the
// supervisor are served first (Ctrl-C kills the ranks at the same time as it reaches us), and a rank's
// announcements before its end.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "job/descriptor.hpp"
#include "job/ending.hpp"
#include "job/oom_killer.hpp"
#include "job/output.hpp"
#include "job/reaping.hpp"
#include "job/rendezvous.hpp"
#include "job/signals.hpp"
#include "job/spawn.hpp"
#include "job/waiting_ranks.hpp"

namespace aqueduct::job {

class Supervision {
 public:
  /// `lifeline_fd` becomes readable when the guard is gone (job/guard.hpp).
  /// `time_limit_s` counts from here; 0: there is none.
  /// `rendezvous` is served until it is over; there is none on one host.
  Supervision(Spawned spawned, std::optional<Rendezvous> rendezvous, bool tag, double time_limit_s,
              SupervisorSignals& signals, Adoption& adoption, int lifeline_fd);

  /// Returns the exit code of the job, after its last process has ended and its output has been written.
  int run();

 private:
  enum class Kind : std::uint32_t { kSignal, kLifeline, kProcess, kControl, kStream, kSink, kRendezvous };
  enum Channel : std::uint32_t { kOutput = 0, kErrors = 1, kChannels = 2 };

  struct Stream {
    Descriptor fd;
    LineSource lines;
  };
  struct Rank {
    RankProcess process;
    std::vector<Stream> streams;     ///< indexed by Channel
    std::optional<int> wait_status;  ///< once reaped
  };
  struct Sink {
    OutputSink sink;
    bool is_watched = false;  ///< we wait for it to take more
    bool is_held = false;     ///< its streams are left unread because it has too much to write
  };

  void watch(int fd, Kind kind, std::uint32_t index, std::uint32_t events);
  void unwatch(int fd);

  void wait_for_events();
  void serve_signals();
  void serve_control(std::uint32_t rank);
  void serve_process(std::uint32_t rank);
  void serve_stream(std::uint32_t index);
  void serve_hang_up(std::uint32_t rank);
  void serve_sinks();
  void serve_rendezvous();
  void look_who_waits();
  void reap();
  void judge(std::uint32_t rank);
  void signal_ranks(int signal);
  void take_step();
  void hold_or_release(Channel channel);
  void collect_last_output();
  void write_last_output();

  std::vector<Rank> ranks_;
  std::vector<Sink> sinks_;  ///< indexed by Channel
  SupervisorSignals& signals_;
  Adoption& adoption_;
  Ending ending_;
  WaitingRanks waiting_;
  std::optional<Rendezvous> rendezvous_;
  OomKiller oom_killer_;
  std::uint64_t next_look_ns_ = 0;
  Descriptor epoll_;
};

}  // namespace aqueduct::job
