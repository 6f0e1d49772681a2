// Handlers, masks and alarms of a process (signals.hpp).
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "aqueduct/tools/debugging.h"
#include "base/fatal.hpp"
#include "sim/fiber.hpp"
#include "sim/host.hpp"
#include "sim/process/groups.hpp"
#include "sim/process/process.hpp"
#include "sim/process/virtual_clock.hpp"
#include "world/world.hpp"

namespace aqueduct::sim::process {
namespace {

using Handler = void (*)(int);

int wrong(int error) {
  errno = error;
  return -1;
}

bool is_signal(int signal) { return signal >= 1 && signal <= Signals::kCount; }
bool can_be_handled(int signal) { return is_signal(signal) && signal != SIGKILL && signal != SIGSTOP; }

void set_to(sigset_t* set, SignalSet word) {
  ::sigemptyset(set);
  for (int signal = 1; signal <= Signals::kCount; ++signal)
    if ((word & only(signal)) != 0) ::sigaddset(set, signal);
}

int change_action(int signal, const struct sigaction* action, struct sigaction* before) {
  if (!is_signal(signal) || (action && !can_be_handled(signal))) return wrong(EINVAL);
  Signals& signals = Process::current().signals;
  struct sigaction& now = signals.actions[static_cast<std::size_t>(signal)];
  if (before) *before = now;
  if (action) {
    now = *action;
    signals.in_use = true;
  }
  return 0;
}

Handler handle_with(int signal, Handler handler, int flags) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  return change_action(signal, &action, &before) == 0 ? before.sa_handler : SIG_ERR;
}
Handler set_handler(int signal, Handler handler) { return handle_with(signal, handler, SA_RESTART); }
Handler set_handler_once(int signal, Handler handler) {
  return handle_with(signal, handler, static_cast<int>(SA_RESETHAND) | SA_NODEFER);
}
Handler set_handler_of_tool(int signal, Handler handler) {
  if (!can_be_handled(signal))
    fatal("gasnett_reghandler", "signal %d (%s) cannot be handled", signal, gasnett_signame_fromval(signal));
  return set_handler(signal, handler);
}

int raise_signal(int signal) {
  if (signal == 0) return 0;
  if (!is_signal(signal)) return wrong(EINVAL);
  raise_in(*Thread::current(), signal);
  return 0;
}

int send_to_process(pid_t number, int signal) {
  if (signal != 0 && !is_signal(signal)) return wrong(EINVAL);
  Process* const process = Process::current().all().by_number(number);
  if (!process) return wrong(ESRCH);
  if (signal == 0) return 0;
  if (process == &Process::current()) return raise_signal(signal);
  send_signal(*process, signal);
  return 0;
}

int send_to_thread(pthread_t handle, int signal) {
  if (signal != 0 && !is_signal(signal)) return EINVAL;
  const Thread* const thread = Process::current().find_thread(handle);
  if (!thread) return ESRCH;
  if (thread != Thread::current() && signal != 0)
    fatal("simulation",
          "the program sends a signal to another thread by pthread_kill, which simulated ranks do "
          "not have");
  return raise_signal(signal) == 0 ? 0 : EINVAL;
}

int change_mask(int how, const sigset_t* set, sigset_t* before) {
  Thread& thread = *Thread::current();
  if (before) set_to(before, thread.blocked);
  if (!set) return 0;
  const SignalSet word = set_of(*set) & ~(only(SIGKILL) | only(SIGSTOP));
  switch (how) {
    case SIG_BLOCK:
      thread.blocked |= word;
      break;
    case SIG_UNBLOCK:
      thread.blocked &= ~word;
      break;
    case SIG_SETMASK:
      thread.blocked = word;
      break;
    default:
      return EINVAL;
  }
  handle_pending_signals(thread);
  return 0;
}
int change_mask_of_process(int how, const sigset_t* set, sigset_t* before) {
  const int error = change_mask(how, set, before);
  return error == 0 ? 0 : wrong(error);
}

int get_pending(sigset_t* set) {
  set_to(set, Process::current().signals.pending & Thread::current()->blocked);
  return 0;
}

/// Waits until a handler has run.
int pause_thread() {
  Thread& thread = *Thread::current();
  const std::uint64_t before = thread.handled;
  while (thread.handled == before) thread.process().wait("a signal");
  return wrong(EINTR);
}

int wait_with_mask(const sigset_t* set) {
  Thread& thread = *Thread::current();
  const SignalSet before = std::exchange(thread.blocked, set_of(*set));
  const std::uint64_t handled = thread.handled;
  handle_pending_signals(thread);
  while (thread.handled == handled) thread.process().wait("a signal");
  thread.blocked = before;
  return wrong(EINTR);
}

/// Waits for one of the signals, which are blocked, and takes it.
int take_signal(const sigset_t* set, int* taken) {
  const SignalSet word = set_of(*set);
  Process& process = Process::current();
  while ((process.signals.pending & word) == 0) process.wait("a signal");
  const int signal = __builtin_ctzll(process.signals.pending & word) + 1;
  process.signals.pending &= ~only(signal);
  *taken = signal;
  return 0;
}

std::uint64_t left_ns(const Signals& signals) {
  const Time now = Fiber::current()->host().engine().now();
  return signals.alarm_at == kNever ? 0 : std::max<Time>((signals.alarm_at - now) / kNanosecond, 1);
}

void set_timer_to(std::uint64_t ns, std::uint64_t interval_ns) {
  Process& process = Process::current();
  process.signals.interval_ns = interval_ns;
  const Time now = Fiber::current()->host().engine().now();
  process.signals.in_use = true;
  ring_at(process, ns == 0 ? kNever : now + ns * kNanosecond);
}

unsigned alarm_after(unsigned seconds) {
  const std::uint64_t left = left_ns(Process::current().signals);
  set_timer_to(seconds * kSecondNs, 0);
  return static_cast<unsigned>((left + kSecondNs - 1) / kSecondNs);
}

std::uint64_t timeval_ns(const timeval& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * kSecondNs +
         static_cast<std::uint64_t>(time.tv_usec) * 1000;
}
timeval timeval_of(std::uint64_t ns) {
  return {static_cast<time_t>(ns / kSecondNs), static_cast<suseconds_t>(ns % kSecondNs / 1000)};
}

[[noreturn]] void refuse_timer() {
  fatal("simulation",
        "the program uses a timer of its processor's time (ITIMER_VIRTUAL, ITIMER_PROF), which "
        "simulated ranks do not have; ITIMER_REAL they have");
}

int get_timer(int which, itimerval* now) {
  if (which != ITIMER_REAL) refuse_timer();
  const Signals& signals = Process::current().signals;
  now->it_value = timeval_of(left_ns(signals));
  now->it_interval = timeval_of(signals.interval_ns);
  return 0;
}

int set_timer(int which, const itimerval* timer, itimerval* before) {
  if (which != ITIMER_REAL) refuse_timer();
  if (before) get_timer(which, before);
  set_timer_to(timeval_ns(timer->it_value), timeval_ns(timer->it_interval));
  return 0;
}

/// Crashes have a stack of their own already.
int set_stack(const stack_t*, stack_t* before) {
  if (before) *before = {.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
  return 0;
}

/// Out of a handler as well: what was blocked before it is blocked again.
[[noreturn]] void jump(jmp_buf place, int value) {
  Thread& thread = *Thread::current();
  if (place[0].__mask_was_saved != 0 && !thread.before_handlers.empty()) {
    thread.blocked = thread.before_handlers.front();
    thread.before_handlers.clear();
  }
  ::longjmp(place, value);
}

}  // namespace

OverrideGroup signal_overrides() {
  static const Override table[] = {
      replaces("sigaction", change_action),
      replaces("__sigaction", change_action),
      replaces("signal", set_handler),
      replaces("bsd_signal", set_handler),
      replaces("__sysv_signal", set_handler_once),
      replaces("sysv_signal", set_handler_once),
      replaces("gasnett_reghandler", set_handler_of_tool),
      replaces("raise", raise_signal),
      replaces("gsignal", raise_signal),
      replaces("kill", send_to_process),
      replaces("pthread_kill", send_to_thread),
      replaces("pthread_sigmask", change_mask),
      replaces("sigprocmask", change_mask_of_process),
      replaces("sigpending", get_pending),
      replaces("pause", pause_thread),
      replaces("sigsuspend", wait_with_mask),
      replaces("sigwait", take_signal),
      replaces("sigaltstack", set_stack),
      replaces("alarm", alarm_after),
      replaces("setitimer", set_timer),
      replaces("getitimer", get_timer),
      replaces("longjmp", jump),
      replaces("_longjmp", jump),
      replaces("siglongjmp", jump),
      replaces("__longjmp_chk", jump),
  };
  return table;
}

}  // namespace aqueduct::sim::process
