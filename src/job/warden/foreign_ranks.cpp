#include "job/warden/foreign_ranks.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "job/supervision/announcements.hpp"
#include "job/supervision/another_program.hpp"
#include "job/warden/exit_status.hpp"
#include "job/warden/order.hpp"

namespace aqueduct::job::warden {
namespace {

/// Whether the kernel schedules sessions as groups.
bool are_sessions_groups() {
  std::ifstream file("/proc/sys/kernel/sched_autogroup_enabled");
  int value = 0;
  return file >> value && value != 0;
}

}  // namespace

ForeignRanks::ForeignRanks(const WardenPlan& plan, net::Descriptor memory, net::Descriptor listener,
                           net::EventSet& events, RankWatcher& watcher)
    : memory_(std::move(memory)),
      listener_(std::move(listener)),
      numbers_(plan.machines.ranks_of(plan.machine)),
      ranks_(numbers_.size()),
      events_(events),
      watcher_(watcher),
      host_memory_(memory_.copy(), numbers_),
      inspection_(host_memory_.memory_fd(), numbers_, plan.machines.size(),
                  plan.machines.hosts() > 1 ? plan.names[plan.machine] : "") {
  for (std::size_t i = 0; i < numbers_.size(); ++i) ranks_[i].number = numbers_[i];
  events_.watch(listener_.get(), EPOLLIN, [this](std::uint32_t) { serve_listener(); });
}

std::vector<RankId> ForeignRanks::missing() const {
  std::vector<RankId> numbers;
  for (const Rank& rank : ranks_) {
    if (rank.pid < 0) numbers.push_back(rank.number);
  }
  return numbers;
}

void ForeignRanks::tell(RankEvent::Kind kind, const Rank& rank, int number, std::string text) {
  watcher_.take({kind, rank.number, number, std::move(text)});
}

void ForeignRanks::serve_listener() {
  std::optional<Enrolment> enrolment = accept_rank(listener_.get());
  if (!enrolment) return;
  const auto found = std::find(numbers_.begin(), numbers_.end(), enrolment->said.rank);
  if (found == numbers_.end()) return;
  const auto index = static_cast<std::uint32_t>(found - numbers_.begin());
  Rank& rank = ranks_[index];
  if (rank.pid >= 0) return;  // the launcher has given this number twice
  rank.pid = enrolment->pid;
  rank.control = std::move(enrolment->control);
  rank.cpus = enrolment->said.cpus;
  rank.session = enrolment->said.session;
  rank.process = open_process(rank.pid);
  ++here_;
  ++alive_;
  if (rank.process)
    events_.watch(rank.process.get(), EPOLLIN, [this, index](std::uint32_t) { judge(ranks_[index]); });
  events_.watch(rank.control.get(), EPOLLIN,
                [this, index](std::uint32_t flags) { serve_control(ranks_[index], flags); });
  if (are_all_here()) welcome_all();
}

void ForeignRanks::welcome_all() {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (const Rank& rank : ranks_) CPU_OR(&all, &all, &rank.cpus);
  Welcome answer;
  answer.cores = static_cast<std::uint32_t>(CPU_COUNT(&all));
  const bool is_one_session = std::all_of(ranks_.begin(), ranks_.end(),
                                          [&](const Rank& r) { return r.session == ranks_[0].session; });
  answer.yields_reach_others = is_one_session || !are_sessions_groups() ? 1 : 0;
  for (const Rank& rank : ranks_) welcome(rank.control.get(), answer, memory_.get());
  events_.unwatch(listener_.get());
  listener_.close();
  memory_.close();
}

void ForeignRanks::serve_control(Rank& rank, std::uint32_t flags) {
  tell_announcements(rank.control.get(), rank.number, watcher_);
  if ((flags & EPOLLHUP) == 0) return;
  events_.unwatch(rank.control.get());
  // Its end of the socket is closed, which means its end if there is no process descriptor.
  if (!rank.process) return judge(rank);
  if (runs_another_program(rank.pid)) tell(RankEvent::Kind::kReplaced, rank);
}

void ForeignRanks::judge(Rank& rank) {
  if (rank.has_ended) return;
  tell_announcements(rank.control.get(), rank.number, watcher_);
  if (rank.process) events_.unwatch(rank.process.get());
  rank.has_ended = true;
  --alive_;
  const std::optional<int> status = rank.process ? exit_status(rank.process.get(), rank.pid) : std::nullopt;
  if (!status) {
    tell(RankEvent::Kind::kAborted, rank, 0,
         "aqueduct: rank " + std::to_string(rank.number) +
             " ended without a word: it was killed, or called _exit");
  }
  const bool may_be_the_system = status && WIFSIGNALED(*status) && WTERMSIG(*status) == SIGKILL;
  tell(RankEvent::Kind::kEnded, rank, status.value_or(W_EXITCODE(1, 0)),
       may_be_the_system ? oom_killer_.news() : "");
}

void ForeignRanks::signal(int number) {
  for (const Rank& rank : ranks_) {
    if (rank.pid < 0 || rank.has_ended) continue;
    if (rank.process) {
      signal_process(rank.process.get(), number);
    } else {
      ::kill(rank.pid, number);
    }
  }
}

void ForeignRanks::order_to_leave(int code) {
  for (const Rank& rank : ranks_) {
    if (rank.pid < 0 || rank.has_ended) continue;
    if (!rank.process || !warden::order_to_leave(rank.process.get(), code)) ::kill(rank.pid, SIGTERM);
  }
  signal(SIGCONT);
}

}  // namespace aqueduct::job::warden
