// A tour of the library on this machine, for somebody who has just built it: `aqueduct demo`, and the program
// that `make demo` builds, which has nothing else and is therefore built sooner.
#pragma once

namespace aqueduct::bench {

/// `repetitions`: batches for each row; 0: as many as a steady median wants. Returns the exit code.
/// std::system_error if nothing can be printed.
int run_demo(unsigned repetitions);

}  // namespace aqueduct::bench
