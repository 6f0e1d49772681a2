/* Atomics on a neighbour's segment are done where they are called, or by a call that only applies them;
 * everything else, and everything that is wrong, reaches the library unchanged. */
#include <string.h>

#include "../support/check.h"
#include "spy_library.h"

enum { kSize = 4096, kNeighbour = 1, kElsewhere = 2, kRanks = 3 };

/* The neighbour's segment as mapped here. To its owner it begins at kBase, where nothing of ours is. */
static uint64_t segment[kSize / 8];
static const uintptr_t kBase = 0x40000000u;
static struct aq_peer_view_ peers[kRanks + 1];
static struct aq_ad_view_ view;

static gex_AD_t domain(void) { return (gex_AD_t)(void*)&view; }
static void* theirs(size_t offset) { return (void*)(kBase + offset); }

static void set_up(gex_DT_t type, gex_OP_t operations) {
  memset(peers, 0, sizeof peers);
  memset(&view, 0, sizeof view);
  memset(segment, 0, sizeof segment);
  peers[kNeighbour].base_ = kBase;
  peers[kNeighbour].size_ = kSize;
  peers[kNeighbour].shift_ = (intptr_t)((uintptr_t)segment - kBase);
  peers[kRanks] = peers[kNeighbour];
  view.members_.peers_ = peers;
  view.members_.size_ = kRanks;
  view.type_ = type;
  view.operations_ = operations;
  view.library_flags_ = GEX_FLAG_RANK_IS_JOBRANK;
  spy_reset();
}

/* Optimised, the compiler knows the opcode; otherwise the library is asked to apply it. Nothing else may
 * happen. */
static int was_done_here(const void* here, gex_OP_t opcode) {
  if (spy_note.name == NULL) return 1;
  return spy_saw("atomic apply") && spy_note.destination == here && spy_note.opcode == opcode;
}

static void a_neighbours_elements_are_changed_in_place(void) {
  uint64_t before = 7;
  set_up(GEX_DT_U64, GEX_OP_FADD | GEX_OP_SET);
  CHECK(gex_AD_OpNB_U64(domain(), &before, kNeighbour, theirs(8), GEX_OP_FADD, 5, 0, 0) == GEX_EVENT_INVALID);
  CHECK(was_done_here(&segment[1], GEX_OP_FADD));
  if (spy_note.name == NULL) CHECK(before == 0 && segment[1] == 5 && segment[0] == 0 && segment[2] == 0);
  spy_reset();
  CHECK(gex_AD_OpNBI_U64(domain(), NULL, kNeighbour, theirs(kSize - 8), GEX_OP_SET, 9, 0,
                         GEX_FLAG_IMMEDIATE) == 0);
  CHECK(was_done_here(&segment[kSize / 8 - 1], GEX_OP_SET));
  set_up(GEX_DT_FLT, GEX_OP_ADD);
  CHECK(gex_AD_OpNBI_FLT(domain(), NULL, kNeighbour, theirs(kSize - 4), GEX_OP_ADD, 1, 0, 0) == 0);
  CHECK(was_done_here((char*)segment + kSize - 4, GEX_OP_ADD));
}

static void opcodes_not_known_to_the_compiler_are_applied_by_the_library(void) {
  volatile gex_OP_t later = GEX_OP_SUB;
  set_up(GEX_DT_I32, GEX_OP_ADD | GEX_OP_SUB);
  CHECK(gex_AD_OpNBI_I32(domain(), NULL, kNeighbour, theirs(4), later, 1, 0, 0) == 0);
  CHECK(spy_saw("atomic apply") && spy_note.destination == (char*)segment + 4);
  spy_reset();
  /* But for the two that clients use most. */
  later = GEX_OP_ADD;
  CHECK(gex_AD_OpNBI_I32(domain(), NULL, kNeighbour, theirs(4), later, 1, 0, 0) == 0);
  CHECK(spy_note.name == NULL && segment[0] == (uint64_t)1 << 32);
  later = GEX_OP_ADD | GEX_OP_SUB;
  CHECK(gex_AD_OpNBI_I32(domain(), NULL, kNeighbour, theirs(4), later, 1, 0, 0) == SPY_RESULT);
  CHECK(spy_saw("atomic nbi"));
}

static void expect_left_to_library(gex_Rank_t rank, void* target, gex_OP_t opcode, gex_Flags_t flags) {
  uint64_t before = 0;
  spy_reset();
  CHECK(gex_AD_OpNB_U64(domain(), &before, rank, target, opcode, 3, 4, flags) == SPY_EVENT);
  CHECK(spy_saw("atomic nb"));
  CHECK(gex_AD_OpNBI_U64(domain(), &before, rank, target, opcode, 3, 4, flags) == SPY_RESULT);
  CHECK(spy_saw("atomic nbi") && spy_note.domain == domain() && spy_note.source == &before);
  CHECK(spy_note.rank == rank && spy_note.destination == target && spy_note.opcode == opcode);
  CHECK(spy_note.operands[0] == 3 && spy_note.operands[1] == 4 && spy_note.flags == flags);
  CHECK(spy_note.type == GEX_DT_U64 && segment[0] == 0 && segment[1] == 0);
}

static void everything_else_is_left_to_the_library(void) {
  double before = 0;
  set_up(GEX_DT_U64, GEX_OP_FADD | GEX_OP_FSUB);
  expect_left_to_library(kNeighbour, theirs(kSize), GEX_OP_FADD, 0);
  expect_left_to_library(kNeighbour, theirs(kSize - 4), GEX_OP_FADD, 0);
  expect_left_to_library(kNeighbour, theirs(4), GEX_OP_FADD, 0);
  expect_left_to_library(kNeighbour, theirs(1), GEX_OP_FADD, 0);
  expect_left_to_library(kNeighbour, (void*)(kBase - 8), GEX_OP_FADD, 0);
  expect_left_to_library(kNeighbour, NULL, GEX_OP_FADD, 0);
  expect_left_to_library(kElsewhere, theirs(0), GEX_OP_FADD, 0);
  expect_left_to_library(kRanks, theirs(0), GEX_OP_FADD, 0);
  expect_left_to_library(GEX_RANK_INVALID, theirs(0), GEX_OP_FADD, 0);
  expect_left_to_library(kNeighbour, theirs(0), GEX_OP_FXOR, 0);
  expect_left_to_library(kNeighbour, theirs(0), GEX_OP_FADD | GEX_OP_FSUB, 0);
  expect_left_to_library(kNeighbour, theirs(0), GEX_OP_FADD, GEX_FLAG_RANK_IS_JOBRANK);
  spy_reset();
  CHECK(gex_AD_OpNB_DBL(domain(), &before, kNeighbour, theirs(0), GEX_OP_FADD, 1, 0, 0) == SPY_EVENT);
  CHECK(spy_saw("atomic nb") && spy_note.type == GEX_DT_DBL && spy_note.operands[0] == 0x3ff0000000000000u);
}

int main(void) {
  a_neighbours_elements_are_changed_in_place();
  opcodes_not_known_to_the_compiler_are_applied_by_the_library();
  everything_else_is_left_to_the_library();
  return 0;
}
