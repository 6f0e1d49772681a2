/* Puts and gets on a neighbour's segment are copies that never reach the library; everything else reaches it
 * unchanged. */
#include <string.h>

#include "../support/check.h"
#include "spy_library.h"

enum { kSize = 256, kNeighbour = 1, kElsewhere = 2, kRanks = 3 };

/* The neighbour's segment as mapped here. To its owner it begins at kBase, where nothing of ours is. */
static unsigned char segment[kSize];
static const uintptr_t kBase = 0x40000000u;

/* One entry more than the team has, which looks like a neighbour and must not be read. */
static struct aq_peer_view_ peers[kRanks + 1];
static struct aq_team_view_ team;
static unsigned char buffer[kSize];

/* Whether aq_world_ says what the team's own view says, which must not be read then. */
static int is_all_ranks;

static gex_TM_t world(void) { return (gex_TM_t)(void*)&team; }
static void* theirs(size_t offset) { return (void*)(kBase + offset); }

static void set_up(void) {
  size_t i;
  memset(peers, 0, sizeof peers);
  peers[kNeighbour].base_ = kBase;
  peers[kNeighbour].size_ = kSize;
  peers[kNeighbour].shift_ = (intptr_t)((uintptr_t)segment - kBase);
  peers[kRanks] = peers[kNeighbour];
  team.peers_ = peers;
  team.size_ = kRanks;
  team.rank_ = 0;
  aq_world_.copy_ = memcpy;
  if (is_all_ranks) {
    aq_world_.team_ = world();
    aq_world_.peers_ = peers;
    aq_world_.size_ = kRanks;
    team.peers_ = NULL;
    team.size_ = 0;
  }
  for (i = 0; i < kSize; ++i) segment[i] = 0, buffer[i] = (unsigned char)(i + 1);
  spy_reset();
}

/* A size that the compiler cannot see. */
static size_t hidden(size_t nbytes) {
  volatile size_t copy = nbytes;
  return copy;
}

static void expect_segment(size_t offset, size_t nbytes) {
  size_t i;
  CHECK(spy_note.name == NULL);
  for (i = 0; i < kSize; ++i) {
    CHECK(segment[i] == (i >= offset && i < offset + nbytes ? buffer[i - offset] : 0));
  }
}

static void puts_of_every_size_copy_exactly_those_bytes(void) {
  size_t nbytes;
  for (nbytes = 0; nbytes <= kSize; ++nbytes) {
    const size_t last = nbytes > 0 ? kSize - nbytes : 0;
    gex_Event_t lc = SPY_EVENT;
    set_up();
    CHECK(gex_RMA_PutBlocking(world(), kNeighbour, theirs(0), buffer, hidden(nbytes), 0) == 0);
    expect_segment(0, nbytes);
    set_up();
    CHECK(gex_RMA_PutNB(world(), kNeighbour, theirs(last), buffer, hidden(nbytes), &lc, 0) ==
          GEX_EVENT_INVALID);
    CHECK(lc == GEX_EVENT_INVALID);
    expect_segment(last, nbytes);
    set_up();
    CHECK(gex_RMA_PutNBI(world(), kNeighbour, theirs(last), buffer, hidden(nbytes), GEX_EVENT_GROUP, 0) == 0);
    expect_segment(last, nbytes);
  }
}

static void puts_of_a_constant_size_copy_too(void) {
  set_up();
  CHECK(gex_RMA_PutBlocking(world(), kNeighbour, theirs(16), buffer, 8, 0) == 0);
  expect_segment(16, 8);
  set_up();
  CHECK(gex_RMA_PutNB(world(), kNeighbour, theirs(3), buffer, 5, GEX_EVENT_NOW, 0) == GEX_EVENT_INVALID);
  expect_segment(3, 5);
  set_up();
  CHECK(gex_RMA_PutNB(world(), kNeighbour, theirs(3), buffer, 100, GEX_EVENT_DEFER, 0) == GEX_EVENT_INVALID);
  expect_segment(3, 100);
}

static void gets_copy_exactly_those_bytes(void) {
  size_t nbytes, i;
  for (nbytes = 1; nbytes <= kSize; ++nbytes) {
    const size_t offset = kSize - nbytes;
    int form;
    for (form = 0; form < 3; ++form) {
      unsigned char got[kSize + 1];
      set_up();
      for (i = 0; i < kSize; ++i) segment[i] = (unsigned char)(3 * i);
      memset(got, 0xee, sizeof got);
      if (form == 0)
        CHECK(gex_RMA_GetBlocking(world(), got, kNeighbour, theirs(offset), hidden(nbytes), 0) == 0);
      if (form == 1)
        CHECK(gex_RMA_GetNB(world(), got, kNeighbour, theirs(offset), hidden(nbytes), 0) ==
              GEX_EVENT_INVALID);
      if (form == 2) CHECK(gex_RMA_GetNBI(world(), got, kNeighbour, theirs(offset), hidden(nbytes), 0) == 0);
      CHECK(memcmp(got, segment + offset, nbytes) == 0);
      CHECK(got[nbytes] == 0xee);
      CHECK(spy_note.name == NULL);
    }
  }
}

static void values_are_their_low_order_bytes(void) {
  const gex_RMA_Value_t value = 0x8877665544332211u;
  size_t nbytes, i;
  for (nbytes = 1; nbytes <= 8; ++nbytes) {
    gex_RMA_Value_t low = nbytes == 8 ? value : value & (((gex_RMA_Value_t)1 << (8 * nbytes)) - 1);
    int form;
    for (form = 0; form < 3; ++form) {
      set_up();
      if (form == 0)
        CHECK(gex_RMA_PutBlockingVal(world(), kNeighbour, theirs(9), value, hidden(nbytes), 0) == 0);
      if (form == 1)
        CHECK(gex_RMA_PutNBVal(world(), kNeighbour, theirs(9), value, hidden(nbytes), 0) ==
              GEX_EVENT_INVALID);
      if (form == 2) CHECK(gex_RMA_PutNBIVal(world(), kNeighbour, theirs(9), value, hidden(nbytes), 0) == 0);
      for (i = 0; i < kSize; ++i)
        CHECK(segment[i] == (i >= 9 && i < 9 + nbytes ? (unsigned char)(value >> (8 * (i - 9))) : 0));
    }
    memset(segment + 9 + nbytes, 0xff, 8);
    CHECK(gex_RMA_GetBlockingVal(world(), kNeighbour, theirs(9), hidden(nbytes), 0) == low);
    CHECK(spy_note.name == NULL);
  }
  set_up();
  CHECK(gex_RMA_PutBlockingVal(world(), kNeighbour, theirs(8), 0x1234, 2, 0) == 0);
  CHECK(gex_RMA_GetBlockingVal(world(), kNeighbour, theirs(8), 2, 0) == 0x1234);
  CHECK(spy_note.name == NULL);
}

static void value_sizes_out_of_range_are_left_to_the_library(void) {
  set_up();
  CHECK(gex_RMA_PutBlockingVal(world(), kNeighbour, theirs(0), 1, 0, 0) == SPY_RESULT);
  CHECK(spy_saw("put blocking value"));
  set_up();
  CHECK(gex_RMA_PutNBIVal(world(), kNeighbour, theirs(0), 1, 9, 0) == SPY_RESULT);
  CHECK(spy_saw("put nbi value"));
  set_up();
  CHECK(gex_RMA_GetBlockingVal(world(), kNeighbour, theirs(0), 9, 0) == SPY_VALUE);
  CHECK(spy_saw("get blocking value"));
}

/* Expects that a put and a get of this range go to the library, with everything unchanged, and touch nothing.
 */
static void expect_left_to_library(gex_TM_t tm, gex_Rank_t rank, void* address, size_t nbytes,
                                   gex_Flags_t flags) {
  gex_Event_t lc = SPY_EVENT;
  CHECK(gex_RMA_PutBlocking(tm, rank, address, buffer, nbytes, flags) == SPY_RESULT);
  CHECK(spy_saw("put blocking"));
  CHECK(spy_note.tm == tm && spy_note.rank == rank && spy_note.destination == address);
  CHECK(spy_note.source == buffer && spy_note.nbytes == nbytes && spy_note.flags == flags);
  CHECK(gex_RMA_PutNB(tm, rank, address, buffer, nbytes, &lc, flags) == SPY_EVENT);
  CHECK(spy_saw("put nb") && spy_note.lc == &lc && lc == SPY_EVENT);
  CHECK(gex_RMA_PutNBI(tm, rank, address, buffer, nbytes, GEX_EVENT_DEFER, flags) == SPY_RESULT);
  CHECK(spy_saw("put nbi") && spy_note.lc == GEX_EVENT_DEFER);
  CHECK(gex_RMA_GetBlocking(tm, buffer, rank, address, nbytes, flags) == SPY_RESULT);
  CHECK(spy_saw("get blocking") && spy_note.destination == buffer && spy_note.source == address);
  CHECK(gex_RMA_GetNB(tm, buffer, rank, address, nbytes, flags) == SPY_EVENT);
  CHECK(spy_saw("get nb"));
  CHECK(gex_RMA_GetNBI(tm, buffer, rank, address, nbytes, flags) == SPY_RESULT);
  CHECK(spy_saw("get nbi"));
  CHECK(gex_RMA_PutNBVal(tm, rank, address, 1, nbytes, flags) == SPY_EVENT);
  CHECK(spy_saw("put nb value") && spy_note.value == 1);
  spy_reset();
  expect_segment(0, 0);
}

static void ranges_outside_the_segment_are_left_to_the_library(void) {
  set_up();
  expect_left_to_library(world(), kNeighbour, theirs(kSize), 1, 0);
  expect_left_to_library(world(), kNeighbour, theirs(kSize - 7), 8, 0);
  expect_left_to_library(world(), kNeighbour, theirs(0), kSize + 1, 0);
  expect_left_to_library(world(), kNeighbour, (void*)(kBase - 1), 1, 0);
  expect_left_to_library(world(), kNeighbour, (void*)(kBase - 1), 2, 0);
  expect_left_to_library(world(), kNeighbour, NULL, 8, 0);
  /* Lengths that wrap around the address space. */
  expect_left_to_library(world(), kNeighbour, theirs(8), hidden(SIZE_MAX), 0);
  expect_left_to_library(world(), kNeighbour, theirs(8), hidden(SIZE_MAX - 7), 0);
  expect_left_to_library(world(), kNeighbour, (void*)UINTPTR_MAX, 8, 0);
}

static void peers_that_are_no_neighbours_are_left_to_the_library(void) {
  set_up();
  expect_left_to_library(world(), kElsewhere, theirs(0), 8, 0);
  expect_left_to_library(world(), kRanks, theirs(0), 8, 0);
  expect_left_to_library(world(), GEX_RANK_INVALID, theirs(0), 8, 0);
  expect_left_to_library((gex_TM_t)(uintptr_t)0x10001, kNeighbour, theirs(0), 8, 0);
}

static void flags_that_need_the_library_go_there(void) {
  set_up();
  expect_left_to_library(world(), kNeighbour, theirs(0), 8, GEX_FLAG_PEER_NEVER_NBRHD);
  expect_left_to_library(world(), kNeighbour, theirs(0), 8, GEX_FLAG_SELF_SEG_OFFSET);
  expect_left_to_library(world(), kNeighbour, theirs(0), 8, GEX_FLAG_PEER_SEG_OFFSET | GEX_FLAG_IMMEDIATE);
}

static void flags_that_promise_something_do_not(void) {
  set_up();
  CHECK(gex_RMA_PutBlocking(world(), kNeighbour, theirs(0), buffer, 8,
                            GEX_FLAG_IMMEDIATE | GEX_FLAG_PEER_NEVER_SELF | GEX_FLAG_PEER_SEG_BOUND |
                                GEX_FLAG_SELF_SEG_UNKNOWN) == 0);
  expect_segment(0, 8);
}

static void all(void) {
  puts_of_every_size_copy_exactly_those_bytes();
  puts_of_a_constant_size_copy_too();
  gets_copy_exactly_those_bytes();
  values_are_their_low_order_bytes();
  value_sizes_out_of_range_are_left_to_the_library();
  ranges_outside_the_segment_are_left_to_the_library();
  peers_that_are_no_neighbours_are_left_to_the_library();
  flags_that_need_the_library_go_there();
  flags_that_promise_something_do_not();
}

int main(void) {
  all();
  is_all_ranks = 1;
  all();
  return 0;
}
