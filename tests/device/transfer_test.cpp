// Put and get between memory of hosts and devices: all combinations of sides, of ranks and of completion.
#include <gasnet_vis.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>

#include "core/rank.hpp"
#include "device/world.hpp"
#include "support/rma.hpp"

namespace aqueduct::test {
namespace {

constexpr std::size_t kSizes[] = {1, 8, 4096, 100'001, (std::size_t{1} << 20) + 77, std::size_t{3} << 20};
constexpr std::size_t kMost = std::size_t{3} << 20;

/// A side of a transfer: of this rank, or of another.
enum class Kind { kHeap, kSegment, kLibrarys, kClients, kByHand };
bool is_device(Kind kind) { return kind >= Kind::kLibrarys; }
gex_EP_Index_t endpoint(Kind kind) {
  return is_device(kind)
             ? static_cast<gex_EP_Index_t>(static_cast<int>(kind) - static_cast<int>(Kind::kLibrarys) + 1)
             : gex_EP_Index_t{0};
}
const char* name(Kind kind) {
  constexpr const char* kNames[] = {"heap", "segment", "librarys", "clients", "by hand"};
  return kNames[static_cast<int>(kind)];
}

/// The half of a segment that others put to and get from, and the one that its owner does.
constexpr std::size_t kOthersHalf = 0, kOwnHalf = kDeviceBytes / 2;

class Transfers : public Devices {
 protected:
  std::byte* own(Kind kind) {
    if (kind == Kind::kHeap) return heap_.data();
    if (kind == Kind::kSegment) return local(kOwnHalf);
    return on_device(endpoint(kind), job().rank, kOwnHalf);
  }
  static std::byte* others(Kind kind, gex_Rank_t rank) {
    return kind == Kind::kSegment ? remote(rank, kOthersHalf) : on_device(endpoint(kind), rank, kOthersHalf);
  }
  void write(Kind kind, void* to, const void* from, std::size_t bytes) const {
    if (is_device(kind)) {
      cuda().write(to, from, bytes);
    } else {
      std::memcpy(to, from, bytes);
    }
  }
  void write_pattern(Kind kind, void* to, std::size_t bytes, std::uint64_t key) const {
    const std::vector<unsigned char> pattern = patterned(bytes, key);
    write(kind, to, pattern.data(), bytes);
  }
  std::vector<unsigned char> read(Kind kind, const void* from, std::size_t bytes) const {
    if (is_device(kind)) return cuda().read(from, bytes);
    const auto* const at = static_cast<const unsigned char*>(from);
    return {at, at + bytes};
  }
  ::testing::AssertionResult has_pattern(Kind kind, const void* from, std::size_t bytes,
                                         std::uint64_t key) const {
    return holds(read(kind, from, bytes).data(), bytes, key);
  }

  std::vector<std::byte> heap_ = std::vector<std::byte>(kMost);
};

constexpr Kind kLocal[] = {Kind::kHeap, Kind::kSegment, Kind::kLibrarys, Kind::kClients, Kind::kByHand};
constexpr Kind kRemote[] = {Kind::kSegment, Kind::kLibrarys, Kind::kClients, Kind::kByHand};

template <class Body>
void for_each_pair(Body body) {
  std::uint64_t key = 1000 * (job().rank + 1);
  for (const Kind mine : kLocal) {
    for (const Kind theirs : kRemote) {
      if (!is_device(mine) && !is_device(theirs)) continue;
      SCOPED_TRACE(std::string(name(mine)) + " and " + name(theirs));
      body(mine, theirs, key += 100);
    }
  }
}

// To the right one, and to oneself; the barriers separate who writes from who reads.
TEST_F(Transfers, ABlockingPutArrives) {
  for (const gex_Rank_t peer : {right(), job().rank}) {
    const gex_Rank_t from = peer == job().rank ? peer : left();
    for_each_pair([&](Kind mine, Kind theirs, std::uint64_t key) {
      for (const std::size_t bytes : kSizes) {
        write_pattern(mine, own(mine), bytes, key + bytes);
        gex_RMA_PutBlocking(between(endpoint(mine), endpoint(theirs)), peer, others(theirs, peer), own(mine),
                            bytes, 0);
        barrier();
        const std::uint64_t senders = key - 1000 * (job().rank + 1) + 1000 * (from + 1);
        EXPECT_TRUE(has_pattern(theirs, others(theirs, job().rank), bytes, senders + bytes))
            << bytes << " bytes";
        barrier();
      }
    });
  }
}

TEST_F(Transfers, ABlockingGetBringsIt) {
  for (const gex_Rank_t peer : {right(), job().rank}) {
    for_each_pair([&](Kind mine, Kind theirs, std::uint64_t key) {
      for (const std::size_t bytes : kSizes) {
        write_pattern(theirs, others(theirs, job().rank), bytes, key + bytes);
        barrier();
        gex_RMA_GetBlocking(between(endpoint(mine), endpoint(theirs)), own(mine), peer, others(theirs, peer),
                            bytes, 0);
        const std::uint64_t owners = key - 1000 * (job().rank + 1) + 1000 * (peer + 1);
        EXPECT_TRUE(has_pattern(mine, own(mine), bytes, owners + bytes)) << bytes << " bytes";
        barrier();
      }
    });
  }
}

// Whoever says that the source is free may be believed: it is overwritten at once.
TEST_F(Transfers, TheSourceIsFreeWhenThePutSaysSo) {
  enum Form { kNbNow, kNbEvent, kNbDefer, kNbiNow, kNbiGroup, kNbiDefer };
  for_each_pair([&](Kind mine, Kind theirs, std::uint64_t key) {
    for (const Form form : {kNbNow, kNbEvent, kNbDefer, kNbiNow, kNbiGroup, kNbiDefer}) {
      constexpr std::size_t kBytes = 700'000;
      const gex_TM_t tm = between(endpoint(mine), endpoint(theirs));
      std::byte* const to = others(theirs, right());
      std::byte* const from = own(mine);
      write_pattern(mine, from, kBytes, key + form);
      gex_Event_t event = GEX_EVENT_INVALID, leaf = GEX_EVENT_INVALID;
      switch (form) {
        case kNbNow:
          event = gex_RMA_PutNB(tm, right(), to, from, kBytes, GEX_EVENT_NOW, 0);
          break;
        case kNbEvent:
          event = gex_RMA_PutNB(tm, right(), to, from, kBytes, &leaf, 0);
          gex_Event_Wait(leaf);
          break;
        case kNbDefer:
          event = gex_RMA_PutNB(tm, right(), to, from, kBytes, GEX_EVENT_DEFER, 0);
          break;
        case kNbiNow:
          gex_RMA_PutNBI(tm, right(), to, from, kBytes, GEX_EVENT_NOW, 0);
          break;
        case kNbiGroup:
          gex_RMA_PutNBI(tm, right(), to, from, kBytes, GEX_EVENT_GROUP, 0);
          gex_NBI_Wait(GEX_EC_LC, 0);
          break;
        case kNbiDefer:
          gex_RMA_PutNBI(tm, right(), to, from, kBytes, GEX_EVENT_DEFER, 0);
          break;
      }
      if (form == kNbDefer) gex_Event_Wait(event);
      if (form == kNbiDefer) gex_NBI_Wait(GEX_EC_PUT, 0);
      write_pattern(mine, from, kBytes, 1);
      if (form == kNbNow || form == kNbEvent) gex_Event_Wait(event);
      gex_NBI_Wait(GEX_EC_ALL, 0);
      barrier();
      const std::uint64_t senders = key - 1000 * (job().rank + 1) + 1000 * (left() + 1);
      EXPECT_TRUE(has_pattern(theirs, others(theirs, job().rank), kBytes, senders + form)) << "form " << form;
      barrier();
    }
  });
}

TEST_F(Transfers, ValuesAndOffsetsWork) {
  const gex_TM_t tm = between(kLibrarys, kLibrarys);
  gex_RMA_PutBlockingVal(tm, right(), on_device(kLibrarys, right(), 24), 0x1122334455667788 + job().rank, 8,
                         0);
  barrier();
  EXPECT_EQ(0x1122334455667788 + left(),
            gex_RMA_GetBlockingVal(tm, job().rank, on_device(kLibrarys, job().rank, 24), 8, 0));
  EXPECT_EQ(0x1122334455667788 + job().rank,
            gex_RMA_GetBlockingVal(tm, right(), on_device(kLibrarys, right(), 24), 8, 0));
  barrier();
  write_pattern(Kind::kLibrarys, on_device(kLibrarys, job().rank, 4096), 1000, job().rank);
  gex_RMA_PutBlocking(tm, right(), reinterpret_cast<void*>(8192), reinterpret_cast<void*>(4096), 1000,
                      GEX_FLAG_SELF_SEG_OFFSET | GEX_FLAG_PEER_SEG_OFFSET);
  barrier();
  EXPECT_TRUE(has_pattern(Kind::kLibrarys, on_device(kLibrarys, job().rank, 8192), 1000, left()));
}

TEST_F(Transfers, StridedAndIndexedOnesArrive) {
  constexpr std::size_t kPiece = 48, kPieces = 40;
  constexpr std::ptrdiff_t kFar = 160, kNear = 64;
  for_each_pair([&](Kind mine, Kind theirs, std::uint64_t key) {
    const gex_TM_t tm = between(endpoint(mine), endpoint(theirs));
    std::byte* const to = others(theirs, right());
    std::byte* const from = own(mine);
    write_pattern(mine, from, kPieces * kNear, key);
    const std::ptrdiff_t to_strides[] = {kFar}, from_strides[] = {kNear};
    const std::size_t counts[] = {kPieces};
    gex_VIS_StridedPutBlocking(tm, right(), to, to_strides, from, from_strides, kPiece, counts, 1, 0);
    barrier();
    const std::uint64_t senders = key - 1000 * (job().rank + 1) + 1000 * (left() + 1);
    const std::vector<unsigned char> wanted = patterned(kPieces * kNear, senders);
    const std::vector<unsigned char> found = read(theirs, others(theirs, job().rank), kPieces * kFar);
    for (std::size_t i = 0; i < kPieces; ++i)
      EXPECT_EQ(0, std::memcmp(&found[i * kFar], &wanted[i * kNear], kPiece)) << "piece " << i;
    barrier();
    // Back, by lists, in the opposite order.
    std::vector<void*> there, here;
    for (std::size_t i = 0; i < kPieces; ++i) {
      there.push_back(to + (kPieces - 1 - i) * kFar);
      here.push_back(from + i * kNear);
    }
    gex_Event_Wait(
        gex_VIS_IndexedGetNB(tm, kPieces, here.data(), kPiece, right(), kPieces, there.data(), kPiece, 0));
    const std::vector<unsigned char> mine_again = patterned(kPieces * kNear, key);
    const std::vector<unsigned char> back = read(mine, from, kPieces * kNear);
    for (std::size_t i = 0; i < kPieces; ++i)
      EXPECT_EQ(0, std::memcmp(&back[i * kNear], &mine_again[(kPieces - 1 - i) * kNear], kPiece))
          << "piece " << i;
    barrier();
  });
}

// Everybody puts to and gets from everybody, in windows that have one writer.
TEST_F(Transfers, ManyAtATimeDoNotDisturbEachOther) {
  constexpr unsigned kSlots = 16;
  constexpr std::size_t kSlotBytes = 40'000;
  std::mt19937_64 random(job().rank + 17);
  const auto slot = [&](gex_Rank_t writer, unsigned number) {
    return (writer * kSlots + number) * kSlotBytes;
  };
  for (std::uint32_t round = 0; round < scaled(40) + 1; ++round) {
    std::vector<gex_Event_t> events;
    std::vector<std::vector<unsigned char>> sources;
    for (unsigned number = 0; number < kSlots; ++number) {
      const gex_EP_Index_t theirs = 1 + static_cast<gex_EP_Index_t>(random() % 3);
      const std::size_t bytes = 1 + random() % kSlotBytes;
      sources.push_back(patterned(bytes, round * 1000 + number));
      const auto peer = static_cast<gex_Rank_t>(random() % job().size);
      std::byte* const to = on_device(theirs, peer, slot(job().rank, number));
      gex_Event_Wait(
          gex_RMA_PutNB(between(0, theirs), peer, to, sources.back().data(), bytes, GEX_EVENT_DEFER, 0));
      std::vector<std::byte> back(bytes);
      events.push_back(
          gex_RMA_PutNB(between(0, theirs), peer, to, sources.back().data(), bytes, GEX_EVENT_DEFER, 0));
      gex_RMA_GetBlocking(between(0, theirs), back.data(), peer, to, bytes, 0);
      EXPECT_TRUE(holds(back.data(), bytes, round * 1000 + number));
    }
    gex_Event_WaitAll(events.data(), events.size(), 0);
  }
}

TEST_F(Transfers, KeepTheSegmentInPlace) {
  std::byte* const to = on_device(endpoint(Kind::kLibrarys), job().rank);
  gex_RMA_PutBlocking(between(0, endpoint(Kind::kLibrarys)), job().rank, to, local(), kMost, 0);
  const std::optional<std::size_t> pinned = cuda().pinned_bytes();
  if (!pinned) return;  // a driver that does not tell
  const char* const most = std::getenv("AQUEDUCT_DEVICE_PINNED");
  if (most && !std::strcmp(most, "0")) {
    EXPECT_LT(*pinned, kSegmentBytes);
  } else {
    EXPECT_GE(*pinned, kSegmentBytes);
  }
}

// Each has a part of the right one's memory, and sends larger and smaller things than a chunk.
TEST_F(Transfers, OfSeveralThreadsDoNotDisturbEachOther) {
#ifdef GASNET_PAR
  constexpr unsigned kThreads = 3;
#else
  constexpr unsigned kThreads = 1;
#endif
  constexpr std::size_t kPart = kDeviceBytes / 2 / kThreads / 2;
  const auto work = [&](unsigned thread) {
    for (std::uint32_t round = 0; round < scaled(10) + 2; ++round) {
      const std::size_t bytes = round % 2 ? kPart : 3000 + thread;
      const std::uint64_t key = job().rank * 1000 + thread * 100 + round;
      const std::vector<unsigned char> source = patterned(bytes, key);
      std::vector<unsigned char> back(bytes);
      for (const gex_EP_Index_t theirs : {endpoint(Kind::kLibrarys), endpoint(Kind::kByHand)}) {
        std::byte* const there = on_device(theirs, right(), kOthersHalf + thread * kPart);
        gex_RMA_PutBlocking(between(0, theirs), right(), there, const_cast<unsigned char*>(source.data()),
                            bytes, 0);
        gex_RMA_GetBlocking(between(0, theirs), back.data(), right(), there, bytes, 0);
        EXPECT_EQ(source, back) << "thread " << thread << ", " << bytes << " bytes";
      }
    }
  };
  std::vector<std::thread> others;
  for (unsigned thread = 1; thread < kThreads; ++thread) others.emplace_back(work, thread);
  work(0);
  for (std::thread& other : others) other.join();
}

// Over a network that moves memory of devices itself, and has shown that it does: nothing is staged.
TEST_F(Transfers, GoTheWayThatIsExpected) {
  const char* const expected = std::getenv("AQUEDUCT_TEST_DEVICES");
  if (!expected) return;
  const auto& counters = core::this_thread("test").record->counters;
  const std::uint64_t direct = counters.device_direct.get(), staged = counters.device_staged.get();
  std::uint64_t transfers = 0;
  for_each_pair([&](Kind mine, Kind theirs, std::uint64_t) {
    for (const std::size_t bytes : {std::size_t{8}, kMost}) {
      const gex_TM_t tm = between(endpoint(mine), endpoint(theirs));
      gex_RMA_PutBlocking(tm, right(), others(theirs, right()), own(mine), bytes, 0);
      gex_RMA_GetBlocking(tm, own(mine), right(), others(theirs, right()), bytes, 0);
      transfers += 2;
    }
  });
  const bool is_direct = !std::strcmp(expected, "direct");
  EXPECT_EQ(is_direct ? transfers : 0, counters.device_direct.get() - direct);
  EXPECT_EQ(is_direct ? 0 : transfers, counters.device_staged.get() - staged);
}

// Memory of the device that lies in no segment is unknown to the network.
TEST_F(Transfers, FromMemoryOutsideOfSegmentsArrive) {
  constexpr std::size_t kBytes = 50'000;
  void* const outside = cuda().allocate(kBytes);
  write_pattern(Kind::kClients, outside, kBytes, job().rank);
  const gex_TM_t tm = between(kLibrarys, kLibrarys);
  gex_RMA_PutBlocking(tm, right(), others(Kind::kLibrarys, right()), outside, kBytes, 0);
  barrier();
  EXPECT_TRUE(has_pattern(Kind::kLibrarys, others(Kind::kLibrarys, job().rank), kBytes, left()));
  gex_RMA_GetBlocking(tm, outside, job().rank, others(Kind::kLibrarys, job().rank), kBytes, 0);
  EXPECT_TRUE(has_pattern(Kind::kClients, outside, kBytes, left()));
}

TEST_F(Transfers, LeaveTheCallersContextAsItWas) {
  EXPECT_EQ(nullptr, cuda().current());
  std::vector<unsigned char> data(5000);
  gex_RMA_PutBlocking(between(0, kLibrarys), right(), on_device(kLibrarys, right()), data.data(), data.size(),
                      0);
  EXPECT_EQ(nullptr, cuda().current());
  cuda().push(cuda().context());
  gex_RMA_GetBlocking(between(0, kClients), data.data(), right(), on_device(kClients, right()), data.size(),
                      0);
  gasnet_AMPoll();
  EXPECT_EQ(cuda().context(), cuda().current());
  cuda().pop();
}

}  // namespace
}  // namespace aqueduct::test
