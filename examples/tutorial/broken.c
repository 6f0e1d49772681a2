/* The ring, with two errors: `broken far` puts beyond the end of a segment, `broken lost` forgets a barrier
 * on one rank. */
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
  char* theirs;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(world, next, (void**)&theirs, NULL, NULL, 0));

  if (argc > 1 && strcmp(argv[1], "far") == 0 && me == 2)
    gex_RMA_PutBlocking(world, next, theirs + GASNET_PAGESIZE, &me, sizeof me, 0);

  if (argc > 1 && strcmp(argv[1], "lost") == 0 && me == 2) {
    volatile int never = 0;
    GASNET_BLOCKUNTIL(never);
  }
  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
  gasnet_exit(0);
}
