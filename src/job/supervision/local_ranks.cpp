#include "job/supervision/local_ranks.hpp"

#include <poll.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <string>

#include "job/supervision/announcements.hpp"
#include "job/supervision/another_program.hpp"

namespace aqueduct::job {
namespace {

std::vector<RankId> numbers_of(const Spawned& spawned) {
  std::vector<RankId> numbers;
  for (const RankProcess& process : spawned.ranks) numbers.push_back(process.rank);
  return numbers;
}

}  // namespace

LocalRanks::LocalRanks(Spawned spawned, RankId size, std::string host, std::optional<Rendezvous> rendezvous,
                       bool tag, Adoption& adoption, net::EventSet& events, RankWatcher& watcher)
    : alive_(spawned.ranks.size()),
      adoption_(adoption),
      events_(events),
      watcher_(watcher),
      memory_(std::move(spawned.memory), numbers_of(spawned)),
      inspection_(memory_.memory_fd(), memory_.ranks(), size, std::move(host)),
      rendezvous_(std::move(rendezvous), events) {
  ranks_.reserve(spawned.ranks.size());
  for (std::uint32_t index = 0; index < spawned.ranks.size(); ++index) {
    RankProcess& process = spawned.ranks[index];
    Rank entry;
    entry.streams.reserve(kChannels);
    entry.streams.emplace_back(watcher, Channel::kOutput, std::move(process.output), process.rank, tag);
    entry.streams.emplace_back(watcher, Channel::kErrors, std::move(process.errors), process.rank, tag);
    entry.process = std::move(process);
    ranks_.push_back(std::move(entry));
    const RankProcess& kept = ranks_.back().process;
    if (kept.process)
      events_.watch(kept.process.get(), EPOLLIN,
                    [this, index](std::uint32_t) { serve_process(ranks_[index]); });
    events_.watch(kept.control.get(), EPOLLIN,
                  [this, index](std::uint32_t flags) { serve_control(ranks_[index], flags); });
    for (std::uint32_t channel = 0; channel < kChannels; ++channel) {
      watch_stream(index, channel);
    }
  }
}

void LocalRanks::tell(RankEvent::Kind kind, const Rank& rank, int number, std::string text) {
  watcher_.take({kind, rank.process.rank, number, std::move(text)});
}

void LocalRanks::watch_stream(std::uint32_t index, std::uint32_t channel) {
  events_.watch(ranks_[index].streams[channel].fd.get(), EPOLLIN,
                [this, index, channel](std::uint32_t) { serve_stream(ranks_[index].streams[channel]); });
}

/// Reaps every child that has ended, also adopted ones.
void LocalRanks::child_has_ended() {
  int status = 0;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    const auto rank =
        std::find_if(ranks_.begin(), ranks_.end(), [&](const Rank& r) { return r.process.pid == pid; });
    if (rank == ranks_.end()) continue;
    rank->wait_status = status;
    if (!rank->process.process) judge(*rank);
  }
}

void LocalRanks::serve_control(Rank& rank, std::uint32_t flags) {
  const int control = rank.process.control.get();
  tell_announcements(control, rank.process.rank, watcher_);
  if ((flags & EPOLLHUP) == 0) return;
  // The rank's end of the socket is closed: it has ended, which its process descriptor reports, or it runs
  // another program.
  events_.unwatch(control);
  if (runs_another_program(rank.process.pid)) tell(RankEvent::Kind::kReplaced, rank);
}

void LocalRanks::serve_process(Rank& rank) {
  events_.unwatch(rank.process.process.get());
  if (!rank.wait_status) {
    int status = 0;
    waitpid(rank.process.pid, &status, 0);
    rank.wait_status = status;
  }
  judge(rank);
}

void LocalRanks::judge(Rank& rank) {
  if (rank.is_judged) return;
  rank.is_judged = true;
  tell_announcements(rank.process.control.get(), rank.process.rank, watcher_);
  const int status = *rank.wait_status;
  const bool may_be_the_system = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  --alive_;
  tell(RankEvent::Kind::kEnded, rank, status, may_be_the_system ? oom_killer_.news() : "");
}

void LocalRanks::serve_stream(Stream& stream) {
  if (!stream.fd || stream.lines.read_some(stream.fd.get(), stream)) return;
  stream.lines.finish(stream);
  stream.fd.close();
}

void LocalRanks::hold(Channel channel, bool is_held) {
  const auto which = static_cast<std::uint32_t>(channel);
  for (std::uint32_t index = 0; index < ranks_.size(); ++index) {
    const int fd = ranks_[index].streams[which].fd.get();
    if (fd < 0) continue;
    if (is_held) {
      events_.unwatch(fd);
    } else {
      watch_stream(index, which);
    }
  }
}

void LocalRanks::signal(int number) {
  for (const Rank& rank : ranks_) {
    if (!rank.wait_status) kill(rank.process.pid, number);
  }
}

void LocalRanks::look_who_waits() { memory_.look(watcher_); }

void LocalRanks::inspect(const InspectOptions& look) { watcher_.take_states(inspection_.look(look)); }

/// After every writer is gone, the pipes hold all that will come.
void LocalRanks::finish() {
  adoption_.end_all();
  for (std::uint32_t channel = 0; channel < kChannels; ++channel) {
    for (Rank& rank : ranks_) {
      Stream& stream = rank.streams[channel];
      pollfd readable = {stream.fd.get(), POLLIN, 0};
      while (stream.fd && poll(&readable, 1, 0) > 0 && (readable.revents & POLLIN) != 0) {
        if (!stream.lines.read_some(stream.fd.get(), stream)) break;
      }
      stream.lines.finish(stream);
    }
  }
  is_finished_ = true;
}

}  // namespace aqueduct::job
