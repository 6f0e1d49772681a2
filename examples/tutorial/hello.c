/* Every rank says who it is. */
#include <gasnetex.h>
#include <stdio.h>

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t world;
  gex_Client_Init(&client, &endpoint, &world, "tutorial", &argc, &argv, 0);

  printf("rank %u of %u\n", gex_TM_QueryRank(world), gex_TM_QuerySize(world));

  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
  gasnet_exit(0);
}
