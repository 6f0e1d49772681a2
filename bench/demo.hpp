// A tour of the library on this machine, for somebody who has just built it: `aqueduct demo`, and the program
// that `make demo` builds, which has nothing else and so builds faster.
#pragma once

namespace aqueduct::bench {

/// `repetitions`: batches for each row; 0: enough for a steady median. Returns the exit code. Throws
/// std::system_error if it cannot print.
int run_demo(unsigned repetitions);

}  // namespace aqueduct::bench
