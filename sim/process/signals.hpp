// The signals of a simulated process: its handlers and its alarm. The system knows nothing of them.
//
// A signal that a thread raises itself is handled before raise() returns. One that comes from elsewhere, an
// alarm or another rank's kill(), is handled by the first thread that does not block it, where it goes on
// after it has waited; it ends what the thread waits for in sleep(), poll(), pause() and their kind. A rank
// that computes without a call in which others could run is not interrupted.
//
// A crash (SIGSEGV and its kind) goes to the program's handler if there is one, on the stack of the thread
// that has crashed. The handler must not return: the simulation ends then.
#pragma once
#include <signal.h>

#include <array>
#include <cstdint>

#include "sim/engine/time.hpp"

namespace aqueduct::sim::process {

class Process;
class Thread;

/// A set of signals as a word.
using SignalSet = std::uint64_t;
constexpr SignalSet only(int signal) { return SignalSet{1} << (signal - 1); }

SignalSet set_of(const sigset_t& system);

struct Signals {
  static constexpr int kCount = 64;

  std::array<struct sigaction, kCount + 1> actions{};  ///< by number
  SignalSet pending = 0;
  bool in_use = false;  ///< the program has handlers, or an alarm
  // The timer of alarm() and setitimer().
  Time alarm_at = kNever;
  std::uint64_t interval_ns = 0;
  std::uint64_t alarms_set = 0;  ///< distinguishes an alarm from earlier ones
};

/// By anybody: the process gets the signal.
void send_signal(Process& process, int signal);
/// By the thread: it gets the signal, now unless it blocks it.
void raise_in(Thread& thread, int signal);
/// SIGALRM at that time, and then at the interval; kNever: no more.
void ring_at(Process& process, Time when);
/// By a thread: handles the pending signals that it does not block.
void handle_pending_signals(Thread& thread);
/// By the handler of a crash: arranges that the thread goes on in the program's own handler. False if it has
/// none, or has crashed in it.
bool divert_crash(Thread& thread, int signal, const siginfo_t& info, void* context);

}  // namespace aqueduct::sim::process
