/* Each rank puts its number into its right neighbour's memory and tells it so with an active message. */
#include <gasnetex.h>
#include <stdio.h>

static volatile int told = 0;
static void on_told(gex_Token_t token, gex_AM_Arg_t from) { (void)token; told = 1 + from; }

int main(int argc, char** argv) {
  gex_Client_t client; gex_EP_t ep; gex_TM_t world; gex_Segment_t segment;
  gex_Client_Init(&client, &ep, &world, "hello", &argc, &argv, 0);
  gex_AM_Entry_t handler = {0, (gex_AM_Fn_t)on_told, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 1, NULL, "told"};
  gex_EP_RegisterHandlers(ep, &handler, 1);
  gex_Segment_Attach(&segment, world, GASNET_PAGESIZE);

  gex_Rank_t me = gex_TM_QueryRank(world), right = (me + 1) % gex_TM_QuerySize(world);
  void* memory_of_right;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(world, right, &memory_of_right, NULL, NULL, 0));
  gex_RMA_PutBlocking(world, right, memory_of_right, &me, sizeof me, 0);
  gex_AM_RequestShort1(world, right, handler.gex_index, 0, (gex_AM_Arg_t)me);
  GASNET_BLOCKUNTIL(told);

  printf("rank %u was told by rank %d and holds %u\n", (unsigned)me, told - 1, *(unsigned*)gex_Segment_QueryAddr(segment));
  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));  // gasnet_exit ends the job for all
  gasnet_exit(0);
}
