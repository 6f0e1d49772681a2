#include "support/watchdog.hpp"

#include <execinfo.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace aqueduct::test {
namespace {

// Filled in advance: a signal handler may not allocate or format.
std::array<char, 512> report;

void on_alarm(int) {
  (void)!write(STDERR_FILENO, report.data(), strnlen(report.data(), report.size()));
  std::array<void*, 48> frames;
  backtrace_symbols_fd(frames.data(), backtrace(frames.data(), frames.size()), STDERR_FILENO);
  usleep(300'000);  // the ranks hang together: let each say where before the first one ends the job
  _exit(kHungExitCode);
}

unsigned limit_seconds() {
  const char* text = std::getenv("AQUEDUCT_TEST_TIMEOUT_S");
  return text ? std::max(1, std::atoi(text)) : 60;
}

}  // namespace

void arm_watchdog(const std::string& activity) {
  std::snprintf(report.data(), report.size(), "HUNG: process %d, %s, did not end within %u s\n",
                static_cast<int>(getpid()), activity.c_str(), limit_seconds());
  static const bool installed = [] {
    void* frame;
    backtrace(&frame, 1);  // loads what it needs now, not inside the handler
    signal(SIGALRM, on_alarm);
    return true;
  }();
  (void)installed;
  alarm(limit_seconds());
}

void disarm_watchdog() { alarm(0); }

}  // namespace aqueduct::test
