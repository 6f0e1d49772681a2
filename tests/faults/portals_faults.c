/* Two ranks over Portals, or over another network, and something that goes wrong. The job must end with one
 * line that says what.
 *   requests      rank 1 is stopped by a signal, and rank 0 sends it requests,
 *   puts, gets    puts and gets,
 *   outside-puts  or puts outside of its segment
 *   traffic       both put, get and send requests, while their interfaces pretend that something fails
 *                 (AQUEDUCT_PORTALS_FAULTS)
 *   flood         rank 0 sends more requests than rank 1, which looks away, has room for
 *                 (started without flow control)
 */
#include <gasnet_coll.h>
#include <gasnetex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kBlock = GEX_AM_INDEX_BASE, kBlocks = 200 };
static volatile int blocks = 0;

static void on_block(gex_Token_t token, void* block, size_t bytes) {
  (void)token;
  (void)block;
  (void)bytes;
  ++blocks;
}

struct Victim {
  pid_t process;
  void* outside; /* of its segment */
};

static void await_stop(pid_t process) {
  char name[64], state = 0;
  sprintf(name, "/proc/%ld/stat", (long)process);
  while (state != 'T') {
    FILE* const file = fopen(name, "r");
    if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1) exit(3);
    fclose(file);
    usleep(1000);
  }
}

/* Does one thing for ever. */
static void trouble(const char* what, gex_TM_t team, void* segment, void* outside) {
  static char block[900];
  for (;;) {
    if (strcmp(what, "requests") == 0)
      gex_AM_RequestMedium0(team, 1, kBlock, block, sizeof block, GEX_EVENT_NOW, 0);
    else if (strcmp(what, "puts") == 0)
      gex_RMA_PutBlocking(team, 1, segment, block, sizeof block, 0);
    else if (strcmp(what, "gets") == 0)
      gex_RMA_GetBlocking(team, block, 1, segment, sizeof block, 0);
    else
      gex_RMA_PutBlocking(team, 1, outside, block, sizeof block, 0);
  }
}

/* Several of everything at once, from memory of all kinds. */
static void traffic(gex_TM_t team, char* other) {
  enum { kRounds = 20000, kAtOnce = 4, kBytes = 3000 };
  char* const heap = (char*)calloc(kAtOnce, kBytes);
  const gex_Rank_t peer = 1 - gex_TM_QueryRank(team);
  int round, i;
  for (round = 0; round < kRounds; ++round) {
    for (i = 0; i < kAtOnce; ++i) {
      gex_RMA_PutNBI(team, peer, other + i * kBytes, heap + i * kBytes, kBytes, GEX_EVENT_DEFER, 0);
      gex_AM_RequestMedium0(team, peer, kBlock, heap, 100, GEX_EVENT_NOW, 0);
    }
    gex_NBI_Wait(GEX_EC_ALL, 0);
    gex_RMA_GetBlocking(team, heap, peer, other, 8, 0);
  }
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
}

/* What a put writes by itself; to ThreadSanitizer that is a race. */
__attribute__((no_sanitize("thread"))) static char look(const volatile char* place) { return *place; }

static void flood(gex_TM_t team, void* segment, volatile char* mine) {
  static char block[900];
  int i;
  if (gex_TM_QueryRank(team) == 0) {
    for (i = 0; i < kBlocks; ++i)
      gex_AM_RequestMedium0(team, 1, kBlock, block, sizeof block, GEX_EVENT_NOW, 0);
    /* Arrives behind all of them, and without rank 1's help. */
    gex_RMA_PutBlocking(team, 1, segment, "x", 1, 0);
  } else {
    while (look(mine) == 0) usleep(1000);
  }
  GASNET_BLOCKUNTIL(blocks == kBlocks);
}

int main(int argc, char** argv) {
  static char outside[4096];
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  gex_Segment_t segment;
  gex_AM_Entry_t handler = {kBlock, (gex_AM_Fn_t)on_block, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 0, NULL,
                            "block"};
  void *mine, *other, *neighbour;
  struct Victim victim;
  if (argc != 2 || gex_Client_Init(&client, &endpoint, &team, "faults", &argc, &argv, 0) != GASNET_OK)
    return 2;
  gex_EP_RegisterHandlers(endpoint, &handler, 1);
  gex_Segment_Attach(&segment, team, 1 << 16);
  mine = gex_Segment_QueryAddr(segment);
  gex_Segment_QueryBound(team, 1, &other, NULL, NULL);
  gex_Segment_QueryBound(team, 1 - gex_TM_QueryRank(team), &neighbour, NULL, NULL);
  victim.process = getpid();
  victim.outside = outside;
  gex_Event_Wait(gex_Coll_BroadcastNB(team, 1, &victim, &victim, sizeof victim, 0));
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));

  if (strcmp(argv[1], "flood") == 0)
    flood(team, other, (volatile char*)mine);
  else if (strcmp(argv[1], "traffic") == 0)
    traffic(team, (char*)neighbour);
  else if (gex_TM_QueryRank(team) == 1)
    raise(SIGSTOP);
  else {
    await_stop(victim.process);
    trouble(argv[1], team, other, victim.outside);
  }
  puts("nothing went wrong");
  return 0;
}
