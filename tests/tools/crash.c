/* A job in which rank 1 fails in the way that the first argument names. */
#include <signal.h>
#include <string.h>

#include "../support/check.h"
/* In this order. */
/* clang-format off */
#include "gasnetex.h"
#include "gasnet_tools.h"
/* clang-format on */

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t ep;
  gex_TM_t tm;
  CHECK(gex_Client_Init(&client, &ep, &tm, "crash", &argc, &argv, 0) == GASNET_OK);
  gex_Event_Wait(gex_Coll_BarrierNB(tm, 0));
  if (gex_TM_QueryRank(tm) == 1) {
    if (strcmp(argv[1], "signal") == 0) raise(SIGSEGV);
    if (strcmp(argv[1], "fatalerror") == 0) gasnett_fatalerror("by the client");
    if (strcmp(argv[1], "library") == 0) (void)gex_TM_QuerySize(GEX_TM_INVALID);
    gasnet_exit(0);
  }
  gex_Event_Wait(gex_Coll_BarrierNB(tm, 0)); /* until the job ends */
  gasnet_exit(0);
}
