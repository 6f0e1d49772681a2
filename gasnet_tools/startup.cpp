#include "gasnet_tools/startup.hpp"

#include <unistd.h>

#include "aqueduct/tools/debugging.h"
#include "aqueduct/tools/environment.h"
#include "base/fatal.hpp"
#include "gasnet_tools/backtrace.hpp"
#include "gasnet_tools/failure.hpp"
#include "gasnet_tools/signals.hpp"

namespace aqueduct::gasnet_tools {
namespace {

/// Writes the line first, as the reason of what follows; the sink writes it once more.
void witness(const char* line) {
  write_text(STDERR_FILENO, line);
  write_text(STDERR_FILENO, "\n");
  gasnett_freezeForDebuggerErr();
  if (gasnett_print_backtrace_ifenabled != nullptr) gasnett_print_backtrace_ifenabled(STDERR_FILENO);
}

}  // namespace

void prepare_for_debugging() {
  gasnett_backtrace_init(nullptr);
  const bool freezes = gasnett_getenv_yesno_withdefault("GASNET_FREEZE_ON_ERROR", 0) != 0;
  if (freezes || backtraces_enabled()) {
    set_failure_witness(witness);
    handle_fatal_signals();
  }
  if (gasnett_getenv_yesno_withdefault("GASNET_FREEZE", 0)) {
    gasnett_freezeForDebuggerNow(&gasnet_frozen, "gasnet_frozen");
  }
}

}  // namespace aqueduct::gasnet_tools
