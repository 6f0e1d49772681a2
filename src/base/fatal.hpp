// The end of the line: an error that no caller can handle ends the job with exactly one line of text.
//
// Whoever detects the error composes the line; it is written once, by the failure sink. The job layer
// installs a sink that hands the line to the supervisor (which prints it and ends every rank); until then,
// and in a process without a supervisor, the line goes to stderr and the process ends with code 1.
//
// Any thread may call `fatal`, also inside a handler. It does not return, allocate or take a lock of ours.
//
//   if (rank >= size) fatal("gex_AM_RequestShort", "rank %u is outside the team (size %u)", rank, size);
#pragma once

namespace aqueduct {

/// Ends this process (and its job) after `line` was delivered. `line` has no trailing newline.
using FailureSink = void (*)(const char* line);
void set_failure_sink(FailureSink sink);

/// Called with the line before the sink gets it, on the thread that fails: time for a debugger or a
/// backtrace.
using FailureWitness = void (*)(const char* line);
void set_failure_witness(FailureWitness witness);

/// The source position of the client call now in progress on this thread; the debug headers set it, nothing
/// else does.
struct CallSite {
  const char* file = nullptr;
  int line = 0;
};
CallSite& current_call_site();

/// Which rank this process speaks for in messages ("proc N"); -1 before the job has started.
void set_reporting_rank(int rank);
int reporting_rank();

/// Ends the job. `where` names the API function or the part of the library that found the error.
[[noreturn]] void fatal(const char* where, const char* format, ...) __attribute__((format(printf, 2, 3)));

/// The same for an error that another rank may have caused, such as not answering: whoever reports the line
/// looks at that rank as well. The text names it as "rank N".
[[noreturn]] void fatal_about(unsigned peer, const char* where, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
/// For failure sinks: the peer of the error that ends this process; -1: it is about none.
int failed_about();

/// A non-fatal complaint, one line on stderr, silenced by GASNET_QUIET=1.
void warn(const char* where, const char* format, ...) __attribute__((format(printf, 2, 3)));

}  // namespace aqueduct
