// When a job ends, with which code, and the one line that says why.
//
// This is the policy alone: it is told what happened and says what to do next; it starts, signals and reads
// nothing.
//
//   Running ──cause──▶ Grace ──deadline──▶ Terminating ──deadline──▶ Killing ──▶ (no rank lives)
//                      the others may      SIGTERM sent              SIGKILL sent
//                      do the same
//
// A cause is a rank that dies by a signal, ends with a non-zero code, announces an exit or an error, a signal
// to the supervisor, the death of its guard, output that nobody reads any more, or a time limit that is over.
// The first cause decides the code and the line, whatever follows from it. Two exceptions, within the cause's
// grace: gasnet_exit(0) gives way to a failure, so that "the first non-zero code" is kept; and SIGQUIT to the
// supervisor gives way to what a rank announces when it gets that signal too, so that its handler decides the
// code. What happens to ranks after SIGTERM was sent is our doing and says nothing.
//
// A rank that returns from main is no cause by itself, because others may have much to do still; it becomes
// one when they have not followed within the time that it gives them.
//
// The caller reports events in the order in which they happened and, for one rank, its announcements before
// its end.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace aqueduct::job {

class Ending {
 public:
  explicit Ending(RankId ranks) : is_leaving_(ranks, false), has_ended_(ranks, false), alive_(ranks) {}

  // Events. Times are in nanoseconds of one monotonic clock.
  void rank_called_exit(RankId rank, int code, std::uint64_t now_ns);
  void rank_returned(RankId rank, int seconds_to_follow, std::uint64_t now_ns);
  void rank_aborted(RankId rank, std::string text, std::uint64_t now_ns);
  void rank_ended(RankId rank, int wait_status, std::uint64_t now_ns);
  void supervisor_signalled(int signal, std::uint64_t now_ns);
  void guard_was_killed(std::uint64_t now_ns);
  /// `error` is the errno of the write. EPIPE is what `| head` does: it ends the job without a word.
  void output_failed(int error, std::uint64_t now_ns);

  /// The job may take so many seconds from now on.
  void limit_time(double seconds, std::uint64_t now_ns);

  enum class Step { kNone, kTerminate, kKill };
  /// What has to be done to all living ranks now; says each step once.
  Step step(std::uint64_t now_ns);
  /// When step() has to be asked again, if nothing happens before; ~0 for never.
  std::uint64_t next_step_ns() const {
    return is_running() ? std::min(follow_end_ns_, time_end_ns_) : phase_end_ns_;
  }

  bool is_running() const { return phase_ == Phase::kRunning; }
  bool is_over() const { return alive_ == 0; }

  int exit_code() const { return cause_.code; }
  /// Without a newline; empty where nothing has to be said.
  std::string line() const;

 private:
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
  enum class Phase { kRunning, kGrace, kTerminating, kKilling };
  struct Cause {
    std::string line = {};
    int code = 0;
    bool is_exit_zero = false;
    bool is_announced = false;  ///< by a rank, before it ended
    bool is_quit = false;
  };

  bool some_rank_stays() const;
  void take(Cause cause, std::uint64_t grace_ns, std::uint64_t now_ns);

  std::vector<bool> is_leaving_;  ///< has called gasnet_exit; giving back its memory may still take long
  std::vector<bool> has_ended_;
  RankId alive_;
  Phase phase_ = Phase::kRunning;
  std::uint64_t began_ns_ = 0;  ///< when the first cause was reported
  std::uint64_t phase_end_ns_ = kNever;
  Cause cause_;
  RankId first_to_return_ = 0;
  std::uint64_t follow_end_ns_ = kNever;  ///< until then the others may follow it
  std::uint64_t time_end_ns_ = kNever;    ///< when the job has taken as long as it may
  double time_limit_s_ = 0;
  bool was_forced_ = false;  ///< a rank that was not leaving still lived when the grace was over
};

}  // namespace aqueduct::job
