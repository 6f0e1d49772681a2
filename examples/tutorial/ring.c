/* Every rank puts its number into the memory of the next one. */
#include <gasnetex.h>
#include <stdio.h>

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t world;
  gex_Client_Init(&client, &endpoint, &world, "tutorial", &argc, &argv, 0);
  gex_Rank_t me = gex_TM_QueryRank(world), size = gex_TM_QuerySize(world);
  gex_Rank_t next = (me + 1) % size;

  gex_Segment_t segment;
  gex_Segment_Attach(&segment, world, GASNET_PAGESIZE);
  unsigned* mine = gex_Segment_QueryAddr(segment);

  void* theirs;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(world, next, &theirs, NULL, NULL, 0));

  gex_Event_t put = gex_RMA_PutNB(world, next, theirs, &me, sizeof me, GEX_EVENT_DEFER, 0);
  /* Something else could be computed here. */
  gex_Event_Wait(put);

  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
  printf("rank %u holds %u\n", me, mine[0]);

  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
  gasnet_exit(0);
}
