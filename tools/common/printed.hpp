// Whether what a command has printed has got where it should.
//
//   a full disk, a standard output that is closed (>&-)   one line on standard error, and exit code 1
//   a reader that has gone (| head)                       nothing, and 128 + SIGPIPE: as if the signal had ended it
#pragma once

namespace aqueduct::printed {

/// Writes what was printed, before a command goes on. Throws std::system_error if that fails: main() says so.
void flush();

/// At the end of a command that exits with `code`: the exit code that it gets.
int finish(int code);

/// The same where printing has failed before, for the reason `error`.
int failed(int error, int code);

}  // namespace aqueduct::printed
