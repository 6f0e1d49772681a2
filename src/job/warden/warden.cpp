#include "job/warden/warden.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include "base/clock.hpp"
#include "base/fatal.hpp"
#include "job/inspection/job_table.hpp"
#include "job/place/shared_memory.hpp"
#include "job/warden/foreign_job.hpp"
#include "job/warden/other_warden.hpp"

namespace aqueduct::job::warden {
namespace {

/// The warden ignores signals: it ends when its ranks have ended.
void ignore_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM, SIGCHLD,
                           SIGTTOU, SIGTTIN, SIGTSTP, SIGXFSZ})
    ::signal(signal, SIG_IGN);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT}) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Closes the descriptors that the rank had open, because their other ends may wait for that. Keeps standard
/// error for the line.
void close_all_but(std::vector<int> kept) {
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(nothing, STDOUT_FILENO);
  kept.push_back(STDERR_FILENO);
  std::sort(kept.begin(), kept.end());
  unsigned first = STDERR_FILENO + 1;
  for (const int fd : kept) {
    if (fd < static_cast<int>(first)) continue;
    if (static_cast<unsigned>(fd) > first) ::close_range(first, static_cast<unsigned>(fd) - 1, 0);
    first = static_cast<unsigned>(fd) + 1;
  }
  ::close_range(first, ~0U, 0);
}

std::vector<int> descriptors_of(const WardenPlan& plan) {
  std::vector<int> descriptors;
  if (plan.listener) descriptors.push_back(plan.listener.get());
  std::vector<pollfd> polled;
  if (plan.rendezvous) plan.rendezvous->add_to_poll(polled);
  for (const pollfd& each : polled) descriptors.push_back(each.fd);
  return descriptors;
}

[[noreturn]] void become_warden(WardenPlan plan, net::Descriptor memory, net::Descriptor listener) {
  ::setsid();
  if (::fork() != 0) _exit(0);  // so that init becomes the parent
  ::prctl(PR_SET_NAME, "aqueduct-warden");
  set_failure_sink(nullptr);
  set_failure_witness(nullptr);
  set_reporting_rank(-1);
  ignore_signals();
  (void)!::chdir("/");
  std::vector<int> kept = descriptors_of(plan);
  kept.insert(kept.end(), {memory.get(), listener.get()});
  close_all_but(std::move(kept));
  if (plan.machine == 0) {
    supervise_foreign_job(std::move(plan), std::move(memory), std::move(listener));
  } else {
    OtherWarden(std::move(plan), std::move(memory), std::move(listener)).run();
  }
  _exit(0);
}

}  // namespace

std::uint64_t start_end_ns(const WardenPlan& plan) {
  constexpr std::uint64_t kMillisecondNs = 1'000'000;
  return machine_clock().now_ns() + static_cast<std::uint64_t>(plan.timeout_ms) * kMillisecondNs;
}

void describe_to_others(const WardenPlan& plan, int memory_fd, const std::string& socket,
                        const std::string& launcher) {
  JobFacts facts;
  facts.ranks = plan.machines.size();
  facts.hosts = plan.machines.hosts();
  facts.job = facts.supervisor = ::getpid();
  facts.socket = socket;
  facts.launcher = launcher;
  facts.program = own_command_line();
  describe_job(memory_fd, facts);
}

void say(const std::string& line) {
  const std::string text = line + "\n";
  (void)!::write(STDERR_FILENO, text.data(), text.size());
}

std::string describe_missing(RankId rank) {
  return "aqueduct: rank " + std::to_string(rank) +
         " has not come to the other ranks of its host within the time that starting may take "
         "(AQUEDUCT_START_TIMEOUT); the job ends with code 1";
}

void start(WardenPlan plan) {
  net::Descriptor memory(create_shared_memory());
  if (!memory) fatal("start", "%s", why_not_created(errno).c_str());
  net::Descriptor listener = listen_for_ranks(plan.name);
  if (!listener) fatal("start", "cannot listen for the other ranks of this host: %s", std::strerror(errno));
  const pid_t child = ::fork();
  if (child < 0) fatal("start", "cannot start the warden of this host's ranks: %s", std::strerror(errno));
  if (child == 0) become_warden(std::move(plan), std::move(memory), std::move(listener));
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace aqueduct::job::warden
