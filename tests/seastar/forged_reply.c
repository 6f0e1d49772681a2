#include "forged_reply.h"

#include <aqueduct/sim.h>
#include <gasnet_coll.h>
#include <gasnetex.h>
#include <stddef.h>

enum { REQUEST = GEX_AM_INDEX_BASE, REPLY };

static void on_request(gex_Token_t token) { gex_AM_ReplyShort0(token, REPLY, 0); }

static int replies;

static void on_reply(gex_Token_t token) {
  (void)token;
  ++replies;
}

int forged_reply_main(void) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  gex_AM_Entry_t handlers[] = {
      {REQUEST, (gex_AM_Fn_t)on_request, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, NULL, "request"},
      {REPLY, (gex_AM_Fn_t)on_reply, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 0, NULL, "reply"}};
  gex_Client_Init(&client, &endpoint, &team, "forged_reply", NULL, NULL, 0);
  gex_EP_RegisterHandlers(endpoint, handlers, 2);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  if (gex_TM_QueryRank(team) == 0) {
    gex_AM_RequestShort0(team, 1, REQUEST, 0);
    GASNET_BLOCKUNTIL(replies > 0);
  } else if (gex_TM_QueryRank(team) == 1) {
    aqueduct_sim_compute_ns(5000000); /* looks at nothing until the other answers have come */
  } else {
    aqueduct_sim_compute_ns(100000); /* the request is under way */
    forge_replies(0);
  }
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  return gex_TM_QueryRank(team) == 0 ? replies : 1;
}
