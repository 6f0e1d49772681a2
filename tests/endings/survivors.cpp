// Four ranks of which the last dies, as the argument says, while the others use it. They go on without it:
// run with AQUEDUCT_ON_FAILURE=report.
#include <aqueduct/failure.h>
#include <gasnet_coll.h>
#include <gasnetex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace {

constexpr gex_Rank_t kDead = 3;
constexpr size_t kBytes = 1 << 20;

gex_TM_t world;
gex_AM_Index_t handler, long_handler;
volatile int handled = 0;

void on_short(gex_Token_t) { handled = handled + 1; }
void on_long(gex_Token_t, void*, size_t) {}

#define EXPECT(condition)                                                                        \
  do {                                                                                           \
    if (!(condition)) {                                                                          \
      printf("rank %u: line %d: not true: %s\n", gex_TM_QueryRank(world), __LINE__, #condition); \
      gasnet_exit(1);                                                                            \
    }                                                                                            \
  } while (0)

[[noreturn]] void die(const char* how) {
  if (strcmp(how, "killed") == 0) raise(SIGKILL);
  if (strcmp(how, "code") == 0) _exit(5);
  // An error that the library finds.
  gex_AM_RequestShort0(world, 77, handler, 0);
  abort();
}

void expect_operations_to_complete(char* theirs) {
  static char mine[kBytes];
  std::vector<gex_Event_t> events;
  for (int i = 0; i < 8; ++i) {
    events.push_back(gex_RMA_PutNB(world, kDead, theirs, mine, kBytes, GEX_EVENT_DEFER, 0));
    events.push_back(gex_RMA_GetNB(world, mine, kDead, theirs, kBytes, 0));
  }
  gex_RMA_GetNBI(world, mine, kDead, theirs, 64, 0);
  gex_Event_WaitAll(events.data(), events.size(), 0);
  gex_NBI_Wait(GEX_EC_ALL, 0);
}

// The memory of payloads that nobody has taken is the client's again.
void expect_sources_to_be_released(char* theirs) {
  static char mine[kBytes];
  const size_t bytes = std::min(kBytes, gex_AM_MaxRequestLong(world, kDead, GEX_EVENT_GROUP, 0, 0));
  gex_Event_t event = GEX_EVENT_INVALID;
  gex_AM_RequestLong0(world, kDead, long_handler, mine, bytes, theirs, GEX_EVENT_GROUP, 0);
  gex_AM_RequestLong0(world, kDead, long_handler, mine, bytes, theirs, &event, 0);
  gex_RMA_PutNBI(world, kDead, theirs, mine, kBytes, GEX_EVENT_GROUP, 0);
  gex_Event_Wait(event);
  gex_NBI_Wait(GEX_EC_ALL, 0);
}

void expect_team_to_work(gex_TM_t team) {
  for (int i = 0; i < 100; ++i) {
    uint64_t mine = gex_TM_QueryRank(team) + 1, sum = 0;
    gex_Event_Wait(gex_Coll_ReduceToAllNB(team, &sum, &mine, GEX_DT_U64, sizeof mine, 1, GEX_OP_ADD, nullptr,
                                          nullptr, 0));
    EXPECT(sum == 1 + 2 + 3);
    gex_Coll_BarrierBlocking(team, 0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_Segment_t segment;
  gex_Client_Init(&client, &endpoint, &world, "SURVIVORS", &argc, &argv, 0);
  gex_Segment_Attach(&segment, world, kBytes);
  gex_AM_Entry_t table[] = {{0, reinterpret_cast<gex_AM_Fn_t>(&on_short),
                             GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQREP, 0, nullptr, "short"},
                            {0, reinterpret_cast<gex_AM_Fn_t>(&on_long),
                             GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQREP, 0, nullptr, "long"}};
  gex_EP_RegisterHandlers(endpoint, table, 2);
  handler = table[0].gex_index;
  long_handler = table[1].gex_index;
  const gex_Rank_t me = gex_TM_QueryRank(world);
  gex_TM_t living;
  gex_TM_Split(&living, world, me == kDead ? 1 : 0, 0, nullptr, 0, GEX_FLAG_TM_NO_SCRATCH);
  void* theirs = nullptr;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(world, kDead, &theirs, nullptr, nullptr, 0));
  EXPECT(aqueduct_failures_are_reported());
  EXPECT(aqueduct_failed_ranks(world, nullptr, 0) == 0);
  gex_Coll_BarrierBlocking(world, 0);

  if (me == kDead) {
    usleep(100'000);  // takes nothing of what the others send meanwhile
    die(argc > 1 ? argv[1] : "killed");
  }

  // Under way when it dies, or begun afterwards: nobody knows, and it does not matter.
  expect_sources_to_be_released(static_cast<char*>(theirs));
  expect_operations_to_complete(static_cast<char*>(theirs));
  for (int i = 0; i < 1000; ++i) gex_AM_RequestShort0(world, kDead, handler, 0);
  gex_Coll_BarrierBlocking(world, 0);
  EXPECT(aqueduct_has_failed(world, kDead));
  EXPECT(!aqueduct_has_failed(world, me));
  gex_Rank_t dead[4] = {};
  EXPECT(aqueduct_failed_ranks(world, dead, 4) == 1 && dead[0] == kDead);
  EXPECT(aqueduct_failed_ranks(living, dead, 4) == 0);
  EXPECT(aqueduct_lost_operations() > 0);
  EXPECT(aqueduct_lost_operations() == 0);

  // From now on it is certain.
  expect_operations_to_complete(static_cast<char*>(theirs));
  EXPECT(gasnet_barrier(0, GASNET_BARRIERFLAG_ANONYMOUS) == GASNET_ERR_BARRIER_MISMATCH);
  uint64_t mine = 1, sum = 0;
  gex_Event_Wait(gex_Coll_ReduceToAllNB(world, &sum, &mine, GEX_DT_U64, sizeof mine, 1, GEX_OP_ADD, nullptr,
                                        nullptr, 0));
  EXPECT(aqueduct_lost_operations() >= 2);

  expect_team_to_work(living);
  gex_AM_RequestShort0(living, (gex_TM_QueryRank(living) + 1) % 3, handler, 0);
  GASNET_BLOCKUNTIL(handled == 1);

  // Teams that are made now, from one without the dead rank.
  gex_TM_t again;
  gex_TM_Split(&again, living, 0, me, nullptr, 0, GEX_FLAG_TM_NO_SCRATCH);
  expect_team_to_work(again);
  gex_Coll_BarrierBlocking(living, 0);
  printf("rank %u has gone on\n", me);
  gasnet_exit(0);
}
