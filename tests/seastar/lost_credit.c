/* A program for `aqueduct sim` in which a credit comes from nowhere: the audit must find it at the next quiet
 * moment. */
#include "lost_credit.h"

#include <gasnet_coll.h>
#include <gasnetex.h>
#include <stdio.h>

int lost_credit_main(void) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  gex_Client_Init(&client, &endpoint, &team, "lost_credit", NULL, NULL, 0);
  join_books(gex_TM_QuerySize(team));
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  meet_and_audit();
  if (gex_TM_QueryRank(team) == 0) fputs("all is well\n", stderr);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  if (gex_TM_QueryRank(team) == 2) make_a_credit_of(1);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  meet_and_audit();
  return 0;
}
