// sched_yield() of this process. The library yields where a thread holds what another one waits for. In a
// program those are fibers, and yielding to the system would not let the other one run.
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim/process/process.hpp"
#include "sim/process/virtual_clock.hpp"

extern "C" __attribute__((visibility("default"))) int sched_yield(void) noexcept {
  using namespace aqueduct::sim::process;
  if (!Thread::current()) return static_cast<int>(::syscall(SYS_sched_yield));
  constexpr std::uint64_t kTurnNs = 100;
  sleep_for(kTurnNs);
  return 0;
}
