// Signals by name, and the handlers that settings ask for.
#pragma once
#include <csignal>

namespace aqueduct::gasnet_tools {

/// The number of "SIGSEGV", "segv" or "11"; 0 if it is none.
int signal_by_name(const char* name);

/// Installs what GASNET_BACKTRACE_SIGNAL and GASNET_FREEZE_SIGNAL ask for.
void handle_debugging_signals();

/// From now on ILL, ABRT, BUS, FPE and SEGV are announced on stderr, wait for a debugger or write a backtrace
/// as settings say, and then end the process as they would have. Leaves alone what has a handler already and
/// what GASNET_NO_CATCH_SIGNAL names.
void handle_fatal_signals();

/// From now on the same signals call `prepare` before they end the process and its core file is written, also
/// where they are announced. Nothing else changes: the core file shows where the program was. Leaves alone
/// the same signals.
void handle_crashes(void (*prepare)());

/// From now on SEGV and BUS first call `explain` with the address that was touched, which may end the job
/// with a line of its own. If it returns they do what they would have done. Leaves alone the same signals.
void handle_bad_accesses(void (*explain)(const void* address));

/// From now on INT, TERM and HUP are QUIT to a client that handles QUIT: it learns in one place that its rank
/// has to end, from whoever asks for it, the supervisor of the job included. Where QUIT has no handler they
/// end the process as they would have, after its last words; QUIT itself then calls `quit`, which does not
/// return. Leaves alone the same signals as above.
void handle_termination_signals(void (*quit)(int signal));

/// From now on `handler` gets the signal, unless the client has a handler for it already, ignores it, or
/// GASNET_NO_CATCH_SIGNAL names it; false then.
bool handle_where_free(int signal, void (*handler)(int signal, siginfo_t* info, void* context));

/// From now on they end the process with this code instead, after its last words. For signal handlers.
void end_with_code(int code);

}  // namespace aqueduct::gasnet_tools
