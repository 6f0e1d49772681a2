// What debuggers are told about ranks: aqueduct-gdb.py calls these functions in the stopped process. They
// return text, because the command has no types that a debugger would know.
#pragma once

namespace aqueduct::sim::process {

class Processes;

/// These are the job's from now on; null: none.
void show_to_debuggers(const Processes* processes);

}  // namespace aqueduct::sim::process

extern "C" {
/// A line for each thread: rank, thread, whether it runs now (1 or 0), the registers rip rsp rbp rbx r12 r13
/// r14 r15 in hexadecimal, or a 0 if it runs or has none, and what it waits for. The text is valid until the
/// next call.
const char* aqueduct_debug_threads(void);
/// A line for each object of a rank's copy: where it begins, in hexadecimal, and its path.
const char* aqueduct_debug_objects(unsigned rank);
/// Called where a job of programs has failed, while its ranks are still there: a place for a breakpoint.
void aqueduct_debug_stop(void);
}
