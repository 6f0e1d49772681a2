/* Lite mode: macros only, nothing that needs a library; this program is linked with none. */
#define GASNETT_LITE_MODE
#include <string.h>

#include "../support/check.h"
#include "gasnet_tools.h"

#if !GASNETT_LITE_MODE || defined(GASNETT_THREAD_SAFE) || defined(GASNETT_THREAD_SINGLE)
#error "this is lite mode"
#endif

GASNETT_IDENT(lite_ident,
              "$AqueductLiteTest: " _STRINGIFY(GASNETT_THREAD_MODEL) " " PLATFORM_COMPILER_IDSTR " $");

static int GASNETT_USED nobody_calls_this(void) { return 1; }

int main(void) {
  int three = 3;
  if_pf(three == 4) return 1;
  if_pt(three == 3) gasnett_assume(three == 3);
  CHECK(strstr(PLATFORM_COMPILER_IDSTR, "COMPILER_FAMILY") != NULL);
  CHECK(strcmp(_STRINGIFY(GASNETT_THREAD_MODEL), "LITE") == 0);
  printf("%" PRIuSZ "\n", (size_t)GASNETT_PAGESIZE);
  return 0;
}
