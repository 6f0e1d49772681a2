/* A program for `aqueduct sim`: a token goes round all ranks by active messages, and each rank computes a
 * while before it passes it on. Argument: how many rounds. */
#include <aqueduct/sim.h>
#include <gasnetex.h>
#include <stdio.h>
#include <stdlib.h>

enum { kPass = GEX_AM_INDEX_BASE };

struct state {
  int tokens;
};

static void on_pass(gex_Token_t token) {
  gex_Token_Info_t info;
  gex_Token_Info(token, &info, GEX_TI_EP);
  ((struct state*)gex_EP_QueryCData(info.gex_ep))->tokens++;
}

int aqueduct_sim_main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  struct state state = {0};
  gex_AM_Entry_t handler = {kPass, (gex_AM_Fn_t)on_pass, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, NULL,
                            "pass"};
  const int rounds = argc > 1 ? atoi(argv[1]) : 1;
  int round;
  uint64_t start;

  if (!aqueduct_sim_active()) return 3;
  gex_Client_Init(&client, &endpoint, &team, "token_ring", NULL, NULL, 0);
  gex_EP_SetCData(endpoint, &state);
  gex_EP_RegisterHandlers(endpoint, &handler, 1);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  start = aqueduct_sim_time_ns();
  for (round = 0; round < rounds; ++round) {
    const gex_Rank_t me = gex_TM_QueryRank(team), size = gex_TM_QuerySize(team);
    if (me != 0 || round != 0) GASNET_BLOCKUNTIL(state.tokens > 0);
    if (me != 0 || round != 0) state.tokens--;
    aqueduct_sim_compute_ns(1000);
    gex_AM_RequestShort0(team, (me + 1) % size, kPass, 0);
  }
  if (gex_TM_QueryRank(team) == 0) {
    GASNET_BLOCKUNTIL(state.tokens > 0);
    printf("%d rounds took %s\n", rounds,
           aqueduct_sim_time_ns() - start >= 1000u * (uint64_t)rounds * gex_TM_QuerySize(team)
               ? "their time"
               : "too little time");
  }
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  if (argc > 2) gasnet_exit(atoi(argv[2]));
  return 0;
}
