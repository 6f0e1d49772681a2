// A backtrace of this process by another program: a debugger that attaches to it.
#pragma once

namespace aqueduct::gasnet_tools {

/// Runs the program, found in PATH, with the arguments given (the last is null), and copies what it says to
/// `fd` if `sign` occurs in it: debuggers that could not attach say other things, and often end well. False
/// otherwise, also if it takes longer than half a minute. Allocates nothing; may be called in a signal
/// handler.
bool write_backtrace_by(const char* const* arguments, const char* sign, int fd);

}  // namespace aqueduct::gasnet_tools
