// The groups of functions that programs get in place of libc's (overrides.hpp), each in a file of its own.
#pragma once
#include "sim/process/overrides.hpp"

namespace aqueduct::sim::process {

OverrideGroup exit_overrides();         // exit(), atexit(), abort(), _start's way to main
OverrideGroup linking_overrides();      // what looks for loaded objects, and thread-local variables
OverrideGroup environment_overrides();  // setenv(), chdir(), getopt()
OverrideGroup time_overrides();         // clocks, and waiting for them
OverrideGroup chance_overrides();       // random numbers, process ids
OverrideGroup lock_overrides();    // mutexes, condition variables, barriers, semaphores, the tools' as well
OverrideGroup thread_overrides();  // threads, their keys
OverrideGroup output_overrides();  // write() to the standard streams
OverrideGroup signal_overrides();  // handlers, masks, alarms
OverrideGroup backtrace_overrides();

}  // namespace aqueduct::sim::process
