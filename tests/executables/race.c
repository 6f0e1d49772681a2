/* A race as real programs have them: rank 0 tells every rank its turn by a message and at once releases the
 * barrier; a rank believes that its turn has come before the barrier is over. That holds unless a message is
 * late. */
#include <gasnetex.h>
#include <stdio.h>
#include <stdlib.h>

static int turn = -1;
static void on_turn(gex_Token_t token, gex_AM_Arg_t which) {
  (void)token;
  turn = which;
}

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t ep;
  gex_TM_t team;
  gex_AM_Entry_t handler = {0,     (gex_AM_Fn_t)on_turn, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 1, NULL,
                            "turn"};
  gex_Client_Init(&client, &ep, &team, "race", &argc, &argv, 0);
  gex_EP_RegisterHandlers(ep, &handler, 1);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  if (gex_TM_QueryRank(team) == 0) {
    for (gex_Rank_t peer = 1; peer < gex_TM_QuerySize(team); ++peer)
      gex_AM_RequestShort1(team, peer, handler.gex_index, 0, (gex_AM_Arg_t)peer);
  }
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  if (gex_TM_QueryRank(team) != 0 && turn < 0) {
    printf("rank %u: it was not my turn\n", (unsigned)gex_TM_QueryRank(team));
    return 1;
  }
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  return 0;
}
