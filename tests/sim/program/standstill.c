/* A program for `aqueduct sim` that hangs: every rank waits for an answer of the last one, which never looks
 * at what it is asked, because it has left. With the argument "flood" they ask until no more can be sent.
 * With "late" it does not hang: the last one computes for fifty seconds, and then looks. */
#include <aqueduct/sim.h>
#include <gasnet_coll.h>
#include <gasnetex.h>
#include <string.h>

enum { kAsk = GEX_AM_INDEX_BASE, kAnswer };

static void on_ask(gex_Token_t token) { gex_AM_ReplyShort0(token, kAnswer, 0); }
static void on_answer(gex_Token_t token) {
  gex_Token_Info_t info;
  gex_Token_Info(token, &info, GEX_TI_EP);
  *(int*)gex_EP_QueryCData(info.gex_ep) = 1;
}

int aqueduct_sim_main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  int answered = 0;
  gex_AM_Entry_t handlers[] = {
      {kAsk, (gex_AM_Fn_t)on_ask, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, NULL, "ask"},
      {kAnswer, (gex_AM_Fn_t)on_answer, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 0, NULL, "answer"},
  };
  const int is_flood = argc == 2 && strcmp(argv[1], "flood") == 0;
  const int is_late = argc == 2 && strcmp(argv[1], "late") == 0;
  gex_Client_Init(&client, &endpoint, &team, "standstill", NULL, NULL, 0);
  gex_EP_SetCData(endpoint, &answered);
  gex_EP_RegisterHandlers(endpoint, handlers, 2);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  if (gex_TM_QueryRank(team) + 1 == gex_TM_QuerySize(team)) {
    if (!is_late) return 0;
    aqueduct_sim_compute_ns((uint64_t)50 * 1000 * 1000 * 1000);
  } else {
    do {
      gex_AM_RequestShort0(team, gex_TM_QuerySize(team) - 1, kAsk, 0);
    } while (is_flood);
    GASNET_BLOCKUNTIL(answered);
  }
  if (is_late) gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  return 0;
}
