// What the start of a job owes the person who debugs it.
#pragma once

namespace aqueduct::gasnet_tools {

/// Called once this process knows its rank. Waits for a debugger if GASNET_FREEZE=1, installs the handlers
/// that settings ask for, and sees to it that a fatal error of the library is witnessed as they say. Without
/// such settings it installs nothing: signals keep their meaning, and core files come from where they happen.
void prepare_for_debugging();

}  // namespace aqueduct::gasnet_tools
