/* Waiting for a debugger, backtraces, and signals.
 *
 * Environment: GASNET_FREEZE=1 (gex_Client_Init waits for a debugger), GASNET_FREEZE_ON_ERROR=1 (so do fatal
 * errors and signals), GASNET_FREEZE_SIGNAL=SIGUSR1 (so does this signal); GASNET_BACKTRACE=1 (fatal errors
 * and signals write a backtrace to stderr), GASNET_BACKTRACE_NODES=0,2-4 (only on these ranks),
 * GASNET_BACKTRACE_SIGNAL=SIGUSR2 (this signal writes one, and the program goes on),
 * GASNET_BACKTRACE_TYPE=GDB,EXECINFO (the ways to try, in order), GASNET_BACKTRACE_MT=0 (only the calling
 * thread), GASNET_NO_CATCH_SIGNAL=SEGV,6 or * (signals to leave alone).
 */
#ifndef AQUEDUCT_TOOLS_DEBUGGING_H_
#define AQUEDUCT_TOOLS_DEBUGGING_H_

#include "aqueduct/detail/attributes.h"

/* A way to write a backtrace. The function writes that of the calling thread to `fd` and returns 0; otherwise
 * the next way is tried. */
typedef struct {
  const char* name;
  int (*fnp)(int fd);
  int threadsupport; /* whether it also works in a process of several threads */
} gasnett_backtrace_type_t;

typedef void (*gasnett_sighandlerfn_t)(int);

AQ_BEGIN_C_

/* A way of the client's own, which it adds by defining this variable. Tried first, unless
 * GASNET_BACKTRACE_TYPE says otherwise. */
extern __attribute__((__visibility__("default"))) gasnett_backtrace_type_t gasnett_backtrace_user;

/* Reads the settings of backtraces again. exename: argv[0], or gasnett_exe_name(), or NULL. Not needed: the
 * first backtrace does it too. */
AQ_API_ void gasnett_backtrace_init(const char* exename);

/* Writes a backtrace to `fd`; 0 on success. Also in signal handlers, as well as that goes. */
AQ_API_ int gasnett_print_backtrace(int fd);

/* What fatal errors call: gasnett_print_backtrace, if GASNET_BACKTRACE=1. The client may put a function of
 * its own here. */
AQ_API_DATA_ int (*gasnett_print_backtrace_ifenabled)(int fd);

/* Says on stderr that this process waits, and for what, and waits until *flag changes. The second: if
 * GASNET_FREEZE_ON_ERROR=1, until gasnet_frozen changes. */
AQ_API_ void gasnett_freezeForDebuggerNow(volatile int* flag, const char* flag_name);
AQ_API_ void gasnett_freezeForDebuggerErr(void);
AQ_API_DATA_ volatile int gasnet_frozen;

/* Installs a handler for a signal (or SIG_DFL, SIG_IGN) and returns the one before. Fatal for a signal that
 * cannot be handled. */
AQ_API_ gasnett_sighandlerfn_t gasnett_reghandler(int signal, gasnett_sighandlerfn_t handler);

/* "SIGSEGV" for its number; "unknown signal" if it has no name. */
AQ_API_ const char* gasnett_signame_fromval(int signal);

AQ_END_C_

#endif
