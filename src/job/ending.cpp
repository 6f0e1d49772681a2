#include "job/ending.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "job/supervisor.hpp"

namespace aqueduct::job {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;
/// Ranks that leave together do so within this time, also sixteen of them on two cores.
constexpr std::uint64_t kCollectiveGrace = 300 * kMillisecond;
/// There is no failure to stop here, and a clean exit on a busy machine should not be taken for a lonely one.
constexpr std::uint64_t kCleanExitGrace = 600 * kMillisecond;
/// After a crash nobody follows of his own accord, but what the others say now may explain it.
constexpr std::uint64_t kCrashGrace = 100 * kMillisecond;
/// A rank that was told to stop may be saving its work.
constexpr std::uint64_t kInterruptGrace = 500 * kMillisecond;
constexpr std::uint64_t kTerminateGrace = 300 * kMillisecond;
constexpr std::uint64_t kSameRequest = 100 * kMillisecond;

std::string rank_name(RankId rank) { return "aqueduct: rank " + std::to_string(rank); }
std::string job_ends(int code) { return "; the job ends with code " + std::to_string(code); }
std::string signal_name(int signal) { return std::to_string(signal) + " (" + strsignal(signal) + ")"; }

}  // namespace

void Ending::take(Cause cause, std::uint64_t grace_ns, std::uint64_t now_ns) {
  const bool is_first = phase_ == Phase::kRunning;
  const bool replaces_exit_zero = phase_ == Phase::kGrace && cause_.is_exit_zero && cause.code != 0;
  const bool answers_quit = phase_ == Phase::kGrace && cause_.is_quit && cause.is_announced;
  if (!is_first && !replaces_exit_zero && !answers_quit) return;
  cause_ = std::move(cause);
  if (is_first) {
    phase_ = Phase::kGrace;
    began_ns_ = now_ns;
    phase_end_ns_ = now_ns + grace_ns;
  }
}

bool Ending::some_rank_stays() const {
  for (std::size_t rank = 0; rank < has_ended_.size(); ++rank) {
    if (!has_ended_[rank] && !is_leaving_[rank]) return true;
  }
  return false;
}

void Ending::rank_called_exit(RankId rank, int code, std::uint64_t now_ns) {
  is_leaving_[rank] = true;
  const int visible = code & 0xff;
  const std::string call = rank_name(rank) + " called gasnet_exit(" + std::to_string(code) + ")";
  if (visible == 0) {
    take({.line = call + " and not every other rank did" + job_ends(0),
          .is_exit_zero = true,
          .is_announced = true},
         kCleanExitGrace, now_ns);
  } else {
    take({.line = call + job_ends(visible), .code = visible, .is_announced = true}, kCollectiveGrace, now_ns);
  }
}

void Ending::rank_returned(RankId rank, int seconds_to_follow, std::uint64_t now_ns) {
  is_leaving_[rank] = true;
  if (follow_end_ns_ != kNever) return;
  first_to_return_ = rank;
  follow_end_ns_ = now_ns + static_cast<std::uint64_t>(std::max(seconds_to_follow, 0)) * 1000 * kMillisecond;
}

void Ending::rank_aborted(RankId, std::string text, std::uint64_t now_ns) {
  take({.line = std::move(text), .code = 1, .is_announced = true}, kCrashGrace, now_ns);
}

void Ending::rank_ended(RankId rank, int wait_status, std::uint64_t now_ns) {
  if (has_ended_[rank]) return;
  has_ended_[rank] = true;
  --alive_;
  if (WIFSIGNALED(wait_status)) {
    const int signal = WTERMSIG(wait_status);
    const int code = 128 + signal;
    take({.line = rank_name(rank) + " was killed by signal " + signal_name(signal) + job_ends(code),
          .code = code},
         kCrashGrace, now_ns);
  } else if (const int code = WEXITSTATUS(wait_status); code != 0) {
    take(
        {.line = rank_name(rank) + " ended with code " + std::to_string(code) + job_ends(code), .code = code},
        kCollectiveGrace, now_ns);
  }
}

void Ending::supervisor_signalled(int signal, std::uint64_t now_ns) {
  const int code = 128 + signal;
  // Asked again, by a person and not by a tool that signals both us and our group: no more patience.
  const bool is_ending = phase_ == Phase::kGrace || phase_ == Phase::kTerminating;
  if (is_ending && now_ns >= began_ns_ + kSameRequest) phase_end_ns_ = now_ns;
  take({.line = "aqueduct: received signal " + signal_name(signal) + job_ends(code),
        .code = code,
        .is_quit = signal == SIGQUIT},
       kInterruptGrace, now_ns);
}

void Ending::guard_was_killed(std::uint64_t now_ns) {
  const int code = 128 + SIGKILL;
  take({.line = "aqueduct: the process that started the job was killed" + job_ends(code), .code = code}, 0,
       now_ns);
}

void Ending::output_failed(int error, std::uint64_t now_ns) {
  if (error == EPIPE) {
    take({.code = 128 + SIGPIPE}, 0, now_ns);
  } else {
    take({.line = std::string("aqueduct: cannot write to standard output: ") + strerror(error) + job_ends(1),
          .code = 1},
         0, now_ns);
  }
}

void Ending::limit_time(double seconds, std::uint64_t now_ns) {
  time_limit_s_ = seconds;
  time_end_ns_ = now_ns + static_cast<std::uint64_t>(seconds * 1e9);
}

Ending::Step Ending::step(std::uint64_t now_ns) {
  if (alive_ == 0) return Step::kNone;
  if (is_running() && now_ns >= time_end_ns_) {
    char limit[32];
    std::snprintf(limit, sizeof limit, "%g", time_limit_s_);
    take({.line = std::string("aqueduct: the job is not over after ") + limit + " s (--timeout)" +
                  job_ends(kTimedOut),
          .code = kTimedOut},
         0, now_ns);
  }
  if (is_running() && now_ns >= follow_end_ns_) {
    take({.line = rank_name(first_to_return_) +
                  " returned from main and not every other rank did (see GASNET_CATCH_EXIT)" + job_ends(0),
          .is_exit_zero = true},
         0, now_ns);
  }
  if (now_ns < phase_end_ns_) return Step::kNone;
  if (phase_ == Phase::kGrace) {
    was_forced_ = some_rank_stays();
    phase_ = Phase::kTerminating;
    phase_end_ns_ = now_ns + kTerminateGrace;
    return Step::kTerminate;
  }
  phase_ = Phase::kKilling;
  phase_end_ns_ = kNever;
  return Step::kKill;
}

std::string Ending::line() const { return cause_.is_exit_zero && !was_forced_ ? std::string() : cause_.line; }

}  // namespace aqueduct::job
