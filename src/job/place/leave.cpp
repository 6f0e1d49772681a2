#include "job/place/leave.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/context.hpp"
#include "base/fatal.hpp"
#include "base/stdio_flush.hpp"
#include "job/place/activity.hpp"
#include "job/place/control.hpp"

namespace aqueduct::job {
namespace {

std::atomic<int> supervisor_fd{-1};
std::atomic<pid_t> thread_that_leaves{0};
std::atomic<pid_t> rank_process{0};

/// An exit handler. Children of the rank inherit it, and must not announce anything.
void say_that_we_return() {
  if (getpid() == rank_process.load()) announce_return(supervisor_fd.load());
}

/// Receives the error line of a supervised rank; if the supervisor is gone, writes it itself.
void hand_line_to_supervisor(const char* line) {
  if (!announce_abort(supervisor_fd.load(), line, failed_about())) {
    dprintf(STDERR_FILENO, "%s\n", line);
  }
  flush_stdio_or_exit(1);
  _exit(1);
}

/// Only one thread leaves, with one announcement. A signal handler of that thread may call this again, which
/// then does nothing.
void leave_alone(int visible) {
  pid_t nobody = 0;
  if (thread_that_leaves.compare_exchange_strong(nobody, gettid())) return;
  if (nobody == gettid()) _exit(visible);
  for (;;) pause();
}

}  // namespace

void remember_supervisor(int control_fd) {
  supervisor_fd.store(control_fd);
  set_failure_sink(control_fd >= 0 ? hand_line_to_supervisor : nullptr);
}

void announce_leaving(int timeout_ms) {
  if (supervisor_fd.load() < 0) return;
  announce_start(supervisor_fd.load(), timeout_ms);
  rank_process.store(getpid());
  std::atexit(say_that_we_return);
}

void begin_exit(int code) {
  leave_alone(code & 0xff);
  // Announces first: if anything that follows hangs, the supervisor's time limit has begun.
  if (const int control_fd = supervisor_fd.load(); control_fd >= 0) announce_exit(control_fd, code);
  say_that_this_rank_leaves();
}

void exit_job(int code) {
  const int visible = code & 0xff;
  if (thread_that_leaves.load() != gettid()) begin_exit(code);
  flush_stdio_or_exit(visible);
  _exit(visible);
}

void quit_job() {
  leave_alone(1);
  char line[128];
  std::snprintf(
      line, sizeof line,
      "aqueduct: rank %d received signal %d (Quit) and has no handler for it; the job ends with code 1",
      reporting_rank(), SIGQUIT);
  hand_line_to_supervisor(line);
  _exit(1);
}

}  // namespace aqueduct::job
