/* A client compiled with GASNET_SEGMENT_EVERYTHING: nothing is attached, and all memory of the other rank can
 * be reached from the beginning. */
#include <gasnet_coll.h>
#include <gasnet_ratomic.h>
#include <gasnetex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !GASNET_SEGMENT_EVERYTHING || defined(GASNET_SEGMENT_FAST)
#error "the headers do not say what was asked for"
#endif

enum { kAsk = GEX_AM_INDEX_BASE, kAnswer };

struct Memory {
  char put_here[5000];
  char sent_here[64];
  char answered_here[64];
  int64_t count;
};
static struct Memory memory; /* static, and so at different places */
static struct Memory* theirs;
static volatile int asked = 0, answered = 0;

static void must(int holds, const char* what) {
  if (holds) return;
  fprintf(stderr, "not so: %s\n", what);
  gasnet_exit(1);
}

static void on_ask(gex_Token_t token, void* here, size_t bytes) {
  must(here == memory.sent_here && bytes == 5 && strcmp(memory.sent_here, "what") == 0,
       "the request's payload");
  ++asked;
  gex_AM_ReplyLong0(token, kAnswer, "that", 5, theirs->answered_here, GEX_EVENT_NOW, 0);
}
static void on_answer(gex_Token_t token, void* here, size_t bytes) {
  (void)token;
  must(here == memory.answered_here && bytes == 5 && strcmp(memory.answered_here, "that") == 0,
       "the reply's payload");
  ++answered;
}

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  gex_Segment_t segment;
  gex_Rank_t other;
  gex_AD_t domain;
  int64_t before = -1;
  static char out[5000], back[5000];
  struct Memory* addresses[2];
  gex_AM_SrcDesc_t prepared;
  gex_AM_Entry_t handlers[] = {
      {kAsk, (gex_AM_Fn_t)on_ask, GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQUEST, 0, NULL, "ask"},
      {kAnswer, (gex_AM_Fn_t)on_answer, GEX_FLAG_AM_LONG | GEX_FLAG_AM_REPLY, 0, NULL, "answer"},
  };
  const size_t longest = gex_AM_LUBRequestLong();
  must(gex_Client_Init(&client, &endpoint, &team, "segmentless", &argc, &argv, 0) == GASNET_OK, "a start");
  must(gex_TM_QuerySize(team) == 2, "two ranks");
  must(gex_AM_LUBRequestLong() == longest && longest >= 512, "the limit that was named before the start");
  must(strstr(GASNET_CONFIG_STRING, "SEGMENT=EVERYTHING") != NULL, "the text of the configuration");
  must(gasnet_getMaxLocalSegmentSize() == (uintptr_t)-1 && gasnet_getMaxGlobalSegmentSize() == (uintptr_t)-1,
       "there is no limit");
  gex_EP_RegisterHandlers(endpoint, handlers, 2);
  other = 1 - gex_TM_QueryRank(team);
  addresses[0] = addresses[1] = &memory;
  gex_Event_Wait(gex_Coll_BroadcastNB(team, 0, &addresses[0], &addresses[0], sizeof addresses[0], 0));
  gex_Event_Wait(gex_Coll_BroadcastNB(team, 1, &addresses[1], &addresses[1], sizeof addresses[1], 0));
  theirs = addresses[other];
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));

  memset(out, 'a' + (int)other, sizeof out);
  gex_RMA_PutBlocking(team, other, theirs->put_here, out, sizeof out, 0);
  gex_RMA_GetBlocking(team, back, other, theirs->put_here, sizeof back, 0);
  must(memcmp(out, back, sizeof out) == 0, "what was put can be got");

  gex_AM_RequestLong0(team, other, kAsk, "what", 5, theirs->sent_here, GEX_EVENT_NOW, 0);
  GASNET_BLOCKUNTIL(asked == 1 && answered == 1);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  memset(memory.sent_here, 0, sizeof memory.sent_here);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  prepared = gex_AM_PrepareRequestLong(team, other, NULL, 5, 5, NULL, NULL, 0, 0);
  memcpy(gex_AM_SrcDescAddr(prepared), "what", 5);
  gex_AM_CommitRequestLong0(prepared, kAsk, 5, theirs->sent_here);
  GASNET_BLOCKUNTIL(asked == 2 && answered == 2);

  gex_AD_Create(&domain, team, GEX_DT_I64, GEX_OP_FADD | GEX_OP_ADD, 0);
  gex_Event_Wait(gex_AD_OpNB_I64(domain, NULL, other, &theirs->count, GEX_OP_ADD, 40, 0, 0));
  gex_Event_Wait(gex_AD_OpNB_I64(domain, &before, other, &theirs->count, GEX_OP_FADD, 2, 0, 0));
  must(before == 40, "what an atomic fetched");

  segment = (gex_Segment_t)&memory;
  must(gex_Segment_Attach(&segment, team, 4096) == GASNET_OK && segment == GEX_SEGMENT_INVALID,
       "attaching changes nothing");
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  must(memory.count == 42 && memory.put_here[4999] == 'a' + 1 - (int)other, "what the other did here");
  gasnet_exit(0);
  return 0;
}
