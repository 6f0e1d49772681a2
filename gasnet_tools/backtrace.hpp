// Backtraces, controlled by settings.
#pragma once

namespace aqueduct::gasnet_tools {

/// Whether a fatal error on this rank writes a backtrace: GASNET_BACKTRACE and GASNET_BACKTRACE_NODES.
bool backtraces_enabled();

}  // namespace aqueduct::gasnet_tools
