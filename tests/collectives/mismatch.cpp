// Collectives and their events used wrongly: `mismatch NAME` makes the mistake of that name. Must end with an
// error; if the mistake goes unnoticed it prints "unnoticed" and ends with 0.
#include <gasnet_coll.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace {

gex_TM_t world;
gex_Rank_t me;
std::uint64_t from[4096], to[4096];

gex_Event_t reduce(gex_DT_t type, std::size_t bytes, std::size_t count, gex_OP_t operation) {
  return gex_Coll_ReduceToAllNB(world, to, from, type, bytes, count, operation, nullptr, nullptr, 0);
}

// A barrier that cannot be complete when its event is made: rank 1 is told of it only after that.
gex_AM_Index_t told_index;
int times_told = 0;
void on_told(gex_Token_t) { ++times_told; }
gex_Event_t begin_barrier() {
  static int times = 0;
  ++times;
  if (me != 0) GASNET_BLOCKUNTIL(times_told >= times);
  const gex_Event_t event = gex_Coll_BarrierNB(world, 0);
  if (me == 0) gex_AM_RequestShort0(world, 1, told_index, 0);
  return event;
}

// Completes an event a second time, before or after its record may have been taken for another operation.
gex_Event_t complete_twice(bool after_another) {
  const gex_Event_t first = begin_barrier();
  gex_Event_Wait(first);
  const gex_Event_t second = after_another ? begin_barrier() : GEX_EVENT_INVALID;
  if (me == 0) gex_Event_Wait(first);
  return second;
}

gex_Event_t make(const char* name) {
  const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
  // What one rank finds wrong by itself.
  if (is("root_outside")) return gex_Coll_BroadcastNB(world, 99, to, from, 8, 0);
  if (is("no_such_operation")) return reduce(GEX_DT_U64, 8, 1, GEX_OP_SUB);
  if (is("bits_of_fractions")) return reduce(GEX_DT_DBL, 8, 1, GEX_OP_XOR);
  if (is("size_of_other_type")) return reduce(GEX_DT_U32, 8, 1, GEX_OP_ADD);
  if (is("no_elements")) return reduce(GEX_DT_U64, 8, 0, GEX_OP_ADD);
  if (is("own_type_built_in_operation")) return reduce(GEX_DT_USER, 8, 1, GEX_OP_ADD);
  if (is("no_function")) return reduce(GEX_DT_USER, 8, 1, GEX_OP_USER);
  if (is("no_source")) return gex_Coll_BroadcastNB(world, me, to, nullptr, 8, 0);
  if (is("no_destination")) return gex_Coll_BroadcastNB(world, 0, nullptr, from, 8, 0);
  if (is("two_in_flags"))
    return gasnet_coll_gather_all_nb(GASNET_TEAM_ALL, to, from, 8,
                                     GASNET_COLL_IN_NOSYNC | GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC);
  if (is("event_twice")) return complete_twice(false);
  if (is("event_twice_after_another")) return complete_twice(true);
  // What only shows when the ranks compare.
  if (is("other_root")) return gex_Coll_BroadcastNB(world, me, to, from, 8, 0);
  if (is("nobody_is_root")) return gex_Coll_BroadcastNB(world, 1 - me, to, from, 8, 0);
  if (is("other_size")) return gex_Coll_BroadcastNB(world, 0, to, from, me == 0 ? 8 : 16, 0);
  if (is("small_and_large")) return gex_Coll_BroadcastNB(world, 0, to, from, me == 0 ? 8 : 32768, 0);
  if (is("other_type")) return reduce(me == 0 ? GEX_DT_U64 : GEX_DT_I64, 8, 1, GEX_OP_ADD);
  if (is("other_count")) return reduce(GEX_DT_U64, 8, me == 0 ? 3 : 2, GEX_OP_ADD);
  if (is("other_operation")) return reduce(GEX_DT_U64, 8, 1000, me == 0 ? GEX_OP_ADD : GEX_OP_MAX);
  if (is("other_call")) {
    if (me == 0) return gex_Coll_BroadcastNB(world, 0, to, from, 8, 0);
    return reduce(GEX_DT_U64, 8, 1, GEX_OP_ADD);
  }
  if (is("barrier_and_broadcast")) {
    if (me == 0) return gex_Coll_BarrierNB(world, 0);
    return gex_Coll_BroadcastNB(world, 0, to, from, 8, 0);
  }
  if (is("split_and_reduction")) {
    if (me == 0) return reduce(GEX_DT_U64, 8, 1, GEX_OP_ADD);
    gex_TM_t made;
    gex_TM_Split(&made, world, 0, 0, nullptr, 0, GEX_FLAG_TM_NO_SCRATCH);
  }
  // Found in the wait at the latest; but the message is about this call.
  if (is("found_later")) {
    std::printf("called in line %d\n", __LINE__ + 1);
    return gex_Coll_BroadcastNB(world, me, to, from, 8, 0);
  }
  std::printf("no mistake %s\n", name);
  return GEX_EVENT_INVALID;
}

}  // namespace

int main(int argc, char** argv) {
  gex_Client_t client;
  gex_EP_t ep;
  gex_Client_Init(&client, &ep, &world, "mismatch", &argc, &argv, 0);
  me = gex_TM_QueryRank(world);
  gex_AM_Entry_t told = {
      0,     reinterpret_cast<gex_AM_Fn_t>(&on_told), GEX_FLAG_AM_SHORT | GEX_FLAG_AM_REQUEST, 0, nullptr,
      "told"};
  gex_EP_RegisterHandlers(ep, &told, 1);
  told_index = told.gex_index;
  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
  gex_Event_Wait(make(argv[1]));
  for (int i = 0; i < 1000; ++i) gasnet_AMPoll();
  gex_Event_Wait(gex_Coll_BarrierNB(world, 0));
  std::printf("unnoticed\n");
  std::fflush(stdout);
  gasnet_exit(0);
}
