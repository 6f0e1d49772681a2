/* A client that hangs, as its first argument says; rank 1 is the one that is to blame unless it says
 * otherwise.
 *
 *   barrier    rank 1 waits for a message instead of coming to the barrier of the others
 *   reply      rank 1 handles the request of rank 0 and does not reply
 *   credits    rank 1 computes and does not look at the requests that rank 0 sends
 *   stop       rank 1 stops itself while the others wait at a barrier
 *   handler    rank 1 gets a request whose handler does not return
 *   left       rank 1 returns from main while the others wait at a barrier
 *   cycle      rank 0 waits at the barrier of a team of all ranks, and the others at that of the first team
 *   polls      rank 1 polls for a message by itself while the others wait at a barrier
 *   collective rank 1 does not take part in a reduction
 *   get        rank 0 waits for a get from rank 1, which computes (over a network)
 *   kinds      rank 0 sends three Short, two Medium and one Long requests to the last rank, starts a put and
 *              a get, and waits; the last rank computes from before that on
 *   none       nobody hangs: all wait for the end of standard input
 */
#include <gasnet_coll.h>
#include <gasnetex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kSegmentBytes = 65536, kAsk = GEX_AM_INDEX_BASE, kAnswer, kStay, kData };

static gex_TM_t world;
static gex_Rank_t me;
static volatile int answered;
static volatile int for_ever = 1;

static void on_ask(gex_Token_t token) { (void)token; }
static void on_answer(gex_Token_t token) {
  (void)token;
  answered = 1;
}
static void on_stay(gex_Token_t token) {
  (void)token;
  while (for_ever) usleep(1000);
}

static void on_data(gex_Token_t token, void* payload, size_t bytes) {
  (void)token;
  (void)payload;
  (void)bytes;
}

static void barrier(void) { gex_Event_Wait(gex_Coll_BarrierNB(world, 0)); }
static void compute(void) {
  while (for_ever) usleep(1000);
}

static void send_all_kinds(gex_Rank_t target) {
  static int value = 1;
  void* there = NULL;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(world, target, &there, NULL, NULL, 0));
  GASNET_BLOCKUNTIL(answered);
  for (int i = 0; i < 3; ++i) gex_AM_RequestShort0(world, target, kAsk, 0);
  for (int i = 0; i < 2; ++i)
    gex_AM_RequestMedium0(world, target, kData, &value, sizeof value, GEX_EVENT_NOW, 0);
  gex_AM_RequestLong0(world, target, kData, &value, sizeof value, there, GEX_EVENT_NOW, 0);
  gex_RMA_PutNBI(world, target, there, &value, sizeof value, GEX_EVENT_DEFER, 0);
  gex_RMA_GetNBI(world, &value, target, there, sizeof value, 0);
}

/* Its name is what tests look for in the stacks. */
__attribute__((noinline)) static void hang(const char* how) {
  if (strcmp(how, "barrier") == 0) {
    if (me == 1 || gex_TM_QuerySize(world) == 1) GASNET_BLOCKUNTIL(answered);
    barrier();
  } else if (strcmp(how, "reply") == 0) {
    if (me == 0) {
      gex_AM_RequestShort0(world, 1, kAsk, 0);
      GASNET_BLOCKUNTIL(answered);
    }
    barrier();
  } else if (strcmp(how, "credits") == 0) {
    if (me == 1) {
      gex_AM_RequestShort0(world, 0, kAnswer, 0);
      compute();
    }
    GASNET_BLOCKUNTIL(answered); /* now rank 1 does not poll any more */
    for (;;) gex_AM_RequestShort0(world, 1, kAsk, 0);
  } else if (strcmp(how, "stop") == 0) {
    if (me == 1) raise(SIGSTOP);
    barrier();
  } else if (strcmp(how, "handler") == 0) {
    if (me == 0) gex_AM_RequestShort0(world, 1, kStay, 0);
    if (me == 1) GASNET_BLOCKUNTIL(answered);
    barrier();
  } else if (strcmp(how, "left") == 0) {
    if (me == 1) return;
    barrier();
  } else if (strcmp(how, "collective") == 0) {
    double one = 1, sum = 0;
    if (me == 1) compute();
    gex_Event_Wait(
        gex_Coll_ReduceToAllNB(world, &sum, &one, GEX_DT_DBL, sizeof one, 1, GEX_OP_ADD, NULL, NULL, 0));
  } else if (strcmp(how, "get") == 0) {
    void* there = NULL;
    int value = 0;
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(world, 1, &there, NULL, NULL, 0));
    barrier();
    if (me == 1) compute();
    while (for_ever) gex_Event_Wait(gex_RMA_GetNB(world, &value, 1, there, sizeof value, 0));
  } else if (strcmp(how, "cycle") == 0) {
    gex_TM_t all = GEX_TM_INVALID;
    gex_TM_Split(&all, world, 0, (int)me, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
    gex_Event_Wait(gex_Coll_BarrierNB(me == 0 ? all : world, 0));
  } else if (strcmp(how, "kinds") == 0) {
    const gex_Rank_t last = gex_TM_QuerySize(world) - 1;
    if (me == 0) send_all_kinds(last);
    if (me == last) {
      gex_AM_RequestShort0(world, 0, kAnswer, 0);
      compute();
    }
    GASNET_BLOCKUNTIL(!for_ever);
  } else if (strcmp(how, "polls") == 0) {
    while (me == 1 && !answered) gasnet_AMPoll();
    barrier();
  }
}

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_Segment_t segment;
  const char* const how = argc > 1 ? argv[1] : "none";
  gex_AM_Entry_t handlers[] = {
      {kAsk, (gex_AM_Fn_t)on_ask, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, NULL, "ask"},
      {kAnswer, (gex_AM_Fn_t)on_answer, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQREP, 0, NULL, "answer"},
      {kStay, (gex_AM_Fn_t)on_stay, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, NULL, "stay"},
      {kData, (gex_AM_Fn_t)on_data, GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REQUEST, 0, NULL, "data"},
  };
  gex_Client_Init(&client, &endpoint, &world, "standstill", &argc, &argv, 0);
  gex_EP_RegisterHandlers(endpoint, handlers, sizeof handlers / sizeof *handlers);
  gex_Segment_Attach(&segment, world, kSegmentBytes);
  me = gex_TM_QueryRank(world);
  barrier();
  if (me == 0) {
    puts("ready");
    fflush(stdout);
  }
  hang(how);
  if (strcmp(how, "none") == 0) {
    if (me == 0) (void)getchar();
    barrier();
  }
  return 0;
}
