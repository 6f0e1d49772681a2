/* A program for `aqueduct sim`: rank 0 sends Longs from memory outside its segment, more at once than the
 * network can register, and asks not to wait (GEX_FLAG_IMMEDIATE). The call must refuse those, in no time,
 * and take them later; so must replies, which wait elsewhere. Ends with a line that counts refusals. */
#include <aqueduct/sim.h>
#include <gasnet_coll.h>
#include <gasnetex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kAsk = GEX_AM_INDEX_BASE, kAnswer };
enum { kLongs = 12, kBytes = 64 << 10 };

typedef struct {
  int answers;
  char* source;  /* of replies, outside the segment */
  char* replies; /* where they go, at rank 0 */
} Rank;

static Rank* this_rank(gex_Token_t token) {
  gex_Token_Info_t info;
  gex_Token_Info(token, &info, GEX_TI_EP);
  return (Rank*)gex_EP_QueryCData(info.gex_ep);
}

static void on_ask(gex_Token_t token, void* payload, size_t bytes, gex_AM_Arg_t number, gex_AM_Arg_t low,
                   gex_AM_Arg_t high) {
  Rank* const rank = this_rank(token);
  char* const to = (char*)((uint64_t)(uint32_t)high << 32 | (uint32_t)low);
  if (((char*)payload)[0] != (char)(number + 1) || ((char*)payload)[bytes - 1] != (char)(number + 1)) abort();
  memset(rank->source, number + 2, kBytes);
  gex_AM_ReplyLong1(token, kAnswer, rank->source, kBytes, to, GEX_EVENT_NOW, 0, number);
}

static void on_answer(gex_Token_t token, void* payload, size_t bytes, gex_AM_Arg_t number) {
  if (((char*)payload)[0] != (char)(number + 2) || ((char*)payload)[bytes - 1] != (char)(number + 2)) abort();
  ++this_rank(token)->answers;
}

int aqueduct_sim_main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t team;
  gex_Segment_t segment;
  Rank rank = {0, malloc(kBytes), NULL};
  gex_AM_Entry_t handlers[] = {
      {kAsk, (gex_AM_Fn_t)on_ask, GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQUEST, 3, NULL, "ask"},
      {kAnswer, (gex_AM_Fn_t)on_answer, GEX_FLAG_AM_LONG | GEX_FLAG_AM_REPLY, 1, NULL, "answer"},
  };
  (void)argc, (void)argv;
  gex_Client_Init(&client, &endpoint, &team, "immediate_longs", NULL, NULL, 0);
  gex_Segment_Attach(&segment, team, 2 * kLongs * kBytes);
  gex_EP_SetCData(endpoint, &rank);
  gex_EP_RegisterHandlers(endpoint, handlers, 2);
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  if (gex_TM_QueryRank(team) == 0) {
    char* const mine = gex_Segment_QueryAddr(segment);
    char* const sources = malloc((size_t)kLongs * kBytes);
    void* there = NULL;
    int refused = 0;
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(team, 1, &there, NULL, NULL, 0));
    for (int i = 0; i < kLongs; ++i) {
      const uint64_t to = (uint64_t)(uintptr_t)(mine + (size_t)i * kBytes);
      memset(sources + (size_t)i * kBytes, i + 1, kBytes);
      while (gex_AM_RequestLong3(team, 1, kAsk, sources + (size_t)i * kBytes, kBytes,
                                 (char*)there + (size_t)i * kBytes, GEX_EVENT_GROUP, GEX_FLAG_IMMEDIATE, i,
                                 (gex_AM_Arg_t)(uint32_t)to, (gex_AM_Arg_t)(uint32_t)(to >> 32))) {
        ++refused;
        gasnet_AMPoll();
      }
    }
    gex_NBI_Wait(GEX_EC_ALL, 0);
    GASNET_BLOCKUNTIL(rank.answers == kLongs);
    printf("%s\n", refused != 0 ? "some were refused, all arrived" : "none was refused");
    fflush(stdout);
    free(sources);
  }
  gex_Event_Wait(gex_Coll_BarrierNB(team, 0));
  free(rank.source);
  return 0;
}
