/* A program outside of the project: ranks greet their right neighbour by a message and by a put. C99 and C++.
 */
#include <gasnetex.h>
#include <stdio.h>

static volatile int greeted = 0;
static void on_greeting(gex_Token_t token, gex_AM_Arg_t from) {
  (void)token;
  greeted = (int)from + 1;
}

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t ep;
  gex_TM_t world;
  gex_Segment_t segment;
  gex_AM_Entry_t greeting = {
      0, (gex_AM_Fn_t)on_greeting, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 1, NULL, "greeting"};
  gex_Rank_t me, ranks, right, left;
  void* there = NULL;
  void* here = NULL;
  if (gex_Client_Init(&client, &ep, &world, "HELLO", &argc, &argv, 0) != GASNET_OK) return 1;
  if (gex_Segment_Attach(&segment, world, GASNET_PAGESIZE) != GASNET_OK) return 1;
  if (gex_EP_RegisterHandlers(ep, &greeting, 1) != GASNET_OK) return 1;
  me = gex_TM_QueryRank(world);
  ranks = gex_TM_QuerySize(world);
  right = (me + 1) % ranks;
  left = (me + ranks - 1) % ranks;
  gex_Segment_QueryBound(world, right, &there, NULL, NULL);
  gex_Segment_QueryBound(world, me, &here, NULL, NULL);
  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));

  gex_RMA_PutBlockingVal(world, right, there, me + 1, 4, 0);
  gex_AM_RequestShort1(world, right, greeting.gex_index, 0, (gex_AM_Arg_t)me);
  GASNET_BLOCKUNTIL(greeted != 0);
  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));

  if (greeted != (int)left + 1 || *(volatile uint32_t*)here != left + 1) {
    printf("rank %u was greeted by %d\n", me, greeted - 1);
    gasnet_exit(2);
  }
  printf("hello from rank %u of %u\n", me, ranks);
  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
  gasnet_exit(0);
  return 0;
}
