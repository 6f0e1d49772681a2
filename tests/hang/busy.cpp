// Rank 0 waits at a barrier to which rank 1 does not come, and each of its polls finds something, so that it
// never gives way: as where a rank's memory is read all the time, but for sure. It says when the barrier is
// over. With the argument `dies` rank 1 dies meanwhile.
#include <gasnet_coll.h>
#include <gasnetex.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "core/rank.hpp"

int main(int argc, char** argv) {
  using namespace aqueduct;
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t world;
  const bool dies = argc > 1;
  gex_Client_Init(&client, &endpoint, &world, "busy", &argc, &argv, 0);
  gex_Coll_BarrierBlocking(world, 0);
  if (gex_TM_QueryRank(world) == 1) {
    usleep(100'000);
    if (dies) raise(SIGKILL);
    for (;;) pause();
  }
  core::Rank& rank = core::this_thread("busy").rank;
  rank.beyond_neighbours.run_tasks = [](core::Thread&) { return true; };
  ++rank.beyond_neighbours.count;
  gex_Coll_BarrierBlocking(world, 0);
  rank.beyond_neighbours.run_tasks = [](core::Thread&) { return false; };
  puts("the barrier is over");
  gasnet_exit(0);
}
