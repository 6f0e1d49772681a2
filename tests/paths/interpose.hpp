// Counts what a stretch of code does that a neighbour path must not do: allocate, lock, or enter the kernel.
//
// Allocations and locks are counted by functions of this program that stand before those of the C library.
// System calls are caught by the kernel's syscall user dispatch: while it is armed, the first system call of
// this thread raises SIGSYS, is noted, and is then made; the later ones of the same stretch pass.
//
//   start_watching();
//   gex_RMA_PutBlocking(...);
//   const Watched seen = stop_watching();   // must come before any output
#pragma once

namespace aqueduct::test {

struct Watched {
  unsigned allocations = 0;
  unsigned locks = 0;
  bool entered_kernel = false;
  long system_call = -1;  ///< the number of the first one
};

void start_watching();
Watched stop_watching();

}  // namespace aqueduct::test
