/* The trace and statistics macros stand wherever a client may write them, are checked, and do nothing. */
#include <string.h>

#include "../support/check.h"
#include "gasnet_tools.h"

static void my_statistics(void (*print)(const char* format, ...)) { print("%d", 1); }

int main(void) {
  const char* file = "unchanged";
  unsigned int line = 99;
  int evaluated = 0;
  GASNETT_TRACE_GETSOURCELINE(&file, &line);
  GASNETT_TRACE_SETSOURCELINE(file, line);
  (evaluated ? (void)0 : GASNETT_TRACE_SETSOURCELINE(__FILE__, __LINE__));
  GASNETT_TRACE_FREEZESOURCELINE();
  GASNETT_TRACE_UNFREEZESOURCELINE();
  if (GASNETT_TRACE_ENABLED) GASNETT_TRACE_PRINTF("on");
  GASNETT_TRACE_PRINTF("%d %s", ++evaluated, "text");
  GASNETT_TRACE_PRINTF_FORCE("%d", ++evaluated);
  GASNETT_STATS_PRINTF("%d", ++evaluated);
  GASNETT_STATS_PRINTF_FORCE("%s", "text");
  CHECK(evaluated == 0);
  CHECK(strlen(GASNETT_TRACE_GETMASK()) == 0 && strlen(GASNETT_STATS_GETMASK()) == 0);
  GASNETT_TRACE_SETMASK(GASNETT_TRACE_GETMASK());
  GASNETT_STATS_SETMASK("PG");
  GASNETT_TRACE_SET_TRACELOCAL(GASNETT_TRACE_GET_TRACELOCAL());
  GASNETT_STATS_DUMP(1);
  GASNETT_STATS_INIT(my_statistics);
  const gasnett_stats_callback_t kept = gasnett_stats_callback;
  CHECK(kept == my_statistics);
  return 0;
}
