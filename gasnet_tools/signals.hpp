// Signals by name, and the handlers that settings ask for.
#pragma once
#include <csignal>

namespace aqueduct::gasnet_tools {

/// The number of a signal such as "SIGSEGV", "segv" or "11"; 0 if the name is unknown.
int signal_by_name(const char* name);

/// Installs the handlers for GASNET_BACKTRACE_SIGNAL and GASNET_FREEZE_SIGNAL.
void handle_debugging_signals();

/// From now on ILL, ABRT, BUS, FPE and SEGV are reported on stderr, wait for a debugger or write a backtrace
/// as settings say, and then end the process as usual. Skips signals that have a handler already or that
/// GASNET_NO_CATCH_SIGNAL names.
void handle_fatal_signals();

/// From now on the same signals call `prepare` before they end the process and its core file is written, also
/// if they are reported. Nothing else changes: the core file shows where the program was. Skips the same
/// signals.
void handle_crashes(void (*prepare)());

/// From now on SEGV and BUS first call `explain` with the address of the access; it may end the job with its
/// own line. If it returns, they act as usual. Skips the same signals.
void handle_bad_accesses(void (*explain)(const void* address));

/// From now on a client that handles QUIT gets INT, TERM and HUP as QUIT, so that it learns in one place that
/// its rank must end, also when the supervisor asks. If QUIT has no handler they end the process as usual,
/// after flushing its output; QUIT itself then calls `quit`, which does not return. Skips the same signals as
/// above.
void handle_termination_signals(void (*quit)(int signal));

/// From now on `handler` gets the signal, unless the client has a handler for it already, ignores it, or
/// GASNET_NO_CATCH_SIGNAL names it; false then.
bool handle_where_free(int signal, void (*handler)(int signal, siginfo_t* info, void* context));

/// From now on these signals end the process with this code instead, after flushing its output. For signal
/// handlers.
void end_with_code(int code);

}  // namespace aqueduct::gasnet_tools
