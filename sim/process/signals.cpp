#include "sim/process/signals.hpp"

#include <ucontext.h>

#include <bit>
#include <cstring>
#include <utility>

#include "base/fatal.hpp"
#include "sim/host.hpp"
#include "sim/process/call_stack.hpp"
#include "sim/process/process.hpp"

namespace aqueduct::sim::process {
namespace {

constexpr int kKilled = 128;

bool is_ignored_by_default(int signal) {
  switch (signal) {
    case SIGCHLD:
    case SIGURG:
    case SIGWINCH:
    case SIGCONT:
    case SIGSTOP:  // nobody could let it go on
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
      return true;
    default:
      return false;
  }
}

/// By the thread: its handler runs, or what happens without one.
void handle(Thread& thread, int signal, siginfo_t info, void* context) {
  Process& process = thread.process();
  struct sigaction& action = process.signals.actions[static_cast<std::size_t>(signal)];
  const struct sigaction now = action;
  if (now.sa_handler == SIG_IGN) return;
  if (now.sa_handler == SIG_DFL) {
    if (is_ignored_by_default(signal)) return;
    process.streams().write(2, "rank " + std::to_string(process.rank()) + ": " + ::strsignal(signal) + "\n");
    process.exit_at_once(kKilled + signal);
  }
  if ((now.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) action.sa_handler = SIG_DFL;
  const SignalSet before = thread.blocked;
  thread.before_handlers.push_back(before);
  thread.blocked |= set_of(now.sa_mask) | ((now.sa_flags & SA_NODEFER) != 0 ? 0 : only(signal));
  const int error = errno;
  if ((now.sa_flags & SA_SIGINFO) != 0) {
    now.sa_sigaction(signal, &info, context);
  } else {
    now.sa_handler(signal);
  }
  errno = error;
  thread.before_handlers.pop_back();
  thread.blocked = before;
  ++thread.handled;
}

/// A signal that comes from no instruction of the thread's.
void take(Thread& thread, int signal, int code) {
  siginfo_t info{};
  info.si_signo = signal;
  info.si_code = code;
  static ucontext_t nothing;
  handle(thread, signal, info, &nothing);
}

#if defined(__x86_64__)
struct Crash {
  int signal = 0;
  siginfo_t info{};
  ucontext_t context{};
};
// Of the latest one. There is one at a time: it is read before anybody else runs.
Crash crash;

/// Where the thread goes on, with its own stack.
void go_on_after_crash() {
  Crash here = std::move(crash);
  Thread& thread = *Thread::current();
  handle(thread, here.signal, here.info, &here.context);
  fatal("simulation",
        "rank %u: %s at %p, and the program's handler for it has returned; it should exit or jump",
        thread.process().rank(), ::strsignal(here.signal), here.info.si_addr);
}
#endif

}  // namespace

SignalSet set_of(const sigset_t& system) {
  SignalSet set = 0;
  for (int signal = 1; signal <= Signals::kCount; ++signal)
    if (::sigismember(&system, signal) == 1) set |= only(signal);
  return set;
}

void send_signal(Process& process, int signal) {
  Signals& signals = process.signals;
  signals.pending |= only(signal);
  // Whoever waits looks.
  process.interrupt();
}

void raise_in(Thread& thread, int signal) {
  if ((thread.blocked & only(signal)) != 0) {
    thread.process().signals.pending |= only(signal);
  } else {
    take(thread, signal, SI_TKILL);
  }
}

void ring_at(Process& process, Time when) {
  Signals& signals = process.signals;
  signals.alarm_at = when;
  const std::uint64_t number = ++signals.alarms_set;
  if (when == kNever) return;
  Host& host = process.host();
  host.engine().at(when, {kFiberRuns, host.node()}, [of = &process, number] {
    Signals& its = of->signals;
    if (its.alarms_set != number || of->has_ended() || of->host().crashed()) return;
    const Time next = its.interval_ns == 0 ? kNever : its.alarm_at + its.interval_ns * kNanosecond;
    send_signal(*of, SIGALRM);
    ring_at(*of, next);
  });
}

void handle_pending_signals(Thread& thread) {
  Process& process = thread.process();
  // The first thread takes what it does not block; others the rest.
  const auto open = [&] {
    const SignalSet all = process.signals.pending & ~thread.blocked;
    return &thread == &process.main_thread() ? all : all & process.main_thread().blocked;
  };
  while (const SignalSet now = open()) {
    const int signal = std::countr_zero(now) + 1;
    process.signals.pending &= ~only(signal);
    take(thread, signal, SI_USER);
  }
}

bool divert_crash(Thread& thread, int signal, const siginfo_t& info, void* context) {
#if defined(__x86_64__)
  const auto& action = thread.process().signals.actions[static_cast<std::size_t>(signal)];
  if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN || (thread.blocked & only(signal)) != 0)
    return false;
  auto& interrupted = *static_cast<ucontext_t*>(context);
  crash.signal = signal;
  crash.info = info;
  crash.context = interrupted;
  // Below what the interrupted function may have there, as if something had called the function.
  constexpr greg_t kRedZone = 128, kAlignment = 16;
  greg_t* const registers = interrupted.uc_mcontext.gregs;
  registers[REG_RSP] = ((registers[REG_RSP] - kRedZone) & -kAlignment) - 8;
  registers[REG_RIP] = reinterpret_cast<greg_t>(go_on_after_crash);
  registers[REG_EFL] &= ~greg_t{0x400};  // the direction flag
  return true;
#else
  (void)thread, (void)signal, (void)info, (void)context;
  return false;
#endif
}

}  // namespace aqueduct::sim::process
