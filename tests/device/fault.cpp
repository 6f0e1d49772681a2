// Programs that devices fail under, or that use them wrongly: `fault NAME`. Prints what calls return; a line
// that ends the job comes from the library.
#include <gasnet_coll.h>
#include <gasnet_mk.h>
#include <gasnet_ratomic.h>
#include <gasnetex.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "aqueduct/failure.h"

namespace {

constexpr std::size_t kBytes = std::size_t{1} << 20;

gex_Client_t client;
gex_EP_t ep, device_ep;
gex_TM_t world;
gex_Segment_t segment, device_segment;
gex_MK_t kind;
gex_Rank_t me, ranks;

void say(const std::string& text) {
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

int make_kind(int ordinal) {
  gex_MK_Create_args_t args{};
  args.gex_class = GEX_MK_CLASS_CUDA_UVA;
  args.gex_args.gex_class_cuda_uva.gex_CUdevice = ordinal;
  return gex_MK_Create(&kind, client, &args, 0);
}

int make_ze_kind() {
  gex_MK_Create_args_t args{};
  args.gex_class = GEX_MK_CLASS_ZE;
  return gex_MK_Create(&kind, client, &args, 0);
}

void meet() { gex_Event_Wait(gex_Coll_BarrierNB(world, 0)); }

void* place_of(gex_Rank_t rank) {
  void* base = nullptr;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(gex_TM_Pair(ep, 1), rank, &base, nullptr, nullptr, 0));
  return base;
}

// A device's segment on endpoint 1 of every rank.
void open_devices() {
  if (make_kind(0) != GASNET_OK ||
      gex_Segment_Create(&device_segment, client, nullptr, kBytes, kind, 0) != GASNET_OK ||
      gex_EP_Create(&device_ep, client, GEX_EP_CAPABILITY_ALL, 0) != GASNET_OK ||
      gex_EP_BindSegment(device_ep, device_segment, 0) != GASNET_OK)
    _exit(3);
  gex_EP_PublishBoundSegment(world, &device_ep, 1, 0);
}

std::vector<char> data(kBytes);
void on_payload(gex_Token_t, void*, size_t) {}

}  // namespace

int main(int argc, char** argv) {
  gex_Client_Init(&client, &ep, &world, "fault", &argc, &argv, 0);
  me = gex_TM_QueryRank(world);
  ranks = gex_TM_QuerySize(world);
  const std::string name = argc > 1 ? argv[1] : "";
  gex_AM_Entry_t entry{200,
                       reinterpret_cast<gex_AM_Fn_t>(on_payload),
                       GEX_FLAG_AM_MEDLONG | GEX_FLAG_AM_REQUEST,
                       0,
                       nullptr,
                       nullptr};
  gex_EP_RegisterHandlers(ep, &entry, 1);
  gex_Segment_Attach(&segment, world, kBytes);
  const gex_Rank_t peer = (me + 1) % ranks;

  if (name == "kind") {
    const int result = make_kind(argc > 2 ? std::atoi(argv[2]) : 0);
    say(std::string("gives ") + gasnet_ErrorName(result));
  } else if (name == "ze") {
    say(std::string("gives ") + gasnet_ErrorName(make_ze_kind()));
  } else if (name == "segment") {
    make_kind(0);
    say(std::string("gives ") +
        gasnet_ErrorName(gex_Segment_Create(&device_segment, client, nullptr, kBytes, kind, 0)));
  } else if (name == "foreign") {
    make_kind(0);
    say(std::string("gives ") +
        gasnet_ErrorName(gex_Segment_Create(&device_segment, client, data.data(), kBytes, kind, 0)));
  } else if (name == "first_endpoint") {
    make_kind(0);
    gex_Segment_Create(&device_segment, client, nullptr, kBytes, kind, 0);
    gex_EP_Create(&device_ep, client, GEX_EP_CAPABILITY_ALL, 0);
    say(std::string("gives ") + gasnet_ErrorName(gex_EP_BindSegment(ep, device_segment, 0)));
  } else {
    if (name == "sees_others") {
      ::setenv("CUDA_VISIBLE_DEVICES", me == 0 ? "0" : "1", 1);
      if (me != 0) ::setenv("STAND_IN_PROVIDER", "shifts", 1);
    }
    open_devices();
    if (name == "copies") {
      for (int i = 0; i < 20 && me == 0; ++i)
        gex_RMA_PutBlocking(gex_TM_Pair(ep, 1), peer, place_of(peer), data.data(), data.size(), 0);
    } else if (name == "kind_with_segments") {
      if (me == 0) gex_MK_Destroy(kind, 0);
    } else if (name == "long") {
      if (me == 0)
        gex_AM_RequestLong0(gex_TM_Pair(ep, 1), peer, 200, data.data(), 100, place_of(peer), GEX_EVENT_NOW,
                            0);
    } else if (name == "payload") {
      if (me == 0)
        gex_AM_RequestMedium0(gex_TM_Pair(device_ep, 0), peer, 200, gex_Segment_QueryAddr(device_segment),
                              100, GEX_EVENT_NOW, 0);
    } else if (name == "collective") {
      gex_Event_Wait(gex_Coll_BroadcastNB(world, 0, gex_Segment_QueryAddr(device_segment),
                                          gex_Segment_QueryAddr(device_segment), 100, 0));
    } else if (name == "atomic") {
      std::vector<gex_EP_Location_t> members;
      for (gex_Rank_t rank = 0; rank < ranks; ++rank) members.push_back({rank, 1});
      gex_TM_t team = GEX_TM_INVALID;
      gex_TM_Create(&team, 1, world, members.data(), ranks, nullptr, 0, GEX_FLAG_TM_NO_SCRATCH);
      gex_AD_t domain = GEX_AD_INVALID;
      gex_AD_Create(&domain, team, GEX_DT_U64, GEX_OP_ADD, 0);
      if (me == 0)
        gex_Event_Wait(gex_AD_OpNB_U64(domain, nullptr, peer, static_cast<uint64_t*>(place_of(peer)),
                                       GEX_OP_ADD, 1, 0, 0));
    } else if (name == "death_in_flight") {
      // All put to and get from each other's devices without a pause; the last rank dies while that is under
      // way.
      const gex_TM_t pair = gex_TM_Pair(device_ep, 1);
      auto* const mine = static_cast<char*>(gex_Segment_QueryAddr(device_segment));
      std::vector<char*> places;
      for (gex_Rank_t rank = 0; rank < ranks; ++rank) places.push_back(static_cast<char*>(place_of(rank)));
      const auto start = [&](gex_Rank_t rank) {
        gex_RMA_PutNBI(pair, rank, places[rank], mine, kBytes / 2, GEX_EVENT_DEFER, 0);
        gex_RMA_GetNBI(pair, mine + kBytes / 2, rank, places[rank] + kBytes / 2, kBytes / 2, 0);
        gex_RMA_PutNBI(gex_TM_Pair(ep, 1), rank, places[rank], data.data(), kBytes / 2, GEX_EVENT_DEFER, 0);
      };
      gex_TM_t left = GEX_TM_INVALID;
      gex_TM_Split(&left, world, me == ranks - 1 ? 1 : 0, static_cast<int>(me), nullptr, 0,
                   GEX_FLAG_TM_NO_SCRATCH);
      meet();
      for (int round = 0; aqueduct_failed_ranks(world, nullptr, 0) == 0; ++round) {
        for (gex_Rank_t rank = 0; rank < ranks; ++rank) start(rank);
        if (me == ranks - 1 && round == 2) ::kill(::getpid(), SIGKILL);
        gasnet_AMPoll();
        if (round % 4 == 3) gex_NBI_Wait(GEX_EC_ALL, 0);
      }
      gex_NBI_Wait(GEX_EC_ALL, 0);
      // Those that are left go on with each other.
      for (int i = 0; i < 10; ++i) {
        for (gex_Rank_t rank = 0; rank + 1 < ranks; ++rank) start(rank);
        gex_NBI_Wait(GEX_EC_ALL, 0);
      }
      gex_Event_Wait(gex_Coll_BarrierNB(left, 0));
      gex_Segment_Destroy(device_segment, 0);
      gex_MK_Destroy(kind, 0);
      say("rank " + std::to_string(me) + " has freed its memory");
      gex_Event_Wait(gex_Coll_BarrierNB(left, 0));
      gasnet_exit(0);
    } else if (name == "falls_out") {
      // Rank 0 uses its card until that fails; rank 1 has mapped the memory there and goes on with its own.
      const gex_TM_t pair = gex_TM_Pair(ep, 1);
      if (me == 1) gex_RMA_PutBlocking(pair, 0, place_of(0), data.data(), data.size(), 0);
      meet();
      while (me == 0) gex_RMA_PutBlocking(pair, 0, place_of(0), data.data(), data.size(), 0);
      while (aqueduct_failed_ranks(world, nullptr, 0) == 0) gasnet_AMPoll();
      gex_RMA_PutBlocking(pair, 1, place_of(1), data.data(), data.size(), 0);
      gex_Segment_Destroy(device_segment, 0);
      gex_MK_Destroy(kind, 0);
      say("rank 1 has freed its memory");
      gasnet_exit(0);
    } else if (name == "death") {
      const gex_TM_t pair = gex_TM_Pair(ep, 1);
      gex_RMA_PutBlocking(pair, peer, place_of(peer), data.data(), data.size(), 0);
      meet();
      if (me == 1) ::kill(::getpid(), SIGKILL);
      while (aqueduct_failed_ranks(world, nullptr, 0) == 0) gasnet_AMPoll();
      for (int i = 0; i < 3; ++i) {
        gex_RMA_PutBlocking(pair, 1, place_of(1), data.data(), data.size(), 0);
        gex_RMA_GetBlocking(pair, data.data(), 1, place_of(1), data.size(), 0);
      }
      gex_RMA_PutBlocking(pair, me, place_of(me), data.data(), data.size(), 0);
      say("rank " + std::to_string(me) + " goes on");
      gex_Segment_Destroy(device_segment, 0);
      gex_MK_Destroy(kind, 0);
      say("rank " + std::to_string(me) + " has freed its memory");
      gasnet_exit(0);
    }
  }
  meet();
  gasnet_exit(0);
}
