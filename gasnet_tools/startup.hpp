// Prepares a process for debugging at the start of a job.
#pragma once

namespace aqueduct::gasnet_tools {

/// Called once this process knows its rank. Waits for a debugger if GASNET_FREEZE=1, installs the handlers
/// that settings ask for, and makes fatal errors of the library write backtraces as they say. Without such
/// settings it installs nothing: signals keep their actions, and core files show the place of the error.
void prepare_for_debugging();

}  // namespace aqueduct::gasnet_tools
