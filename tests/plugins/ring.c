/* Each rank puts a number into the segment of the next one, and checks what it got. `ring refuse`: rank 1
 * first asks for a segment that cannot be, which all ranks learn. Prints the largest Medium, as asked for
 * before the start. */
#include <gasnetex.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  const size_t medium = gex_AM_LUBRequestMedium();
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  if (gex_Client_Init(&client, &endpoint, &team, "ring", &argc, &argv, 0) != GASNET_OK) return 1;
  if (gex_AM_LUBRequestMedium() != medium) return 2;
  const gex_Rank_t rank = gex_TM_QueryRank(team), size = gex_TM_QuerySize(team);
  gex_Segment_t segment;
  if (argc > 1 && strcmp(argv[1], "refuse") == 0) {
    if (gex_Segment_Attach(&segment, team, rank == 1 ? 12345 : 65536) == GASNET_OK) return 3;
  }
  if (gex_Segment_Attach(&segment, team, 65536) != GASNET_OK) return 4;
  const gex_Rank_t next = (rank + 1) % size, before = (rank + size - 1) % size;
  void* there;
  uintptr_t bytes;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(team, next, &there, NULL, &bytes, 0));
  gex_RMA_PutBlocking(team, next, there, (void*)&rank, sizeof rank, 0);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  gex_Rank_t got;
  memcpy(&got, gex_Segment_QueryAddr(segment), sizeof got);
  if (got != before) return 5;
  if (rank == 0) printf("ring of %u ranks, medium %zu\n", (unsigned)size, medium);
  gasnet_exit(0);
}
