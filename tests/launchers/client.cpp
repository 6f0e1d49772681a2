// A client that launchers start: every rank writes to the segment of the next one, all check what has come,
// and each says "hello from rank R of N". Then it does what its arguments say:
//
//   client                 leaves by gasnet_exit(0), as all do
//   client exit RANK CODE  that rank leaves by gasnet_exit(CODE), the others wait
//   client kill RANK       that rank is killed, the others wait
//   client leave RANK      that rank returns from main, the others wait
//   client wait            all wait for ever
//   client run COMMAND     each rank runs it in a shell, then leaves
#include <gasnetex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>

#include "support/check.h"

namespace {

constexpr size_t kSegmentBytes = size_t{1} << 20;
gex_TM_t world;

void barrier() { gex_Event_Wait(gex_Coll_BarrierNB(world, 0)); }

void* segment_of(gex_Rank_t rank) {
  void* base = nullptr;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(world, rank, &base, nullptr, nullptr, 0));
  return base;
}

void greet() {
  const gex_Rank_t rank = gex_TM_QueryRank(world), size = gex_TM_QuerySize(world);
  const gex_Rank_t next = (rank + 1) % size;
  const unsigned long word = 1000 + rank;
  CHECK(gex_RMA_PutBlocking(world, next, segment_of(next), &word, sizeof word, 0) == 0);
  barrier();
  const unsigned long got = *static_cast<volatile unsigned long*>(segment_of(rank));
  CHECK(got == 1000 + (rank + size - 1) % size);
  printf("hello from rank %u of %u\n", rank, size);
  fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  CHECK(gex_Client_Init(&client, &endpoint, &world, "client", &argc, &argv, 0) == GASNET_OK);
  gex_Segment_t segment;
  CHECK(gex_Segment_Attach(&segment, world, kSegmentBytes) == GASNET_OK);
  greet();
  barrier();
  const std::string what = argc > 1 ? argv[1] : "";
  const bool is_chosen = argc > 2 && atoi(argv[2]) == static_cast<int>(gex_TM_QueryRank(world));
  if (what == "wait") GASNET_BLOCKUNTIL(false);
  if (what == "run") CHECK(system(argv[2]) == 0);
  if (what != "exit" && what != "kill" && what != "leave") gasnet_exit(0);
  if (is_chosen && what == "exit") gasnet_exit(atoi(argv[3]));
  if (is_chosen && what == "kill") kill(getpid(), SIGKILL);
  if (is_chosen && what == "leave") return 0;
  barrier();
  return 1;
}
