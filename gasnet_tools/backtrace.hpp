// Backtraces as the settings want them.
#pragma once

namespace aqueduct::gasnet_tools {

/// Whether a fatal error on this rank is to write a backtrace: GASNET_BACKTRACE and GASNET_BACKTRACE_NODES.
bool backtraces_enabled();

}  // namespace aqueduct::gasnet_tools
