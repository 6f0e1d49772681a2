// The signals that a supervisor handles, as a descriptor to wait on.
//
// Ranks stay in the supervisor's process group, so signals of the terminal (Ctrl-C, Ctrl-\, hang-up, Ctrl-Z)
// reach them too and must not be sent twice; the supervisor forwards a signal that a process sends to it
// alone. It distinguishes the two by the signal's origin. Stop signals are left to the kernel; a launcher
// whose ranks are on other hosts handles TSTP, because it has to tell them.
//
// A signal that was ignored when the supervisor started (nohup) stays ignored, here and in the ranks.
#pragma once
#include <csignal>
#include <optional>

#include "net/descriptor.hpp"

namespace aqueduct::job {

class SupervisorSignals {
 public:
  /// Blocks INT, TERM, HUP, QUIT, USR1, USR2 and CHLD, ignores PIPE and XFSZ (a failed write says why), and
  /// opens the descriptor. `handles_stop`: TSTP as well.
  explicit SupervisorSignals(bool handles_stop = false);
  /// Restores the earlier signal state.
  ~SupervisorSignals();
  SupervisorSignals(const SupervisorSignals&) = delete;
  SupervisorSignals& operator=(const SupervisorSignals&) = delete;

  int fd() const { return fd_.get(); }

  struct Received {
    int signal = 0;
    bool reached_ranks = false;  ///< the ranks got it from the same sender
  };
  std::optional<Received> next();

  /// In a rank that has just been forked: the signal state that its program would have without a supervisor.
  void restore() const;

 private:
  net::Descriptor fd_;
  sigset_t old_mask_;
  struct sigaction old_pipe_ = {};
  struct sigaction old_file_size_ = {};
  struct sigaction old_child_ = {};
};

/// Stops this process, as SIGTSTP would have; returns when it continues.
void stop_self();

/// Whether this signal asks a program to end.
bool asks_to_end(int signal);

}  // namespace aqueduct::job
