/* Jobs that are recorded and replayed: each uses other calls. As a program, and for `aqueduct sim`.
 *
 *     jobs JOB [ROUNDS] */
#include <aqueduct/sim.h>
#include <gasnet_coll.h>
#include <gasnet_ratomic.h>
#include <gasnet_vis.h>
#include <gasnetex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kHalo = GEX_AM_INDEX_BASE, kUpdate, kUpdated, kToken, kBlock, kBlockBack };
enum { kHaloBytes = 512, kSegment = 1 << 20 };

struct Rank {
  gex_TM_t team;
  gex_EP_t endpoint;
  gex_Rank_t self, size;
  char* segment;
  char* memory;
  int rounds;
  uint64_t random;
  int halos, updates, answers, tokens, blocks, blocks_back;
};

static struct Rank* rank_of(gex_Token_t token) {
  gex_Token_Info_t info;
  gex_Token_Info(token, &info, GEX_TI_EP);
  return gex_EP_QueryCData(info.gex_ep);
}

static void on_halo(gex_Token_t token, void* data, size_t bytes) {
  (void)data, (void)bytes;
  ++rank_of(token)->halos;
}
static void on_update(gex_Token_t token, gex_AM_Arg_t value) {
  aqueduct_sim_compute_ns(50);
  ++rank_of(token)->updates;
  gex_AM_ReplyShort1(token, kUpdated, 0, value);
}
static void on_updated(gex_Token_t token, gex_AM_Arg_t value) {
  (void)value;
  ++rank_of(token)->answers;
}
static void on_token(gex_Token_t token) { ++rank_of(token)->tokens; }
static void on_block(gex_Token_t token, void* data, size_t bytes, gex_AM_Arg_t round) {
  ++rank_of(token)->blocks;
  gex_AM_ReplyMedium1(token, kBlockBack, data, bytes < 256 ? bytes : 256, GEX_EVENT_NOW, 0, round);
}
static void on_block_back(gex_Token_t token, void* data, size_t bytes, gex_AM_Arg_t round) {
  (void)data, (void)bytes, (void)round;
  ++rank_of(token)->blocks_back;
}

static void* at(struct Rank* me, gex_Rank_t rank, size_t offset) {
  void* base = NULL;
  gex_Segment_QueryBound(me->team, rank, &base, NULL, NULL);
  return (char*)base + offset;
}

static void barrier(struct Rank* me) { gex_Event_Wait(gex_Coll_BarrierNB(me->team, 0)); }

static unsigned below(struct Rank* me, unsigned bound) {
  me->random = me->random * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(me->random >> 33) % bound;
}

/* Both neighbours of a ring get a halo; every eighth round all agree on a norm. Ranks compute unequally. */
static void stencil(struct Rank* me) {
  for (int round = 0; round < me->rounds; ++round) {
    gex_AM_RequestMedium0(me->team, (me->self + 1) % me->size, kHalo, me->memory, kHaloBytes, GEX_EVENT_NOW,
                          0);
    gex_AM_RequestMedium0(me->team, (me->self + me->size - 1) % me->size, kHalo, me->memory, kHaloBytes,
                          GEX_EVENT_NOW, 0);
    aqueduct_sim_compute_ns(500 + below(me, 1000)); /* the inner points */
    GASNET_BLOCKUNTIL(me->halos >= 2 * (round + 1));
    aqueduct_sim_compute_ns(300);
    if (round % 8 == 7) {
      double mine = 1, norm = 0;
      gex_Event_Wait(gex_Coll_ReduceToAllNB(me->team, &norm, &mine, GEX_DT_DBL, sizeof mine, 1, GEX_OP_ADD,
                                            NULL, NULL, 0));
    }
  }
}

/* Updates at random ranks, each answered; at most 16 of a rank are under way. */
static void updates(struct Rank* me) {
  const int all = 16 * me->rounds;
  for (int i = 0; i < all; ++i) {
    GASNET_BLOCKUNTIL(i - me->answers < 16);
    aqueduct_sim_compute_ns(100);
    gex_AM_RequestShort1(me->team, below(me, me->size), kUpdate, 0, i);
  }
  GASNET_BLOCKUNTIL(me->answers == all);
}

/* A token goes round; who has not got it polls. */
static void token_ring(struct Rank* me) {
  for (int round = 0; round < me->rounds; ++round) {
    if (me->self != 0)
      while (me->tokens <= round) gasnet_AMPoll();
    aqueduct_sim_compute_ns(200);
    gex_AM_RequestShort0(me->team, (me->self + 1) % me->size, kToken, 0);
    if (me->self == 0)
      while (me->tokens <= round) gasnet_AMPoll();
  }
}

/* Puts and gets with events, implicit ones, access regions, loops of tests, and local completion. */
static void transfers(struct Rank* me) {
  enum { kMost = 4 };
  const size_t bytes = 2000;
  for (int round = 0; round < me->rounds; ++round) {
    gex_Event_t events[kMost];
    for (int i = 0; i < kMost; ++i) {
      const gex_Rank_t peer = below(me, me->size);
      events[i] = i % 2
                      ? gex_RMA_GetNB(me->team, me->memory + i * bytes, peer, at(me, peer, 0), bytes, 0)
                      : gex_RMA_PutNB(me->team, peer, at(me, peer, 0), me->memory, bytes, GEX_EVENT_DEFER, 0);
    }
    aqueduct_sim_compute_ns(1000);
    gex_Event_WaitAll(events, kMost, 0);
    const gex_Rank_t next = (me->self + 1) % me->size;
    gex_Event_t leaf, root;
    root = gex_RMA_PutNB(me->team, next, at(me, next, 0), me->memory, bytes, &leaf, 0);
    gex_Event_Wait(leaf);
    aqueduct_sim_compute_ns(300);
    while (gex_Event_Test(root)) gasnet_AMPoll();
    gex_NBI_BeginAccessRegion(0);
    for (int i = 0; i < 3; ++i)
      gex_RMA_PutNBI(me->team, next, at(me, next, 0), me->memory, 64, GEX_EVENT_NOW, 0);
    gex_Event_Wait(gex_NBI_EndAccessRegion(0));
    for (int i = 0; i < 3; ++i) gex_RMA_GetNBI(me->team, me->memory, next, at(me, next, 0), 64 << i, 0);
    while (gex_NBI_Test(GEX_EC_ALL, 0)) gasnet_AMPoll();
    gex_RMA_PutBlockingVal(me->team, next, at(me, next, 0), 7, 8, 0);
    (void)gex_RMA_GetBlockingVal(me->team, next, at(me, next, 0), 4, 0);
  }
}

/* Rows of a grid reduce and meet; everybody uses barriers with names. */
static void teams(struct Rank* me) {
  gex_TM_t row;
  gex_TM_Split(&row, me->team, (int)(me->self / 4), (int)me->self, NULL, 0, GEX_FLAG_TM_NO_SCRATCH);
  for (int round = 0; round < me->rounds; ++round) {
    int64_t mine[5] = {1}, sum[5];
    aqueduct_sim_compute_ns(below(me, 2000));
    gex_Event_Wait(gex_Coll_ReduceToAllNB(row, sum, mine, GEX_DT_I64, 8, 5, GEX_OP_ADD, NULL, NULL, 0));
    gex_Event_Wait(gex_Coll_BroadcastNB(row, gex_TM_QuerySize(row) - 1, sum, mine, sizeof sum, 0));
    gex_Coll_BarrierBlocking(row, 0);
    gasnet_barrier_notify(round, 0);
    aqueduct_sim_compute_ns(700);
    if (round % 2) {
      gasnet_barrier_wait(round, 0);
    } else {
      while (gasnet_barrier_try(round, 0) == GASNET_ERR_NOT_READY) {
      }
    }
  }
}

/* Rank 0 comes late to barriers; the others look, and do something else between some of their looks. */
static void pauses(struct Rank* me) {
  for (int round = 0; round < me->rounds; ++round) {
    int looks = 0;
    if (me->self == 0) aqueduct_sim_compute_ns(100000);
    gasnet_barrier_notify(round, 0);
    while (gasnet_barrier_try(round, 0) == GASNET_ERR_NOT_READY) {
      if (++looks % 64 == 0) aqueduct_sim_compute_ns(2000);
    }
  }
}

/* Counters at rank 0 and at random, with and without results. */
static void atomics(struct Rank* me) {
  gex_AD_t domain;
  gex_AD_Create(&domain, me->team, GEX_DT_U64, GEX_OP_FADD | GEX_OP_ADD | GEX_OP_FCAS, 0);
  for (int round = 0; round < me->rounds; ++round) {
    uint64_t found = 0;
    gex_Event_Wait(gex_AD_OpNB_U64(domain, &found, 0, at(me, 0, 0), GEX_OP_FADD, 1, 0, 0));
    for (int i = 0; i < 4; ++i) {
      const gex_Rank_t peer = below(me, me->size);
      gex_AD_OpNBI_U64(domain, NULL, peer, at(me, peer, 64), GEX_OP_ADD, 1, 0, 0);
    }
    gex_NBI_Wait(GEX_EC_RMW, 0);
    gex_Event_Wait(gex_AD_OpNB_U64(domain, &found, 0, at(me, 0, 128), GEX_OP_FCAS, found, found + 1, 0));
  }
  barrier(me);
  gex_AD_Destroy(domain);
}

/* Long messages, some of which leave their buffer later, and negotiated ones. */
static void longs(struct Rank* me) {
  const gex_Rank_t next = (me->self + 1) % me->size;
  for (int round = 0; round < me->rounds; ++round) {
    gex_AM_RequestLong1(me->team, next, kBlock, me->memory, 30000, at(me, next, 0),
                        round % 2 ? GEX_EVENT_GROUP : GEX_EVENT_NOW, 0, round);
    gex_NBI_Wait(GEX_EC_AM, 0);
    const gex_AM_SrcDesc_t sd = gex_AM_PrepareRequestMedium(me->team, next, NULL, 64, 512, NULL, 0, 1);
    memset(gex_AM_SrcDescAddr(sd), 1, 64);
    gex_AM_CommitRequestMedium1(sd, kBlock, 64, round);
    GASNET_BLOCKUNTIL(me->blocks_back == 2 * (round + 1));
  }
}

/* A strided put, which a replay makes contiguous; and a wait that a put ends, whose cause nobody records. */
static void strided(struct Rank* me) {
  const gex_Rank_t next = (me->self + 1) % me->size;
  const ptrdiff_t strides[] = {64};
  const size_t counts[] = {16};
  volatile char* const flag = me->segment + 4096;
  for (int round = 0; round < me->rounds; ++round) {
    gex_VIS_StridedPutBlocking(me->team, next, at(me, next, 0), strides, me->memory, strides, 8, counts, 1,
                               0);
    gex_RMA_PutBlockingVal(me->team, next, at(me, next, 4096), (gex_RMA_Value_t)round + 1, 1, 0);
    GASNET_BLOCKUNTIL(*flag == (char)(round + 1));
    barrier(me);
  }
}

static int failing(struct Rank* me) {
  barrier(me);
  return me->self == 1 ? 3 : 0;
}

static int run(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*job)(struct Rank*);
  } kJobs[] = {{"stencil", stencil},     {"updates", updates}, {"token", token_ring},
               {"transfers", transfers}, {"teams", teams},     {"pauses", pauses},
               {"atomics", atomics},     {"longs", longs},     {"strided", strided}};
  struct Rank* const me = calloc(1, sizeof *me);
  gex_Client_t client;
  gex_Client_Init(&client, &me->endpoint, &me->team, "jobs", &argc, &argv, 0);
  me->self = gex_TM_QueryRank(me->team);
  me->size = gex_TM_QuerySize(me->team);
  me->random = me->self * 77 + 5;
  me->rounds = argc > 2 ? atoi(argv[2]) : 8;
  me->memory = calloc(1, 1 << 17);
  gex_EP_SetCData(me->endpoint, me);
#define HANDLER(index, function, flags, arguments) \
  {index, (gex_AM_Fn_t)function, flags, arguments, NULL, #function}
  gex_AM_Entry_t handlers[] = {
      HANDLER(kHalo, on_halo, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 0),
      HANDLER(kUpdate, on_update, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 1),
      HANDLER(kUpdated, on_updated, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 1),
      HANDLER(kToken, on_token, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0),
      HANDLER(kBlock, on_block, GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REQUEST, 1),
      HANDLER(kBlockBack, on_block_back, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REPLY, 1),
  };
  gex_EP_RegisterHandlers(me->endpoint, handlers, sizeof handlers / sizeof *handlers);
  gex_Segment_t segment;
  gex_Segment_Attach(&segment, me->team, kSegment);
  me->segment = gex_Segment_QueryAddr(segment);
  const char* const name = argc > 1 ? argv[1] : "";
  if (!strcmp(name, "failing")) return failing(me);
  barrier(me);
  for (size_t i = 0; i < sizeof kJobs / sizeof *kJobs; ++i) {
    if (strcmp(name, kJobs[i].name)) continue;
    kJobs[i].job(me);
    barrier(me);
    return 0;
  }
  fprintf(stderr, "jobs: there is no job '%s'\n", name);
  return 2;
}

#ifdef SIMULATED
int aqueduct_sim_main(int argc, char** argv) { return run(argc, argv); }
#else
int main(int argc, char** argv) {
  gasnet_exit(run(argc, argv));
  return 0;
}
#endif
