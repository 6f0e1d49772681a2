// A backtrace of this process by another program: a debugger that attaches to it.
#pragma once

namespace aqueduct::gasnet_tools {

/// Runs a program, found in PATH, with these arguments (the last is null), and copies its output to `fd` if
/// `sign` occurs in it, because debuggers that could not attach print something else and often exit with 0.
/// False otherwise, also if it takes longer than half a minute. Allocates nothing; may be called in a signal
/// handler.
bool write_backtrace_by(const char* const* arguments, const char* sign, int fd);

}  // namespace aqueduct::gasnet_tools
