// A client whose ranks all pass a last barrier and then call gasnet_exit(0). Rank 0 does so at once; the
// others are late: they wait until its process is gone, and have something to send that nobody will
// acknowledge. That is all the same the end of a job in good order.
#include <gasnet_coll.h>
#include <gasnetex.h>
#include <signal.h>
#include <unistd.h>

namespace {

void on_nothing(gex_Token_t) {}

}  // namespace

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t world;
  gex_Segment_t segment;
  gex_Client_Init(&client, &endpoint, &world, "after_last_barrier", &argc, &argv, 0);
  gex_Segment_Attach(&segment, world, 65536);
  gex_AM_Entry_t entry{};
  entry.gex_index = 200;
  entry.gex_fnptr = reinterpret_cast<gex_AM_Fn_t>(on_nothing);
  entry.gex_flags = GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST;
  gex_EP_RegisterHandlers(endpoint, &entry, 1);
  pid_t first = getpid();
  gex_Event_Wait(gex_Coll_BroadcastNB(world, 0, &first, &first, sizeof first, 0));
  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
  if (gex_TM_QueryRank(world) != 0) {
    while (kill(first, 0) == 0) usleep(200);
    gex_AM_RequestShort0(world, 0, 200, 0);
  }
  gasnet_exit(0);
}
