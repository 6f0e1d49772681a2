// Checks whether the output of a command was really written.
//
//   a full disk, a standard output that is closed (>&-)   one line on standard error, and exit code 1
//   a reader that has gone (| head)                       nothing, and 128 + SIGPIPE: as if the signal had ended it
#pragma once

namespace aqueduct::printed {

/// Writes buffered output before a command goes on. Throws std::system_error if that fails, which main()
/// reports.
void flush();

/// Writes buffered output at the end of a command that exits with `code`; returns the exit code that it gets.
int finish(int code);

/// The same if printing has failed already with `error`.
int failed(int error, int code);

}  // namespace aqueduct::printed
