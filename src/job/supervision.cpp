#include "job/supervision.hpp"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <fstream>
#include <string>

#include "base/clock.hpp"
#include "job/control.hpp"

namespace aqueduct::job {
namespace {

constexpr std::size_t kBacklogWhileRunning = 1 << 20;
/// Ranks that leave must not wait for a slow reader, within reason.
constexpr std::size_t kBacklogWhileEnding = 64 << 20;
constexpr int kEventsAtOnce = 64;
constexpr std::uint64_t kMillisecondNs = 1'000'000;
/// Between two looks at who waits. A client that waits by itself should look for messages more often.
constexpr std::uint64_t kLookNs = 250 * kMillisecondNs;

std::uint64_t now_ns() { return machine_clock().now_ns(); }

/// Whether a living process has none of the job's shared memory mapped, as every rank that has started the
/// library has.
bool runs_another_program(pid_t pid) {
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  bool lives = false;
  for (std::string line; std::getline(maps, line); lives = true) {
    if (line.find("/memfd:aqueduct") != std::string::npos) return false;
  }
  return lives;
}

}  // namespace

Supervision::Supervision(Spawned spawned, std::optional<Rendezvous> rendezvous, bool tag, double time_limit_s,
                         SupervisorSignals& signals, Adoption& adoption, int lifeline_fd)
    : signals_(signals),
      adoption_(adoption),
      ending_(static_cast<RankId>(spawned.ranks.size())),
      waiting_(std::move(spawned.memory), static_cast<RankId>(spawned.ranks.size())),
      rendezvous_(std::move(rendezvous)),
      epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (time_limit_s > 0) ending_.limit_time(time_limit_s, now_ns());
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) sinks_.push_back({OutputSink(fd)});
  watch(signals_.fd(), Kind::kSignal, 0, EPOLLIN);
  watch(lifeline_fd, Kind::kLifeline, static_cast<std::uint32_t>(lifeline_fd), EPOLLIN);
  for (std::uint32_t rank = 0; rank < spawned.ranks.size(); ++rank) {
    RankProcess& process = spawned.ranks[rank];
    Rank entry;
    entry.streams.push_back({std::move(process.output), LineSource(rank, tag)});
    entry.streams.push_back({std::move(process.errors), LineSource(rank, tag)});
    entry.process = std::move(process);
    ranks_.push_back(std::move(entry));
    if (ranks_[rank].process.process)
      watch(ranks_[rank].process.process.get(), Kind::kProcess, rank, EPOLLIN);
    watch(ranks_[rank].process.control.get(), Kind::kControl, rank, EPOLLIN);
    for (const Channel channel : {kOutput, kErrors}) {
      watch(ranks_[rank].streams[channel].fd.get(), Kind::kStream, rank * kChannels + channel, EPOLLIN);
    }
  }
  serve_rendezvous();
}

int Supervision::run() {
  while (!ending_.is_over()) {
    wait_for_events();
    serve_sinks();
    look_who_waits();
    take_step();
  }
  adoption_.end_all();
  collect_last_output();
  write_last_output();
  return ending_.exit_code();
}

void Supervision::watch(int fd, Kind kind, std::uint32_t index, std::uint32_t events) {
  epoll_event event = {};
  event.events = events;
  event.data.u64 = std::uint64_t{static_cast<std::uint32_t>(kind)} << 32 | index;
  epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event);
}

void Supervision::unwatch(int fd) { epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr); }

void Supervision::wait_for_events() {
  int timeout_ms = -1;
  const std::uint64_t next =
      std::min(ending_.next_step_ns(), ending_.is_watching() ? next_look_ns_ : ~std::uint64_t{0});
  if (next != ~std::uint64_t{0}) {
    const std::uint64_t now = now_ns();
    const std::uint64_t wait_ms = next > now ? (next - now) / kMillisecondNs + 1 : 0;
    timeout_ms = static_cast<int>(std::min<std::uint64_t>(wait_ms, INT_MAX));
  }
  epoll_event events[kEventsAtOnce];
  const int count = epoll_wait(epoll_.get(), events, kEventsAtOnce, timeout_ms);
  serve_signals();
  for (int i = 0; i < count; ++i) {
    const auto kind = static_cast<Kind>(events[i].data.u64 >> 32);
    const auto index = static_cast<std::uint32_t>(events[i].data.u64);
    if (kind == Kind::kLifeline) {
      unwatch(static_cast<int>(index));
      ending_.guard_was_killed(now_ns());
    }
    if (kind == Kind::kProcess) serve_process(index);
    if (kind == Kind::kStream) serve_stream(index);
    if (kind == Kind::kRendezvous) serve_rendezvous();
    if (kind == Kind::kControl) {
      serve_control(index);
      if ((events[i].events & EPOLLHUP) != 0) serve_hang_up(index);
    }
  }
}

void Supervision::serve_rendezvous() {
  if (!rendezvous_) return;
  rendezvous_->serve();
  if (rendezvous_->is_over()) return rendezvous_.reset();
  // Those that are watched already are refused, and closing one has ended its watch.
  std::vector<pollfd> polled;
  rendezvous_->add_to_poll(polled);
  for (const pollfd& each : polled) watch(each.fd, Kind::kRendezvous, 0, EPOLLIN);
}

void Supervision::serve_signals() {
  while (const std::optional<SupervisorSignals::Received> received = signals_.next()) {
    if (received->signal == SIGCHLD) {
      reap();
      continue;
    }
    if (!received->reached_ranks) signal_ranks(received->signal);
    if (asks_to_end(received->signal)) ending_.supervisor_signalled(received->signal, now_ns());
  }
}

/// Takes the status of every child that has ended, also of adopted ones, which nobody asks about.
void Supervision::reap() {
  int status = 0;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    const auto rank =
        std::find_if(ranks_.begin(), ranks_.end(), [&](const Rank& r) { return r.process.pid == pid; });
    if (rank == ranks_.end()) continue;
    rank->wait_status = status;
    if (!rank->process.process) judge(static_cast<std::uint32_t>(rank - ranks_.begin()));
  }
}

void Supervision::serve_control(std::uint32_t rank) {
  while (const std::optional<Announcement> news = receive_announcement(ranks_[rank].process.control.get())) {
    if (news->kind == ControlKind::kStart) ending_.rank_started(rank, news->code);
    if (news->kind == ControlKind::kExit) ending_.rank_called_exit(rank, news->code, now_ns());
    if (news->kind == ControlKind::kReturn) ending_.rank_returned(rank, now_ns());
    if (news->kind == ControlKind::kAbort) ending_.rank_aborted(rank, news->text, now_ns());
  }
}

/// Nobody holds the rank's end any more: it has ended, and we shall hear of that, or it runs another program.
void Supervision::serve_hang_up(std::uint32_t rank) {
  unwatch(ranks_[rank].process.control.get());
  if (runs_another_program(ranks_[rank].process.pid)) ending_.rank_replaced(rank, now_ns());
}

void Supervision::look_who_waits() {
  const std::uint64_t now = now_ns();
  if (!ending_.is_watching() || now < next_look_ns_) return;
  next_look_ns_ = now + kLookNs;
  waiting_.look();
  for (RankId rank = 0; rank < ranks_.size(); ++rank)
    ending_.rank_waits(rank, waiting_.is_waiting(rank), now);
}

void Supervision::serve_process(std::uint32_t rank) {
  unwatch(ranks_[rank].process.process.get());
  if (!ranks_[rank].wait_status) {
    int status = 0;
    waitpid(ranks_[rank].process.pid, &status, 0);
    ranks_[rank].wait_status = status;
  }
  judge(rank);
}

void Supervision::judge(std::uint32_t rank) {
  serve_control(rank);
  const int status = *ranks_[rank].wait_status;
  const bool may_be_the_system = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  ending_.rank_ended(rank, status, now_ns(), may_be_the_system ? oom_killer_.news() : "");
}

void Supervision::serve_stream(std::uint32_t index) {
  Stream& stream = ranks_[index / kChannels].streams[index % kChannels];
  OutputSink& sink = sinks_[index % kChannels].sink;
  if (!stream.fd || stream.lines.read_some(stream.fd.get(), sink)) return;
  stream.lines.finish(sink);
  stream.fd.close();
}

void Supervision::serve_sinks() {
  for (const Channel channel : {kOutput, kErrors}) {
    Sink& entry = sinks_[channel];
    entry.sink.write_some();
    if (const bool is_stuck = !entry.sink.is_empty(); is_stuck != entry.is_watched) {
      is_stuck ? watch(entry.sink.fd(), Kind::kSink, channel, EPOLLOUT) : unwatch(entry.sink.fd());
      entry.is_watched = is_stuck;
    }
    hold_or_release(channel);
  }
  if (const int error = sinks_[kOutput].sink.error(); error != 0) ending_.output_failed(error, now_ns());
}

void Supervision::hold_or_release(Channel channel) {
  Sink& entry = sinks_[channel];
  const std::size_t limit = ending_.is_running() ? kBacklogWhileRunning : kBacklogWhileEnding;
  const std::size_t backlog = entry.sink.backlog();
  const bool hold = entry.is_held ? backlog > limit / 2 : backlog > limit;
  if (hold == entry.is_held) return;
  entry.is_held = hold;
  for (std::uint32_t rank = 0; rank < ranks_.size(); ++rank) {
    const int fd = ranks_[rank].streams[channel].fd.get();
    if (fd < 0) continue;
    hold ? unwatch(fd) : watch(fd, Kind::kStream, rank * kChannels + channel, EPOLLIN);
  }
}

void Supervision::signal_ranks(int signal) {
  for (const Rank& rank : ranks_) {
    if (!rank.wait_status) kill(rank.process.pid, signal);
  }
}

void Supervision::take_step() {
  switch (ending_.step(now_ns())) {
    case Ending::Step::kNone:
      break;
    case Ending::Step::kTerminate:
      signal_ranks(SIGTERM);
      signal_ranks(SIGCONT);  // a stopped rank could not follow
      break;
    case Ending::Step::kKill:
      signal_ranks(SIGKILL);
      break;
  }
}

/// Every writer is gone; what the pipes still hold is all there will be.
void Supervision::collect_last_output() {
  for (const Channel channel : {kOutput, kErrors}) {
    OutputSink& sink = sinks_[channel].sink;
    for (Rank& rank : ranks_) {
      Stream& stream = rank.streams[channel];
      pollfd readable = {stream.fd.get(), POLLIN, 0};
      while (stream.fd && poll(&readable, 1, 0) > 0 && (readable.revents & POLLIN) != 0) {
        if (!stream.lines.read_some(stream.fd.get(), sink)) break;
      }
      stream.lines.finish(sink);
    }
  }
}

/// Waits for slow readers, unless somebody signals that there is no point.
void Supervision::write_last_output() {
  sinks_[kOutput].sink.write_some();
  if (const std::string line = ending_.line(); !line.empty())
    sinks_[kErrors].sink.append(kNoRank, line + "\n");
  for (;;) {
    pollfd waiting[1 + kChannels] = {{signals_.fd(), POLLIN, 0}};
    nfds_t count = 1;
    for (Sink& entry : sinks_) {
      entry.sink.write_some();
      if (!entry.sink.is_empty()) waiting[count++] = {entry.sink.fd(), POLLOUT, 0};
    }
    if (count == 1) return;
    poll(waiting, count, -1);
    while (const std::optional<SupervisorSignals::Received> received = signals_.next()) {
      if (asks_to_end(received->signal)) return;
    }
  }
}

}  // namespace aqueduct::job
