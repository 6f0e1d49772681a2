#include "job/supervision/preparation.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "job/supervision/limit_advice.hpp"

namespace aqueduct::job {
namespace {

/// More than a supervisor needs; ranks run under the same limit, and programs need more.
constexpr rlim_t kLeastStack = 64 << 10;

}  // namespace

Supervised refuse_job(const std::string& why, int code) {
  dprintf(STDERR_FILENO, "aqueduct: %s\n", why.c_str());
  return {false, code};
}

std::string what_forbids_a_job(const SupervisorSignals& signals) {
  rlimit stack = {};
  getrlimit(RLIMIT_STACK, &stack);
  if (stack.rlim_cur < kLeastStack) {
    return "cannot start the job: the limit on the stack (ulimit -s) is " +
           std::to_string(stack.rlim_cur >> 10) + " KiB; a job needs " + std::to_string(kLeastStack >> 10);
  }
  if (signals.fd() < 0) return "cannot start the job: " + explain_with_advice(EMFILE);
  return {};
}

void fill_standard_descriptors() {
  for (;;) {
    const int fd = open("/dev/null", O_RDWR);
    if (fd > STDERR_FILENO) close(fd);
    if (fd < 0 || fd >= STDERR_FILENO) return;
  }
}

}  // namespace aqueduct::job
