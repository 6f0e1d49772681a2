// Who is running: everything that the library finds through a "current" pointer, in one place.
//
// A live thread has one context for its whole life. In a simulation thousands of ranks take turns on one
// thread, and the scheduler of fibers exchanges the context with each turn (Context is plain data; what it
// points to belongs to the layers named below). So nothing else in the library may be thread-local if it says
// anything about the rank or the caller.
//
// A pointer that is null means: the process's own. The layers that own what is pointed to have functions that
// say so with a type.
#pragma once
#include <cstdint>

#include "base/fatal.hpp"

namespace aqueduct {

struct Context {
  void* thread = nullptr;  ///< the record of the calling thread in its rank: core::current_thread()
  void* world = nullptr;   ///< where the rank lives, if it is simulated: world::current()
  void* nic = nullptr;     ///< the calling process of a network interface's library, if it is not this
                        ///< process's: of the one interface that its simulated machine has (sim/machine.hpp)
  CallSite call_site;                ///< of the client call in progress
  std::int32_t reporting_rank = -1;  ///< which rank errors are reported for; -1: the process's
  std::uint32_t number_and_one = 0;  ///< thread_number() of a live thread, plus one; 0: it has none yet
};

extern constinit thread_local Context current_context;

}  // namespace aqueduct
