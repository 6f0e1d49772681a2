#include "job/supervision/supervision.hpp"

#include <poll.h>

#include <algorithm>
#include <csignal>
#include <string>

#include "base/clock.hpp"

namespace aqueduct::job {
namespace {

constexpr std::size_t kBacklogWhileRunning = 1 << 20;
/// Ranks that leave do not wait for a slow reader unless the backlog is this large.
constexpr std::size_t kBacklogWhileEnding = 64 << 20;
/// Between two looks at which ranks wait. A client that waits in a loop of its own should poll more often.
constexpr std::uint64_t kLookNs = 250'000'000;

std::uint64_t now_ns() { return machine_clock().now_ns(); }

}  // namespace

Supervision::Supervision(Ending ending, const SupervisionOptions& options)
    : signals_(options.signals),
      explains_early_(options.explains_early),
      ending_(std::move(ending)),
      states_(
          ending_.ranks(), events_, [this](const InspectOptions& look) { return ask_hosts(look); },
          [this](const std::string& text) { sinks_[1].sink.append(kNoRank, text); }) {
  if (options.time_limit_s > 0) ending_.limit_time(options.time_limit_s, now_ns());
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) sinks_.push_back({OutputSink(fd)});
  if (signals_) events_.watch(signals_->fd(), EPOLLIN, {});  // served before all others
  if (const int lifeline = options.lifeline_fd; lifeline >= 0) {
    events_.watch(lifeline, EPOLLIN, [this, lifeline](std::uint32_t) {
      events_.unwatch(lifeline);
      ending_.guard_was_killed(now_ns());
    });
  }
}

int Supervision::run(RankSource& source) {
  source_ = &source;
  for (bool is_finishing = false; !source.is_finished();) {
    if (ending_.is_over() && !is_finishing) {
      is_finishing = true;
      source.finish();
      continue;
    }
    wait_for_events();
    source.keep_time(now_ns());
    states_.keep_time(now_ns());
    tell_of_deaths();
    serve_sinks();
    look_who_waits();
    take_step();
  }
  write_last_output();
  return ending_.exit_code();
}

void Supervision::take(const RankEvent& event) {
  ending_.rank_event(event, now_ns());
  if (event.kind == RankEvent::Kind::kHangs) states_.rank_asks(now_ns());
  // If a report is under way, its states suffice.
  if (ending_.take_silent_peer() && !states_.is_asking()) ask_hosts({});
}

void Supervision::take_states(std::vector<observe::RankState> states) {
  for (const observe::RankState& state : states) ending_.rank_was_seen(state.rank, state.process, now_ns());
  states_.take_states(std::move(states));
}

std::size_t Supervision::ask_hosts(const InspectOptions& look) {
  if (!source_) return 0;
  const std::size_t hosts = source_->hosts_to_answer();
  source_->inspect(look);
  return hosts;
}

void Supervision::take_output(RankId rank, Channel channel, std::string_view text) {
  sinks_[static_cast<std::uint32_t>(channel)].sink.append(rank, text);
}

void Supervision::wait_for_events() {
  const std::uint64_t next =
      std::min({ending_.next_step_ns(), ending_.is_watching() ? next_look_ns_ : ~std::uint64_t{0},
                source_->next_time_ns(), states_.next_ns()});
  events_.wait_until(next);
  serve_signals();
  while (events_.serve_next()) {
  }
}

void Supervision::serve_signals() {
  if (!signals_) return;
  while (const std::optional<SupervisorSignals::Received> received = signals_->next()) {
    if (received->signal == SIGCHLD) {
      source_->child_has_ended();
      continue;
    }
    if (!received->reached_ranks || !source_->hears_terminal()) source_->signal(received->signal);
    if (received->signal == SIGTSTP) {  // handled only if the terminal's signals do not reach ranks
      source_->pause(true);
      stop_self();
      source_->pause(false);
      source_->signal(SIGCONT);
    }
    if (asks_to_end(received->signal)) ending_.supervisor_signalled(received->signal, now_ns());
  }
}

void Supervision::tell_of_deaths() {
  for (const Ending::Death& death : ending_.take_deaths()) {
    if (!death.line.empty()) sinks_[1].sink.append(kNoRank, death.line + "\n");
    source_->tell_failed(death.rank);
  }
}

void Supervision::look_who_waits() {
  const std::uint64_t now = now_ns();
  if (!ending_.is_watching() || now < next_look_ns_) return;
  next_look_ns_ = now + kLookNs;
  source_->look_who_waits();
}

void Supervision::serve_sinks() {
  for (std::uint32_t channel = 0; channel < kChannels; ++channel) {
    Sink& entry = sinks_[channel];
    entry.sink.write_some();
    if (const bool is_stuck = !entry.sink.is_empty(); is_stuck != entry.is_watched) {
      if (is_stuck) {
        events_.watch(entry.sink.fd(), EPOLLOUT, {});
      } else {
        events_.unwatch(entry.sink.fd());
      }
      entry.is_watched = is_stuck;
    }
    hold_or_release(static_cast<Channel>(channel));
  }
  if (const int error = sinks_[0].sink.error(); error != 0) ending_.output_failed(error, now_ns());
}

void Supervision::hold_or_release(Channel channel) {
  Sink& entry = sinks_[static_cast<std::uint32_t>(channel)];
  const std::size_t limit = ending_.is_running() ? kBacklogWhileRunning : kBacklogWhileEnding;
  const std::size_t backlog = entry.sink.backlog();
  const bool hold = entry.is_held ? backlog > limit / 2 : backlog > limit;
  if (hold == entry.is_held) return;
  entry.is_held = hold;
  source_->hold(channel, hold);
}

void Supervision::take_step() {
  switch (ending_.step(now_ns())) {
    case Ending::Step::kNone:
      break;
    case Ending::Step::kTerminate:
      if (explains_early_) {
        say_why();
        sinks_[1].sink.write_some();
      }
      source_->terminate(ending_.exit_code());
      break;
    case Ending::Step::kKill:
      source_->signal(SIGKILL);
      break;
  }
}

void Supervision::say_why() {
  const std::string line = ending_.line();
  if (has_said_why_ || line.empty()) return;
  has_said_why_ = true;
  sinks_[1].sink.append(kNoRank, line + "\n");
}

/// Waits for slow readers until a signal ends the wait.
void Supervision::write_last_output() {
  sinks_[0].sink.write_some();
  say_why();
  for (;;) {
    pollfd waiting[1 + kChannels] = {{signals_ ? signals_->fd() : -1, POLLIN, 0}};
    nfds_t count = 1;
    for (Sink& entry : sinks_) {
      entry.sink.write_some();
      if (!entry.sink.is_empty()) waiting[count++] = {entry.sink.fd(), POLLOUT, 0};
    }
    if (count == 1) return;
    poll(waiting, count, -1);
    if (!signals_) continue;
    while (const std::optional<SupervisorSignals::Received> received = signals_->next()) {
      if (asks_to_end(received->signal)) return;
    }
  }
}

}  // namespace aqueduct::job
