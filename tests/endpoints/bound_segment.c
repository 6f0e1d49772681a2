/* A program that attaches no segment: it creates one, binds it to the first endpoint and publishes it; some
 * ranks over memory of their own, some over memory of the library. */
#include <gasnet_coll.h>
#include <gasnetex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES ((size_t)300000)

static gex_TM_t team;
static gex_Rank_t me, size;
static volatile int arrived, answered;
enum { kRequest = GEX_AM_INDEX_BASE, kReply };

#define CHECK(condition)                                                             \
  do {                                                                               \
    if (!(condition)) {                                                              \
      fprintf(stderr, "rank %u, line %d: %s\n", (unsigned)me, __LINE__, #condition); \
      gasnet_exit(1);                                                                \
    }                                                                                \
  } while (0)

static void on_reply(gex_Token_t token) {
  (void)token;
  ++answered;
}
static void on_request(gex_Token_t token, void* payload, size_t bytes) {
  size_t i;
  for (i = 0; i < bytes; ++i) CHECK(((unsigned char*)payload)[i] == (unsigned char)(i * 7));
  ++arrived;
  CHECK(gex_AM_ReplyShort0(token, kReply, 0) == 0);
}

static void meet(void) { gex_Event_Wait(gex_Coll_BarrierNB(team, 0)); }

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t ep;
  gex_Segment_t segment;
  gex_AM_Entry_t handlers[] = {
      {kRequest, (gex_AM_Fn_t)on_request, GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQUEST, 0, NULL, NULL},
      {kReply, (gex_AM_Fn_t)on_reply, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 0, NULL, NULL}};
  unsigned char* source = (unsigned char*)malloc(BYTES);
  unsigned char* back = (unsigned char*)malloc(BYTES);
  void *base, *own = malloc(BYTES);
  gex_Rank_t right, total;
  size_t i, bytes;
  CHECK(gex_Client_Init(&client, &ep, &team, "bound_segment", &argc, &argv, 0) == GASNET_OK);
  me = gex_TM_QueryRank(team);
  size = gex_TM_QuerySize(team);
  right = (me + 1) % size;
  for (i = 0; i < BYTES; ++i) source[i] = (unsigned char)(i * 7);
  CHECK(gex_EP_RegisterHandlers(ep, handlers, 2) == GASNET_OK);
  CHECK(gex_Segment_Create(&segment, client, me % 2 ? NULL : own, BYTES, GEX_MK_HOST, 0) == GASNET_OK);
  CHECK(gex_EP_BindSegment(ep, segment, 0) == GASNET_OK);
  CHECK(gex_EP_PublishBoundSegment(team, &ep, 1, 0) == GASNET_OK);
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(team, right, &base, NULL, NULL, 0));
  for (bytes = 1; bytes <= BYTES; bytes = bytes * 17 + 3) {
    CHECK(gex_RMA_PutBlocking(team, right, base, source, bytes, 0) == 0);
    memset(back, 0, BYTES);
    CHECK(gex_RMA_GetBlocking(team, back, right, base, bytes, 0) == 0);
    CHECK(memcmp(back, source, bytes) == 0);
    meet();
  }
  bytes = gex_AM_LUBRequestLong() < BYTES ? gex_AM_LUBRequestLong() : BYTES;
  CHECK(gex_AM_RequestLong0(team, right, kRequest, source, bytes, base, GEX_EVENT_NOW, 0) == 0);
  GASNET_BLOCKUNTIL(arrived == 1 && answered == 1);
  meet();
  gex_RMA_PutBlockingVal(team, right, base, me + 1, 4, 0);
  meet();
  total = 0;
  gex_Event_Wait(gex_Coll_ReduceToAllNB(team, &total, gex_Segment_QueryAddr(segment), GEX_DT_U32, 4, 1,
                                        GEX_OP_ADD, NULL, NULL, 0));
  CHECK(total == size * (size + 1) / 2);
  meet();
  gex_Segment_Destroy(segment, 0);
  gasnet_exit(0);
  return 0;
}
