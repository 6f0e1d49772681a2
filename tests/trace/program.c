/* Does a known number of things, for the trace and the statistics of it to be compared with. */
#include <gasnet_coll.h>
#include <gasnet_ratomic.h>
#include <gasnet_tools.h>
#include <gasnetex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char* gasnet_max_segsize_str = "40MB"; /* a default of the client's own */

static volatile int pongs = 0;
static void on_ping(gex_Token_t token, void* data, size_t nbytes, gex_AM_Arg_t reply) {
  (void)data, (void)nbytes;
  gex_AM_ReplyShort0(token, (gex_AM_Index_t)reply, 0);
}
static void on_pong(gex_Token_t token) {
  (void)token;
  ++pongs;
}
static void my_statistics(void (*print)(const char* format, ...)) { print("of the client: %d", 4711); }

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t ep;
  gex_TM_t world;
  gex_Segment_t segment;
  gex_AD_t domain;
  gex_HSL_t lock = GEX_HSL_INITIALIZER;
  gex_AM_Entry_t handlers[2] = {
      {200, (gex_AM_Fn_t)on_ping, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 1, NULL, "ping"},
      {201, (gex_AM_Fn_t)on_pong, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 0, NULL, "pong"}};
  gex_Rank_t me, next;
  void *here, *there;
  char buffer[100];
  int i;
  if (gex_Client_Init(&client, &ep, &world, "TRACED", &argc, &argv, 0)) return 1;
  if (gasnet_getMaxLocalSegmentSize() != (uintptr_t)40 << 20 && !getenv("GASNET_MAX_SEGSIZE")) return 1;
  if (gex_Segment_Attach(&segment, world, GASNET_PAGESIZE)) return 1;
  if (gex_EP_RegisterHandlers(ep, handlers, 2)) return 1;
  me = gex_TM_QueryRank(world);
  next = (me + 1) % gex_TM_QuerySize(world);
  gex_Segment_QueryBound(world, me, &here, NULL, NULL);
  gex_Segment_QueryBound(world, next, &there, NULL, NULL);
  gex_Coll_BarrierBlocking(world, 0);
  memset(buffer, 0x2a, sizeof buffer);

  (void)aq_debug_malloc_(33, "here");
  aq_debug_free_(aq_debug_malloc_(22, "there"), "there");

  GASNETT_STATS_INIT(my_statistics);
  GASNETT_TRACE_SETSOURCELINE("somewhere.upc", 77);
  for (i = 1; i <= 3; ++i) gex_RMA_PutBlocking(world, next, there, buffer, 10 * (size_t)i, 0);
  GASNETT_TRACE_SETSOURCELINE(NULL, 0);
  gex_RMA_PutBlockingVal(world, me, here, 1, 8, 0);
  gex_Event_Wait(gex_RMA_GetNB(world, buffer, next, there, 40, 0));
  gex_RMA_GetNBI(world, buffer, me, here, 8, 0);
  gex_NBI_Wait(GEX_EC_ALL, 0);

  gex_AD_Create(&domain, world, GEX_DT_U64, GEX_OP_ADD, 0);
  gex_Event_Wait(gex_AD_OpNB_U64(domain, NULL, next, (char*)there + 512, GEX_OP_ADD, 1, 0, 0));
  gex_AM_RequestMedium1(world, next, 200, buffer, 50, GEX_EVENT_NOW, 0, 201);
  GASNET_BLOCKUNTIL(pongs == 1);
  gex_Event_Wait(gex_Coll_BroadcastNB(world, 0, buffer, buffer, 16, 0));
  gex_HSL_Lock(&lock);
  gex_HSL_Unlock(&lock);
  gasnet_AMPoll();

  GASNETT_TRACE_PRINTF("the client says %d%%", 50);
  GASNETT_TRACE_PRINTF_FORCE("the client insists");
  GASNETT_STATS_PRINTF("a line for the statistics");
  GASNETT_STATS_DUMP(0);
  GASNETT_TRACE_FREEZESOURCELINE();
  GASNETT_TRACE_SETSOURCELINE("frozen.upc", 1);
  GASNETT_TRACE_UNFREEZESOURCELINE();
  printf("masks '%s' '%s', %s\n", GASNETT_TRACE_GETMASK(), GASNETT_STATS_GETMASK(),
         GASNETT_TRACE_ENABLED ? "enabled" : "disabled");
  if (argc > 1) { /* a mask to go on with */
    GASNETT_TRACE_SETMASK(argv[1]);
    GASNETT_STATS_SETMASK(argv[1]);
    gex_RMA_PutBlocking(world, next, there, buffer, 100, 0);
    gex_RMA_GetBlocking(world, buffer, next, there, 100, 0);
  }
  gex_AD_Destroy(domain);
  gex_Coll_BarrierBlocking(world, 0);
  if (argc > 2 && me == 0) gasnet_exit(0); /* the others are told to end while they wait */
  if (argc > 2) gex_Coll_BarrierBlocking(world, 0);
  gasnet_exit(0);
  return 0;
}
