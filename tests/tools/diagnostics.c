/* A job whose ranks test themselves. */
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
  gex_Segment_t segment;
  gex_AM_Entry_t* handlers = NULL;
  int handler_count = 0;
  gasnett_diagnostic_gethandlers(&handlers, &handler_count);
  CHECK(handlers != NULL && handler_count > 0);
  CHECK(gex_Client_Init(&client, &ep, &tm, "diagnostics", &argc, &argv, 0) == GASNET_OK);
  CHECK(gex_Segment_Attach(&segment, tm, 64 * 1024) == GASNET_OK);
  CHECK(gex_EP_RegisterHandlers(ep, handlers, (size_t)handler_count) == GASNET_OK);
  gex_Event_Wait(gex_Coll_BarrierNB(tm, 0));

  const gex_Rank_t me = gex_TM_QueryRank(tm), peer = (me + 1) % gex_TM_QuerySize(tm);
  void* segment_of[2] = {NULL, NULL};
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(tm, me, &segment_of[0], NULL, NULL, 0));
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(tm, peer, &segment_of[1], NULL, NULL, 0));
  const char* sections = argc > 1 ? argv[1] : NULL;
  const int errors = gasnett_run_diagnostics(200, 3, sections, tm, segment_of[0], peer, segment_of[1], 12345);
  gex_Event_Wait(gex_Coll_BarrierNB(tm, 0));
  gasnet_exit(errors != 0);
}
