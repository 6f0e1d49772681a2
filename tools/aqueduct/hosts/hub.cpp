#include "hosts/hub.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>

#include "hosts/rank_input.hpp"

namespace aqueduct::job {
namespace {

/// The time for remote shells to end after their agents.
constexpr std::uint64_t kShellGraceNs = 2'000'000'000;
/// Between two checks whether this process is in the terminal's foreground.
constexpr std::uint64_t kForegroundNs = 500'000'000;
/// Beats of the child within the time that silence may last.
constexpr useconds_t kBeatsOfChild = 5;
constexpr std::size_t kInputChunk = std::size_t{32} << 10;

}  // namespace

Hub::Hub(const HostsLaunch& job, Supervision& supervision, const SupervisorSignals& signals,
         const DescriptorLimit& limit)
    : job_(job), supervision_(supervision), signals_(signals), limit_(limit) {
  hosts_.reserve(job.placement.hosts.size());
  for (const Placement::Host& place : job.placement.hosts) hosts_.emplace_back(job.agents, place);
  phase_began_ns_ = clock_ns();
  start_shells();
}

void Hub::serve_link(Host& host) {
  if (host.is_gone) return;
  if (host.link().receive() && host.heartbeat) host.heartbeat->heard(clock_ns());
  while (!host.is_gone) {
    const std::optional<agent::Message> message = host.link().next();
    if (!message) break;
    if (!host.hello && !std::holds_alternative<agent::Hello>(*message))
      return lose(host, "does not begin with a greeting");
    std::visit([&](const auto& each) { hear(host, each); }, *message);
  }
  if (host.is_gone) return;
  if (host.link().is_garbled()) {
    if (const std::string why = host.process.why_garbled(); !host.hello && !why.empty()) return fail(why, 1);
    return lose(host, "sends what cannot be understood");
  }
  if (host.link().is_closed()) lose_closed(host);
}

void Hub::hear(Host& host, const agent::Failed& failed) {
  fail("host " + host.name() + ": " + failed.why, std::clamp<int>(failed.code, 1, 255));
}

bool Hub::owns(const Host& host, RankId rank) const {
  const std::vector<RankId>& ranks = host.place->ranks;
  return std::binary_search(ranks.begin(), ranks.end(), rank);
}

void Hub::hear(Host& host, const agent::Happened& happened) {
  const std::optional<RankEvent> event = agent::event_in(happened);
  if (!event || !owns(host, event->rank)) return lose(host, "speaks of a rank that is not there");
  supervision_.take(*event);
}

void Hub::hear(Host& host, const agent::Written& written) {
  if (!owns(host, written.rank) || written.channel >= kChannels)
    return lose(host, "writes for a rank that is not there");
  supervision_.take_output(written.rank, static_cast<Channel>(written.channel), written.text);
}

void Hub::hear(Host& host, const agent::Taken& taken) {
  if (&host != hosts_.data() || taken.bytes > input_ahead_)
    return lose(host, "takes input that was not sent");
  input_ahead_ -= static_cast<std::size_t>(taken.bytes);
  watch_input();
}

void Hub::hear(Host& host, const agent::Signalled& signalled) {
  signal(signalled.number);
  supervision_.ending().agent_signalled(host.name(), signalled.number, clock_ns());
}

void Hub::hear(Host& host, const agent::Finished&) {
  if (phase_ != Phase::kFinishing) return lose(host, "ends too early");
  host.is_gone = true;
  host.link().close();
}

void Hub::fail(const std::string& line, int code) {
  if (has_failed_) return;
  has_failed_ = true;
  supervision_.ending().go_on_after_deaths(false);
  for (Host& host : hosts_) {
    host.is_gone = true;
    if (host.hello) {
      host.link().close();
    } else {
      host.process.stop();
    }
    supervision_.ending().host_was_lost(host.place->ranks, "aqueduct: " + line, code, clock_ns());
  }
}

void Hub::lose(Host& host, const std::string& what) {
  if (host.is_gone) return;
  if (phase_ != Phase::kRunning && phase_ != Phase::kFinishing)
    return fail("the agent on host " + host.name() + " " + what, 1);
  host.is_gone = true;
  host.link().close();
  std::string line = "aqueduct: the agent on host " + host.name() + " " + what;
  if (!supervision_.ending().goes_on_after_deaths()) line += "; the job ends with code 1";
  supervision_.ending().host_was_lost(host.place->ranks, line, 1, clock_ns());
}

void Hub::lose_closed(Host& host) {
  host.process.read_complaints();
  if (host.hello) {
    const std::string words = host.process.complaints();
    return lose(host, "is gone with its ranks" + (words.empty() ? "" : " (" + words + ")"));
  }
  if (host.process.has_ended()) fail(host.process.why_no_agent(), 1);  // otherwise its end comes soon
}

void Hub::child_has_ended() {
  int status = 0;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    for (Host& host : hosts_) {
      if (host.process.pid() == pid) host.process.ended(status);
    }
  }
}

void Hub::signal(int number) {
  for (Host& host : hosts_) {
    if (!host.is_gone && host.hello) host.link().send(agent::Signal{number});
  }
  // No rank runs yet.
  if (phase_ != Phase::kRunning && phase_ != Phase::kFinishing &&
      (asks_to_end(number) || number == SIGKILL)) {
    supervision_.ending().supervisor_signalled(number, clock_ns());
    fail("", 128 + number);
  }
}

void Hub::pause(bool is_paused) {
  if (!is_paused && beating_child_ > 0) {
    // First ends the child, because only one process may write to a connection.
    kill(beating_child_, SIGKILL);
    waitpid(beating_child_, nullptr, 0);
    beating_child_ = -1;
  }
  // Also to agents that have not greeted yet, for which this may be the first message.
  for (Host& host : hosts_) {
    if (!host.is_gone && host.process.is_started()) host.link().send(agent::Pause{is_paused});
  }
  if (is_paused && job_.patience_ms != 0) keep_beating();
}

void Hub::keep_beating() {
  const pid_t launcher = getpid();
  beating_child_ = fork();
  if (beating_child_ != 0) return;
  // The child dies with the launcher, even if that is killed while it is stopped, and is not in its process
  // group.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != launcher) _exit(0);
  setsid();
  for (;;) {
    usleep(job_.patience_ms * 1000 / kBeatsOfChild);
    for (Host& host : hosts_) {
      // Skips links on which the launcher has queued bytes. A beat is so short that the system writes all of
      // it or nothing.
      if (host.is_gone || !host.process.is_started() || host.link().backlog() != 0) continue;
      host.link().send(agent::Beat{job_.patience_ms});
    }
  }
}

void Hub::hold(Channel channel, bool is_held) {
  for (Host& host : hosts_) {
    if (!host.is_gone && host.hello)
      host.link().send(agent::Hold{static_cast<std::uint8_t>(channel), is_held});
  }
}

void Hub::look_who_waits() {
  for (Host& host : hosts_) {
    if (!host.is_gone && host.hello) host.link().send(agent::Look{});
  }
}

void Hub::inspect(const InspectOptions& look) {
  for (Host& host : hosts_) {
    if (!host.is_gone && host.hello) host.link().send(agent::Inspect{look.with_stacks, look.with_counters});
  }
}

std::size_t Hub::hosts_to_answer() const {
  return static_cast<std::size_t>(std::count_if(
      hosts_.begin(), hosts_.end(), [](const Host& host) { return !host.is_gone && host.hello; }));
}

void Hub::hear(Host& host, const agent::Inspected& inspected) {
  std::optional<std::vector<observe::RankState>> states = observe::decode(inspected.states);
  if (!states) return lose(host, "sends what cannot be understood");
  for (observe::RankState& state : *states) {
    if (!owns(host, state.rank)) return lose(host, "speaks of a rank that is not there");
    state.where = "host " + host.name() + (state.where.empty() ? "" : ", ") + state.where;
  }
  supervision_.take_states(std::move(*states));
}

void Hub::tell_failed(RankId rank) {
  for (Host& host : hosts_) {
    if (!host.is_gone && host.hello) host.link().send(agent::Died{rank});
  }
}

void Hub::finish() {
  phase_ = Phase::kFinishing;
  for (Host& host : hosts_) {
    if (!host.is_gone && host.hello) host.link().send(agent::Finish{});
  }
}

bool Hub::is_finished() const {
  if (phase_ != Phase::kFinishing) return false;
  return std::all_of(hosts_.begin(), hosts_.end(), [&](const Host& host) {
    return host.is_gone && (host.process.has_ended() || clock_ns() >= end_by_ns_);
  });
}

void Hub::keep_time(std::uint64_t now_ns) {
  for (Host& host : hosts_) {
    if (host.is_gone || !host.heartbeat) continue;
    if (host.heartbeat->should_beat(now_ns)) host.link().send(agent::Beat{job_.patience_ms});
    if (phase_ == Phase::kStarting) host.heartbeat->heard(now_ns);
    if (host.heartbeat->is_silent(now_ns)) {
      char seconds[32];
      std::snprintf(seconds, sizeof seconds, "%g", job_.patience_ms / 1000.0);
      lose(host, std::string("has been silent for ") + seconds +
                     " s (AQUEDUCT_HEARTBEAT): its host is down or out of reach");
    }
  }
  judge_start(now_ns);
  if (now_ns >= next_input_ns_) {
    next_input_ns_ = ~std::uint64_t{0};
    watch_input();
  }
  if (is_input_a_file_) serve_input();
  const bool all_gone =
      std::all_of(hosts_.begin(), hosts_.end(), [](const Host& host) { return host.is_gone; });
  if (all_gone && end_by_ns_ == ~std::uint64_t{0}) end_by_ns_ = now_ns + kShellGraceNs;
}

std::uint64_t Hub::next_time_ns() const {
  std::uint64_t next = std::min(next_input_ns_, end_by_ns_);
  for (const Host& host : hosts_) {
    if (!host.is_gone && host.heartbeat) next = std::min(next, host.heartbeat->next_ns());
  }
  if (phase_ != Phase::kRunning && phase_ != Phase::kFinishing)
    next = std::min(next, clock_ns() + kSecondNs / 20);
  if (is_input_a_file_) next = 0;
  return next;
}

void Hub::watch_input() {
  const bool wants =
      phase_ == Phase::kRunning && !is_input_over_ && !hosts_[0].is_gone && input_ahead_ < kInputWindow;
  if (!wants && is_input_watched_) supervision_.events().unwatch(STDIN_FILENO);
  if (!wants) is_input_watched_ = is_input_a_file_ = false;
  if (!wants || is_input_watched_ || is_input_a_file_) return;
  if (isatty(STDIN_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) != getpgrp()) {
    next_input_ns_ = clock_ns() + kForegroundNs;  // another program has the terminal
    return;
  }
  is_input_watched_ =
      supervision_.events().watch(STDIN_FILENO, EPOLLIN, [this](std::uint32_t) { serve_input(); });
  is_input_a_file_ = !is_input_watched_;
}

void Hub::serve_input() {
  static char buffer[kInputChunk];  // not on the stack, which may be small (ulimit -s); one thread supervises
  if (phase_ != Phase::kRunning || hosts_[0].is_gone) return watch_input();
  const ssize_t length = ::read(STDIN_FILENO, buffer, std::min(kInputChunk, kInputWindow - input_ahead_));
  if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
  is_input_over_ = length <= 0;
  if (length > 0) input_ahead_ += static_cast<std::size_t>(length);
  hosts_[0].link().send(agent::Input{std::string(buffer, length > 0 ? static_cast<std::size_t>(length) : 0)});
  watch_input();
}

}  // namespace aqueduct::job
