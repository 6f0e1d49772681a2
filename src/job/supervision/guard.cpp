#include "job/supervision/guard.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>

#include "job/supervision/limit_advice.hpp"
#include "net/descriptor.hpp"

namespace aqueduct::job {
namespace {

Supervised say(const char* what, const char* why, int code) {
  dprintf(STDERR_FILENO, "aqueduct: %s: %s; the job ends with code %d\n", what, why, code);
  return {false, code};
}

Supervised cannot_start() {
  dprintf(STDERR_FILENO, "aqueduct: cannot start the job: %s\n", explain_with_advice(errno).c_str());
  return {false, 1};
}

/// Passes signals on until the supervisor has ended; returns its wait status.
int wait_for(pid_t supervisor, SupervisorSignals& signals) {
  for (;;) {
    int status = 0;
    if (waitpid(supervisor, &status, WNOHANG) == supervisor) return status;
    pollfd news = {signals.fd(), POLLIN, 0};
    poll(&news, 1, -1);
    while (const std::optional<SupervisorSignals::Received> received = signals.next()) {
      // The terminal's signals have reached the supervisor, which is in our process group.
      if (received->signal != SIGCHLD && !received->reached_ranks) kill(supervisor, received->signal);
      if (received->signal == SIGTSTP) {  // the supervisor handles it as well
        stop_self();
        kill(supervisor, SIGCONT);
      }
    }
  }
}

}  // namespace

Supervised run_guarded(const std::function<Supervised(int lifeline_fd)>& supervise,
                       SupervisorSignals& signals, Adoption& adoption, bool says_why) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return cannot_start();
  net::Descriptor lifeline(ends[0]);
  net::Descriptor held_open(ends[1]);
  const pid_t supervisor = fork();
  if (supervisor < 0) return cannot_start();
  if (supervisor == 0) {
    held_open.close();
    const Supervised supervised = supervise(lifeline.get());
    if (!supervised.in_rank) _exit(supervised.exit_code);
    return supervised;
  }
  lifeline.close();
  const int status = wait_for(supervisor, signals);
  adoption.end_all();
  if (WIFSIGNALED(status) && !says_why) return {false, 128 + WTERMSIG(status)};
  if (WIFSIGNALED(status))
    return say("the supervisor was killed", strsignal(WTERMSIG(status)), 128 + WTERMSIG(status));
  return {false, WEXITSTATUS(status)};
}

}  // namespace aqueduct::job
