#include "job/supervision/ending.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sstream>

#include "job/supervision/rank_source.hpp"
#include "job/supervision/supervisor.hpp"

namespace aqueduct::job {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;
/// Ranks that leave together do so within this time, even sixteen on two cores.
constexpr std::uint64_t kCollectiveGrace = 300 * kMillisecond;
/// Nothing failed, and on a busy machine the others may leave late.
constexpr std::uint64_t kCleanExitGrace = 600 * kMillisecond;
/// After a crash no rank leaves by itself, but messages of the others may explain it.
constexpr std::uint64_t kCrashGrace = 100 * kMillisecond;
/// The silent peer's host may report its state; after that kCrashGrace is left.
constexpr std::uint64_t kPeerGrace = 500 * kMillisecond;
/// A rank that was interrupted may be saving its work.
constexpr std::uint64_t kInterruptGrace = 500 * kMillisecond;
constexpr std::uint64_t kTerminateGrace = 300 * kMillisecond;
constexpr std::uint64_t kSameRequest = 100 * kMillisecond;

std::string job_ends(int code) { return "; the job ends with code " + std::to_string(code); }
std::string seconds(std::uint64_t ns) {
  const std::uint64_t ms = ns / kMillisecond;  // rounded to milliseconds
  std::ostringstream text;
  text << static_cast<double>(ms) / 1000 << " s";
  return text.str();
}
std::string signal_name(int signal) { return std::to_string(signal) + " (" + strsignal(signal) + ")"; }

}  // namespace

std::string Ending::name(RankId rank) const {
  return "rank " + std::to_string(rank) + (host_name_ ? " on host " + host_name_(rank) : "");
}

bool Ending::take(Cause cause, std::uint64_t grace_ns, std::uint64_t now_ns) {
  const bool is_first = phase_ == Phase::kRunning;
  const bool replaces_exit_zero = phase_ == Phase::kGrace && cause_.is_exit_zero && cause.code != 0;
  const bool answers_quit = phase_ == Phase::kGrace && cause_.is_quit && cause.is_announced;
  if (!is_first && !replaces_exit_zero && !answers_quit) return false;
  cause_ = std::move(cause);
  if (is_first) {
    phase_ = Phase::kGrace;
    began_ns_ = now_ns;
    phase_end_ns_ = now_ns + grace_ns;
  }
  return true;
}

bool Ending::some_rank_stays() const {
  return std::any_of(ranks_.begin(), ranks_.end(),
                     [](const Rank& rank) { return !rank.has_ended && !rank.is_leaving; });
}

bool Ending::outlives(RankId rank, const std::string& what) {
  if (!goes_on_ || !is_running() || !some_rank_stays()) return false;
  deaths_.push_back({rank, what + "; the others go on (AQUEDUCT_ON_FAILURE=report)"});
  return true;
}

void Ending::note_departure(RankId rank, const std::string& what, std::uint64_t now_ns) {
  if (departure_.what.empty()) departure_ = {"aqueduct: " + name(rank) + " " + what, now_ns};
}

void Ending::rank_event(const RankEvent& event, std::uint64_t now_ns) {
  switch (event.kind) {
    using enum RankEvent::Kind;
    case kStarted:
      return rank_started(event.rank, event.number);
    case kCalledExit:
      return rank_called_exit(event.rank, event.number, now_ns);
    case kReturned:
      return rank_returned(event.rank, now_ns);
    case kReplaced:
      return rank_replaced(event.rank, now_ns);
    case kAborted:
      // Numbers from other hosts are not trusted.
      return rank_aborted(event.rank, event.text, now_ns,
                          event.number > 0 && event.number <= static_cast<std::int64_t>(ranks_.size())
                              ? static_cast<RankId>(event.number - 1)
                              : kNoRank);
    case kEnded:
      return rank_ended(event.rank, event.number, now_ns, event.text);
    case kWaits:
      return rank_waits(event.rank, true, now_ns);
    case kGoesOn:
      return rank_waits(event.rank, false, now_ns);
    case kHangs:
      return;  // a hang ends nothing; it is reported
  }
}

void Ending::rank_started(RankId rank, int timeout_ms) {
  ranks_[rank].has_started = true;
  has_started_ = true;
  timeout_ns_ = std::max(timeout_ns_, static_cast<std::uint64_t>(std::max(timeout_ms, 0)) * kMillisecond);
}

void Ending::rank_called_exit(RankId rank, int code, std::uint64_t now_ns) {
  ranks_[rank].is_leaving = true;
  const int visible = code & 0xff;
  const std::string call = "aqueduct: " + name(rank) + " called gasnet_exit(" + std::to_string(code) + ")";
  if (visible == 0) {
    take({.line = call + " and not every other rank did" + job_ends(0),
          .is_exit_zero = true,
          .is_announced = true},
         kCleanExitGrace, now_ns);
    // A thousand ranks leave slowly on two cores: each one that leaves extends the grace.
    if (phase_ == Phase::kGrace && cause_.is_exit_zero) phase_end_ns_ = now_ns + kCleanExitGrace;
  } else {
    take({.line = call + job_ends(visible), .code = visible, .is_announced = true}, kCollectiveGrace, now_ns);
  }
}

void Ending::rank_returned(RankId rank, std::uint64_t now_ns) {
  ranks_[rank].is_leaving = true;
  note_departure(rank, "returned from main or called exit(0)", now_ns);
}

void Ending::rank_replaced(RankId rank, std::uint64_t now_ns) {
  if (!ranks_[rank].has_started || ranks_[rank].is_leaving) return;
  ranks_[rank].is_leaving = true;
  note_departure(rank, "became another program (exec)", now_ns);
}

void Ending::rank_waits(RankId rank, bool is_waiting, std::uint64_t now_ns) {
  Rank& waiting = ranks_[rank];
  if (!is_waiting) {
    waiting.waits_since_ns = kNever;
  } else if (waiting.waits_since_ns == kNever) {
    waiting.waits_since_ns = now_ns;
  }
}

/// Ends the job if a rank waits since another one has left.
void Ending::judge_departure(std::uint64_t now_ns) {
  if (!is_watching()) return;
  for (RankId rank = 0; rank < ranks_.size(); ++rank) {
    const Rank& waiting = ranks_[rank];
    if (waiting.has_ended || waiting.is_leaving || waiting.waits_since_ns == kNever) continue;
    if (now_ns < std::max(waiting.waits_since_ns, departure_.at_ns) + timeout_ns_) continue;
    take({.line = departure_.what + ", and " + name(rank) + " has waited for others for " +
                  seconds(timeout_ns_) + " since (GASNET_EXITTIMEOUT)" + job_ends(1),
          .code = 1},
         0, now_ns);
    return;
  }
}

void Ending::name_host_of(RankId peer, std::string& text) const {
  const std::string host = host_name_ ? host_name_(peer) : here_;
  const std::string itself = "rank " + std::to_string(peer);
  const auto is_digit = [&](std::size_t at) {
    return at < text.size() && text[at] >= '0' && text[at] <= '9';
  };
  for (std::size_t at = 0; !host.empty() && (at = text.find(itself, at)) != text.npos;) {
    at += itself.size();
    if (is_digit(at)) continue;  // a longer number
    text.insert(at, " on host " + host);
    return;
  }
}

std::optional<RankId> Ending::take_silent_peer() {
  if (look_ != Look::kWanted) return std::nullopt;
  look_ = Look::kAsked;
  return cause_.peer;
}

void Ending::rank_was_seen(RankId rank, observe::ProcessState state, std::uint64_t now_ns) {
  if (look_ != Look::kAsked || rank != cause_.peer) return;
  look_ = Look::kNone;
  using observe::ProcessState;
  if (state == ProcessState::kStopped) cause_.line += "; its process is stopped";
  if (state == ProcessState::kTraced) cause_.line += "; its process is held by a debugger";
  if (state == ProcessState::kRuns || state == ProcessState::kSleeps)
    cause_.line += "; its process is alive and not stopped";
  if (phase_ == Phase::kGrace) phase_end_ns_ = std::min(phase_end_ns_, now_ns + kCrashGrace);
}

void Ending::rank_aborted(RankId rank, std::string text, std::uint64_t now_ns, RankId peer) {
  if (peer != kNoRank) name_host_of(peer, text);
  // The line names the rank but not its host.
  if (host_name_) {
    const std::string number = std::to_string(rank);
    for (const std::string& itself : {"(proc " + number + ")", "aqueduct: rank " + number + " "}) {
      if (const std::size_t at = text.find(itself); at != text.npos) {
        text.insert(at + itself.size() - 1, " on host " + host_name_(rank));
        break;
      }
    }
  }
  if (goes_on_ && is_running()) {
    ranks_[rank].last_words = std::move(text);
    return;
  }
  const bool is_cause = take({.line = std::move(text), .code = 1, .is_announced = true, .peer = peer},
                             peer == kNoRank ? kCrashGrace : kPeerGrace, now_ns);
  if (is_cause) look_ = peer == kNoRank ? Look::kNone : Look::kWanted;
}

void Ending::rank_ended(RankId rank, int wait_status, std::uint64_t now_ns, const std::string& remark) {
  if (ranks_[rank].has_ended) return;
  ranks_[rank].has_ended = true;
  --alive_;
  if (WIFSIGNALED(wait_status)) {
    const int signal = WTERMSIG(wait_status);
    const int code = 128 + signal;
    const char* core = WCOREDUMP(wait_status) ? " and left a core file" : "";
    const std::string what =
        "aqueduct: " + name(rank) + " was killed by signal " + signal_name(signal) + core + remark;
    if (outlives(rank, what)) return;
    take({.line = what + job_ends(code), .code = code}, kCrashGrace, now_ns);
  } else if (const int code = WEXITSTATUS(wait_status); code != 0) {
    const std::string& words = ranks_[rank].last_words;
    const std::string what =
        words.empty() ? "aqueduct: " + name(rank) + " ended with code " + std::to_string(code) : words;
    if (!ranks_[rank].is_leaving && outlives(rank, what)) return;
    take({.line = words.empty() ? what + job_ends(code) : what, .code = code}, kCollectiveGrace, now_ns);
  } else if (ranks_[rank].has_started) {
    note_departure(rank, "ended with code 0 by neither gasnet_exit nor exit (perhaps _exit)", now_ns);
  } else {
    note_departure(rank, "ended with code 0 before gex_Client_Init", now_ns);
  }
}

void Ending::supervisor_signalled(int signal, std::uint64_t now_ns) {
  const int code = 128 + signal;
  // A second signal, from a person and not from a tool that signals both us and our group, ends the waiting.
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

void Ending::host_was_lost(std::span<const RankId> ranks, const std::string& line, int code,
                           std::uint64_t now_ns) {
  std::vector<RankId> lost;
  for (const RankId rank : ranks) {
    if (ranks_[rank].has_ended) continue;
    ranks_[rank].has_ended = true;
    --alive_;
    lost.push_back(rank);
  }
  bool all_are_outlived = !lost.empty();
  for (const RankId rank : lost) {
    all_are_outlived &= outlives(rank, line);
    if (all_are_outlived && rank != lost.front()) deaths_.back().line.clear();  // one loss, one line
  }
  if (all_are_outlived) return;
  take({.line = line, .code = code}, 0, now_ns);
}

void Ending::agent_signalled(const std::string& host, int signal, std::uint64_t now_ns) {
  const int code = 128 + signal;
  take({.line = "aqueduct: the agent on host " + host + " received signal " + signal_name(signal) +
                job_ends(code),
        .code = code},
       kInterruptGrace, now_ns);
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
  judge_departure(now_ns);
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
