#include "base/stdio_flush.hpp"

#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>

namespace aqueduct {
namespace {

constexpr int kLockAttempts = 100;
constexpr useconds_t kLockPauseUs = 1000;
constexpr suseconds_t kOthersLimitUs = 250'000;

std::atomic<void (*)()> last_words{nullptr};

volatile std::sig_atomic_t code_at_timeout = 0;
void end_at_timeout(int) { _exit(code_at_timeout); }

bool flush_if_unlocked(std::FILE* stream) {
  for (int attempt = 0; attempt < kLockAttempts; ++attempt) {
    if (ftrylockfile(stream) == 0) {
      fflush_unlocked(stream);
      funlockfile(stream);
      return true;
    }
    usleep(kLockPauseUs);
  }
  return false;
}

}  // namespace

void set_last_words(void (*speak)()) { last_words.store(speak); }

void speak_last_words() {
  if (void (*const speak)() = last_words.exchange(nullptr)) speak();
}

void flush_stdio_or_exit(int code) {
  speak_last_words();
  const bool is_output_free = flush_if_unlocked(stdout);
  const bool is_errors_free = flush_if_unlocked(stderr);
  // All that follows would wait for the same locks, even the _exit of ThreadSanitizer.
  if (!is_output_free || !is_errors_free) syscall(SYS_exit_group, code);

  // No portable way leads to the other streams but fflush(NULL), which may block on any of them; the alarm
  // frees us.
  code_at_timeout = code;
  struct sigaction action = {};
  action.sa_handler = end_at_timeout;
  sigaction(SIGALRM, &action, nullptr);
  sigset_t alarm_only;
  sigemptyset(&alarm_only);
  sigaddset(&alarm_only, SIGALRM);
  pthread_sigmask(SIG_UNBLOCK, &alarm_only, nullptr);
  const itimerval limit = {{0, 0}, {0, kOthersLimitUs}};
  setitimer(ITIMER_REAL, &limit, nullptr);
  std::fflush(nullptr);
  const itimerval off = {};
  setitimer(ITIMER_REAL, &off, nullptr);
}

}  // namespace aqueduct
