#include <unistd.h>

#include <cstdio>
#include <ctime>

#include "aqueduct/tools/debugging.h"
#include "aqueduct/tools/system.h"
#include "base/env.hpp"
#include "gasnet_tools/failure.hpp"

using namespace aqueduct;

extern "C" {

volatile int gasnet_frozen = 0;

void gasnett_freezeForDebuggerNow(volatile int* flag, const char* flag_name) {
  // Not 0, so that setting it to 0, which users try first, continues the process.
  const auto read = [flag] { return __atomic_load_n(flag, __ATOMIC_RELAXED); };
  if (read() == 0) __atomic_store_n(flag, 1, __ATOMIC_RELAXED);
  const int frozen = read();
  char line[512];
  std::snprintf(
      line, sizeof line,
      "*** Process frozen for a debugger%s: pid %d on %s. To go on: gdb -p %d -batch -ex 'set var %s=0'\n",
      gasnet_tools::process_tag().text, static_cast<int>(getpid()), gasnett_gethostname(),
      static_cast<int>(getpid()), flag_name);
  gasnet_tools::write_text(STDERR_FILENO, line);
  const timespec moment = {0, 50'000'000};
  while (read() == frozen) nanosleep(&moment, nullptr);
}

void gasnett_freezeForDebuggerErr(void) {
  // Reads the setting only now, because a process may fail before it has started properly.
  if (env::flag({"GASNET_FREEZE_ON_ERROR"}, false))
    gasnett_freezeForDebuggerNow(&gasnet_frozen, "gasnet_frozen");
}

}  // extern "C"
