/* A hash table over all ranks. A key lives on one of them, which alone changes its part: inserting is a
 * message to it. Looking up needs nobody's help: the reader gets the entry from the owner's memory. */
#include <gasnet_coll.h>
#include <gasnetex.h>
#include <stdio.h>

enum { SLOTS = 4096, KEYS = 1000 };

struct entry {
  uint64_t key; /* 0: empty */
  uint64_t value;
};

struct state {
  struct entry* part; /* this rank's, in its segment */
  unsigned inserted;
  volatile unsigned acknowledged;
};

enum { INSERT = GEX_AM_INDEX_BASE, INSERTED };

static uint64_t hash(uint64_t key) {
  key ^= key >> 31;
  key *= 0x9e3779b97f4a7c15u;
  return key ^ key >> 29;
}

static struct state* state_of(gex_Token_t token) {
  gex_Token_Info_t info;
  gex_Token_Info(token, &info, GEX_TI_EP);
  return gex_EP_QueryCData(info.gex_ep);
}

static void on_insert(gex_Token_t token, void* payload, size_t bytes) {
  struct state* state = state_of(token);
  struct entry entry;
  memcpy(&entry, payload, bytes);
  unsigned slot = hash(entry.key) / 64 % SLOTS;
  while (state->part[slot].key != 0) slot = (slot + 1) % SLOTS;
  state->part[slot] = entry;
  state->inserted += 1;
  gex_AM_ReplyShort0(token, INSERTED, 0);
}

static void on_inserted(gex_Token_t token) { state_of(token)->acknowledged += 1; }

/* The value of a key, or 0. `parts` are the addresses of all ranks' parts. */
static uint64_t look_up(gex_TM_t world, void** parts, uint64_t key) {
  gex_Rank_t owner = hash(key) % gex_TM_QuerySize(world);
  unsigned slot = hash(key) / 64 % SLOTS;
  for (;; slot = (slot + 1) % SLOTS) {
    struct entry entry;
    gex_RMA_GetBlocking(world, &entry, owner, (struct entry*)parts[owner] + slot, sizeof entry, 0);
    if (entry.key == key) return entry.value;
    if (entry.key == 0) return 0;
  }
}

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t endpoint;
  gex_TM_t world;
  gex_Client_Init(&client, &endpoint, &world, "tutorial", &argc, &argv, 0);
  gex_Rank_t me = gex_TM_QueryRank(world), size = gex_TM_QuerySize(world);

  gex_Segment_t segment;
  gex_Segment_Attach(&segment, world, SLOTS * sizeof(struct entry));
  struct state state = {gex_Segment_QueryAddr(segment), 0, 0};
  gex_EP_SetCData(endpoint, &state);
  gex_AM_Entry_t handlers[] = {
      {INSERT, (gex_AM_Fn_t)on_insert, GEX_FLAG_AM_MEDIUM | GEX_FLAG_AM_REQUEST, 0, NULL, "insert"},
      {INSERTED, (gex_AM_Fn_t)on_inserted, GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REPLY, 0, NULL, "inserted"},
  };
  gex_EP_RegisterHandlers(endpoint, handlers, 2);
  void** parts = malloc(size * sizeof *parts);
  for (gex_Rank_t rank = 0; rank < size; ++rank)
    gex_Event_Wait(gex_EP_QueryBoundSegmentNB(world, rank, &parts[rank], NULL, NULL, 0));
  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));

  /* Every rank inserts keys of its own, without waiting for one before it sends the next. */
  for (uint64_t i = 1; i <= KEYS; ++i) {
    struct entry entry = {me * 1000000 + i, i * i};
    gex_AM_RequestMedium0(world, hash(entry.key) % size, INSERT, &entry, sizeof entry, GEX_EVENT_NOW, 0);
  }
  GASNET_BLOCKUNTIL(state.acknowledged == KEYS);
  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));

  /* Every rank looks up the keys of the next one. */
  uint32_t found = 0, found_by_all = 0;
  for (uint64_t i = 1; i <= KEYS; ++i) found += look_up(world, parts, (me + 1) % size * 1000000 + i) == i * i;
  gex_Event_Wait(gex_Coll_ReduceToOneNB(world, 0, &found_by_all, &found, GEX_DT_U32, sizeof found, 1,
                                        GEX_OP_ADD, NULL, NULL, 0));
  if (me == 0) printf("%u ranks found %u of %u keys\n", size, found_by_all, KEYS * size);

  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
  gasnet_exit(0);
}
