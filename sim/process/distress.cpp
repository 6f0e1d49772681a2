#include "sim/process/distress.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>

#include "base/fatal.hpp"
#include "sim/process/call_stack.hpp"
#include "sim/process/process.hpp"

namespace aqueduct::sim::process {
namespace {

constexpr unsigned kMostPatience = 10;

volatile std::sig_atomic_t turns = 0;
std::sig_atomic_t turns_seen = 0;
unsigned periods_in_turn = 0;  // each of them `patience` long
double patience = 0;

/// Whose memory the address is, in words, if a rank's program has it; the caller is `self`.
std::string owner_of(const void* address, const Process& self) {
  const Image* const image = Image::at(address);
  if (!image || image->number() == self.rank()) return "";
  return ", which is in the copy of rank " + std::to_string(image->number());
}

void crashed(int signal, siginfo_t* info, void* context) {
  Thread* const thread = Thread::current();
  if (!thread) {
    ::signal(signal, SIG_DFL);
    return;
  }
  if (divert_crash(*thread, signal, *info, context)) return;
  const Process& process = thread->process();
  fatal("simulation", "rank %u: %s at %p%s, %s", process.rank(), ::strsignal(signal), info->si_addr,
        owner_of(info->si_addr, process).c_str(), call_stack().c_str());
}

// The thread that it interrupts may be anywhere, also in the C library: it looks into it only where it is
// there for long.
void look_at_turn(int) {
  if (turns != turns_seen) {
    turns_seen = turns;
    periods_in_turn = 0;
    return;
  }
  const Thread* const thread = Thread::current();
  if (!thread) return;
  const unsigned periods = ++periods_in_turn;
  if (periods != 1 && periods != kMostPatience) return;
  const int before = errno;
  constexpr const char* kText =
      "rank %u has computed for %.3g s without a call in which others could run, %s; if it waits for them, "
      "let it call "
      "gasnet_AMPoll() or sched_yield() there";
  const unsigned rank = thread->process().rank();
  leave_process();
  if (periods == kMostPatience) fatal("simulation", kText, rank, periods * patience, call_stack().c_str());
  warn("simulation", kText, rank, periods * patience, call_stack().c_str());
  return_to_process();
  errno = before;
}

}  // namespace

void count_turn() { turns = turns + 1; }

void watch_for_distress(double patience_seconds) {
  static bool watches = false;
  if (std::exchange(watches, true)) return;
  constexpr std::size_t kStackBytes = std::size_t{256} << 10;
  void* const stack =
      ::mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const stack_t other = {.ss_sp = stack, .ss_flags = 0, .ss_size = kStackBytes};
  if (stack == MAP_FAILED || ::sigaltstack(&other, nullptr) != 0) return;
  struct sigaction action = {};
  action.sa_sigaction = crashed;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) ::sigaction(signal, &action, nullptr);
  action.sa_handler = look_at_turn;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  ::sigaction(SIGVTALRM, &action, nullptr);
  patience = patience_seconds;
  const auto seconds = static_cast<time_t>(patience);
  const timeval period = {seconds, static_cast<suseconds_t>((patience - static_cast<double>(seconds)) * 1e6)};
  const itimerval every_period = {period, period};
  ::setitimer(ITIMER_VIRTUAL, &every_period, nullptr);
}

}  // namespace aqueduct::sim::process
