// What the specification says of broadcast and reductions, and of the collectives of GASNet-1.
#include <array>
#include <atomic>
#include <numeric>

#include "collectives/model.hpp"

namespace aqueduct::test {
namespace {

using Broadcast = Spmd;
using Reduction = Spmd;
using Legacy = Spmd;
using Teams = Spmd;

// Around every limit between algorithms, and around the sizes of messages.
const std::vector<std::size_t> kSizes = {0,    1,    7,    8,     9,     64,    500,    1023,  1025,
                                         4095, 4096, 4097, 16384, 32768, 32769, 100003, 300000};

// A destination with guards on both sides, filled with something that no source holds.
struct Guarded {
  explicit Guarded(std::size_t bytes) : memory(bytes + 2 * kGuard, std::byte{0xa5}) {}
  std::byte* data() { return memory.data() + kGuard; }
  bool intact() const {
    return std::all_of(memory.begin(), memory.begin() + kGuard,
                       [](std::byte b) { return b == std::byte{0xa5}; }) &&
           std::all_of(memory.end() - kGuard, memory.end(), [](std::byte b) { return b == std::byte{0xa5}; });
  }
  static constexpr std::size_t kGuard = 64;
  Bytes memory;
};

// Every rank computes what all bring: large jobs make do with less.
std::size_t most_modelled() { return job().size <= 5 ? 200000 : 40000; }
std::size_t large_block() { return job().size <= 5 ? 30000 : 5000; }

bool equal(const std::byte* got, const Bytes& wanted) {
  return wanted.empty() || std::memcmp(got, wanted.data(), wanted.size()) == 0;
}

std::vector<Bytes> all_sources(const Flavour& flavour, std::uint64_t key, gex_Rank_t size,
                               std::size_t count) {
  std::vector<Bytes> sources;
  for (gex_Rank_t rank = 0; rank < size; ++rank) sources.push_back(flavour.source(key, rank, count));
  return sources;
}

gex_Event_t reduce_to_all(gex_TM_t tm, const Flavour& f, void* dst, const void* src, std::size_t count) {
  return gex_Coll_ReduceToAllNB(tm, dst, src, f.type, f.element_bytes, count, f.operation, f.function,
                                f.cdata, 0);
}
gex_Event_t reduce_to_one(gex_TM_t tm, const Flavour& f, gex_Rank_t root, void* dst, const void* src,
                          std::size_t count) {
  return gex_Coll_ReduceToOneNB(tm, root, dst, src, f.type, f.element_bytes, count, f.operation, f.function,
                                f.cdata, 0);
}

TEST_F(Broadcast, CopiesBetweenSegmentsAndLeavesTheSourceToTheRootAfterwards) {
  constexpr std::size_t kMost = 500'000;
  std::byte* const from = reinterpret_cast<std::byte*>(local());
  std::byte* const to = reinterpret_cast<std::byte*>(local(kMost));
  std::uint64_t key = 0;
  for (const std::size_t bytes : {std::size_t{1500}, std::size_t{65536}, kMost}) {
    for (std::uint32_t round = 0; round < 1 + scaled(10); ++round) {
      const auto root = static_cast<gex_Rank_t>(++key % job().size);
      const Bytes wanted = contribution(key, root, bytes);
      if (job().rank == root) std::memcpy(from, wanted.data(), bytes);
      gex_Event_Wait(gex_Coll_BroadcastNB(job().tm, root, to, from, bytes, 0));
      std::memset(from, 0, bytes);
      ASSERT_TRUE(equal(to, wanted)) << bytes << " bytes from " << root;
    }
  }
}

TEST_F(Broadcast, CopiesTheRootsDataToEverybodyWhateverItsSize) {
  for (gex_Rank_t root = 0; root<job().size; root += job().size> 4 ? 3 : 1) {
    for (const std::size_t bytes : kSizes) {
      const Bytes wanted = contribution(bytes, root, bytes);
      Guarded dst(bytes);
      gex_Event_Wait(gex_Coll_BroadcastNB(job().tm, root, dst.data(),
                                          job().rank == root ? wanted.data() : nullptr, bytes, 0));
      ASSERT_TRUE(equal(dst.data(), wanted)) << bytes << " bytes from " << root;
      ASSERT_TRUE(dst.intact());
    }
  }
}

TEST_F(Broadcast, MayHaveSourceAndDestinationInOnePlaceOnTheRoot) {
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{70000}}) {
    const gex_Rank_t root = job().size - 1;
    const Bytes wanted = contribution(bytes, root, bytes);
    Bytes data = job().rank == root ? wanted : Bytes(bytes);
    gex_Event_Wait(gex_Coll_BroadcastNB(job().tm, root, data.data(), data.data(), bytes, 0));
    ASSERT_EQ(data, wanted);
  }
}

TEST_F(Broadcast, ReachesMemoryInSegmentsToo) {
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{5000}, std::size_t{1000000}}) {
    for (gex_Rank_t root = 0; root < job().size; root += 1 + job().size / 3) {
      const Bytes wanted = contribution(bytes + root, root, bytes);
      if (job().rank == root) std::memcpy(local(2 << 20), wanted.data(), bytes);
      gex_Event_Wait(gex_Coll_BroadcastNB(job().tm, root, local(), local(2 << 20), bytes, 0));
      ASSERT_TRUE(equal(local(), wanted)) << bytes;
    }
  }
}

TEST_F(Reduction, ToAllGivesEverybodyTheResultOfEveryOperationOnEveryType) {
  for (const Flavour& flavour : flavours()) {
    for (const std::size_t count : {1u, 2u, 5u, 1000u}) {
      if (flavour.element_bytes * count > most_modelled()) continue;
      const auto sources = all_sources(flavour, count, job().size, count);
      Guarded dst(sources[0].size());
      gex_Event_Wait(reduce_to_all(job().tm, flavour, dst.data(), sources[job().rank].data(), count));
      ASSERT_TRUE(equal(dst.data(), reduced(sources, count, flavour.combine)))
          << flavour.name << " x " << count;
      ASSERT_TRUE(dst.intact());
    }
  }
}

TEST_F(Reduction, ToOneGivesTheResultToTheRootAndLeavesOthersAlone) {
  for (const Flavour& flavour : flavours()) {
    for (const std::size_t count : {1u, 3u, 1000u}) {
      if (flavour.element_bytes * count > most_modelled()) continue;
      const gex_Rank_t root = static_cast<gex_Rank_t>(key_of(count, flavour.operation) % job().size);
      const auto sources = all_sources(flavour, count, job().size, count);
      Bytes source = sources[job().rank];
      Guarded dst(sources[0].size());
      const Bytes untouched = dst.memory;
      gex_Event_Wait(reduce_to_one(job().tm, flavour, root, job().rank == root ? dst.data() : nullptr,
                                   source.data(), count));
      ASSERT_EQ(source, sources[job().rank]) << flavour.name << ": a source was written to";
      if (job().rank == root) {
        ASSERT_TRUE(equal(dst.data(), reduced(sources, count, flavour.combine)))
            << flavour.name << " x " << count;
      }
      ASSERT_TRUE(dst.intact());
    }
  }
}

const Flavour& flavour(const std::string& name) {
  for (const Flavour& candidate : flavours())
    if (candidate.name == name) return candidate;
  ADD_FAILURE() << "no flavour " << name;
  return flavours()[0];
}

TEST_F(Reduction, KeepsTheOrderOfRanksForVectorsOfEverySize) {
  for (const char* name : {"UserInterval", "UserMatrix"}) {
    const Flavour& ordered = flavour(name);
    for (const std::size_t count : {1u, 6u, 7u, 64u, 1000u, 2500u, 20000u}) {
      if (count > 2500 && job().size > 9) continue;
      const auto sources = all_sources(ordered, count, job().size, count);
      const Bytes wanted = reduced(sources, count, ordered.combine);
      Bytes dst(wanted.size());
      gex_Event_Wait(reduce_to_all(job().tm, ordered, dst.data(), sources[job().rank].data(), count));
      ASSERT_EQ(dst, wanted) << name << " x " << count;
      for (gex_Rank_t root = 0; root < job().size; root += 1 + job().size / 5) {
        std::fill(dst.begin(), dst.end(), std::byte{});
        gex_Event_Wait(reduce_to_one(job().tm, ordered, root, dst.data(), sources[job().rank].data(), count));
        if (job().rank == root) {
          ASSERT_EQ(dst, wanted) << name << " x " << count;
        }
      }
    }
  }
}

TEST_F(Reduction, WorksInPlace) {
  for (const char* name : {"U64Add", "UserMatrix", "UserBytes3"}) {
    const Flavour& some = flavour(name);
    for (const std::size_t count : {1u, 100u, 9000u}) {
      const auto sources = all_sources(some, count, job().size, count);
      const Bytes wanted = reduced(sources, count, some.combine);
      Bytes data = sources[job().rank];
      gex_Event_Wait(reduce_to_all(job().tm, some, data.data(), data.data(), count));
      ASSERT_EQ(data, wanted) << name << " x " << count;
      for (gex_Rank_t root = 0; root < job().size; root += 1 + job().size / 5) {
        data = sources[job().rank];
        gex_Event_Wait(reduce_to_one(job().tm, some, root, data.data(), data.data(), count));
        ASSERT_EQ(data, job().rank == root ? wanted : sources[job().rank]) << name << " x " << count;
      }
    }
  }
}

TEST_F(Reduction, OfFractionsIsTheSameOnAllRanksAndTheNextTime) {
  const std::size_t count = 5000;
  std::vector<double> src(count), first(count), again(count);
  for (std::size_t i = 0; i < count; ++i)
    src[i] = 1.0 / static_cast<double>(1 + key_of(job().rank, i) % 99991);
  for (const std::size_t some : {std::size_t{1}, std::size_t{100}, count}) {
    for (std::vector<double>* dst : {&first, &again})
      gex_Event_Wait(gex_Coll_ReduceToAllNB(job().tm, dst->data(), src.data(), GEX_DT_DBL, 8, some,
                                            GEX_OP_ADD, nullptr, nullptr, 0));
    ASSERT_EQ(first, again);
    std::vector<double> of_rank_0 = first;
    gex_Event_Wait(gex_Coll_BroadcastNB(job().tm, 0, of_rank_0.data(), of_rank_0.data(), some * 8, 0));
    ASSERT_EQ(std::memcmp(first.data(), of_rank_0.data(), some * 8), 0);
  }
}

// The flags of GASNet-1, and how a rank behaves under them.
struct Sync {
  const char* name;
  int flags;
};
const Sync kSyncs[] = {{"no", GASNET_COLL_IN_NOSYNC | GASNET_COLL_OUT_NOSYNC},
                       {"my", GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC},
                       {"all", GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_ALLSYNC}};

TEST_F(Legacy, MoveBlocksBetweenAllRanks) {
  const gex_Rank_t size = job().size, me = job().rank;
  for (const Sync& sync : kSyncs) {
    const int flags = sync.flags | GASNET_COLL_LOCAL;
    for (const std::size_t bytes :
         {std::size_t{0}, std::size_t{4}, std::size_t{1024}, std::size_t{1025}, large_block()}) {
      const gex_Rank_t root = static_cast<gex_Rank_t>(bytes % size);
      SCOPED_TRACE(std::string(sync.name) + "sync, " + std::to_string(bytes) + " bytes");
      std::vector<Bytes> blocks;  // of every rank: one for each rank
      for (gex_Rank_t rank = 0; rank < size; ++rank)
        blocks.push_back(contribution(bytes, rank, bytes * size));
      const auto block = [&](gex_Rank_t of, gex_Rank_t number) {
        return Bytes(blocks[of].begin() + static_cast<std::ptrdiff_t>(number * bytes),
                     blocks[of].begin() + static_cast<std::ptrdiff_t>((number + 1) * bytes));
      };
      Bytes mine = blocks[me];
      Bytes one(bytes), all(bytes * size);

      gasnet_coll_broadcast(GASNET_TEAM_ALL, one.data(), root, me == root ? mine.data() : nullptr, bytes,
                            flags);
      ASSERT_EQ(one, block(root, 0));
      gasnet_coll_scatter(GASNET_TEAM_ALL, one.data(), root, me == root ? mine.data() : nullptr, bytes,
                          flags);
      ASSERT_EQ(one, block(root, me));
      gasnet_coll_gather(GASNET_TEAM_ALL, root, me == root ? all.data() : nullptr, mine.data(), bytes, flags);
      for (gex_Rank_t rank = 0; me == root && rank < size; ++rank)
        ASSERT_TRUE(equal(all.data() + rank * bytes, block(rank, 0)));
      gasnet_coll_gather_all(GASNET_TEAM_ALL, all.data(), mine.data(), bytes, flags);
      for (gex_Rank_t rank = 0; rank < size; ++rank)
        ASSERT_TRUE(equal(all.data() + rank * bytes, block(rank, 0)));
      gasnet_coll_exchange(GASNET_TEAM_ALL, all.data(), mine.data(), bytes, flags);
      for (gex_Rank_t rank = 0; rank < size; ++rank)
        ASSERT_TRUE(equal(all.data() + rank * bytes, block(rank, me)));
      ASSERT_EQ(mine, blocks[me]);
    }
  }
}

TEST_F(Legacy, AllsyncSeesWhatOthersPutBeforeAndShowsThemTheResultAfter) {
  const int flags = GASNET_COLL_IN_ALLSYNC | GASNET_COLL_OUT_ALLSYNC | GASNET_COLL_LOCAL;
  const gex_Rank_t root = job().size - 1;
  for (std::uint32_t round = 0; round < scaled(100); ++round) {
    // My left neighbour writes what I bring, and reads what I got.
    gex_RMA_PutBlockingVal(job().tm, right(), remote(right()), round * 1000 + right(), 8, 0);
    gasnet_coll_gather_all(GASNET_TEAM_ALL, local(4096), local(), 8, flags);
    for (gex_Rank_t rank = 0; rank < job().size; ++rank)
      ASSERT_EQ(gex_RMA_GetBlockingVal(job().tm, right(), remote(right(), 4096 + 8 * rank), 8, 0),
                round * 1000 + rank);
    barrier();
    if (left() == root) gex_RMA_PutBlockingVal(job().tm, root, remote(root), round, 8, 0);
    barrier();
    gasnet_coll_broadcast(GASNET_TEAM_ALL, local(64), root, local(), 8, flags);
    ASSERT_EQ(gex_RMA_GetBlockingVal(job().tm, right(), remote(right(), 64), 8, 0), round);
    barrier();
  }
}

TEST_F(Legacy, HandlesAreSyncedOneSomeOrAll) {
  const int flags = GASNET_COLL_IN_MYSYNC | GASNET_COLL_OUT_MYSYNC | GASNET_COLL_LOCAL;
  std::array<gasnet_coll_handle_t, 8> handles;
  std::array<std::uint64_t, 8> from, to{};
  from.fill(42 + job().rank);
  const auto start = [&] {
    to.fill(0);
    for (std::size_t i = 0; i < handles.size(); ++i)
      handles[i] = gasnet_coll_broadcast_nb(GASNET_TEAM_ALL, &to[i],
                                            static_cast<gasnet_image_t>(i) % job().size, &from[i], 8, flags);
  };
  const auto check = [&] {
    for (std::size_t i = 0; i < handles.size(); ++i) EXPECT_EQ(to[i], 42 + i % job().size);
  };
  start();
  for (gasnet_coll_handle_t handle : handles) gasnet_coll_wait_sync(handle);
  check();
  start();
  for (gasnet_coll_handle_t handle : handles)
    poll_until([&] { return gasnet_coll_try_sync(handle) == GASNET_OK; });
  check();
  start();
  gasnet_coll_wait_sync_all(handles.data(), handles.size());
  check();
  start();
  poll_until([&] { return gasnet_coll_try_sync_all(handles.data(), handles.size()) == GASNET_OK; });
  check();
  start();
  gasnet_coll_wait_sync_some(handles.data(), handles.size());
  poll_until([&] { return gasnet_coll_try_sync_some(handles.data(), handles.size()) == GASNET_OK; });
  gasnet_coll_wait_sync_all(handles.data(), handles.size());
  for (gasnet_coll_handle_t handle : handles) EXPECT_EQ(handle, GASNET_COLL_INVALID_HANDLE);
  check();
}

TEST_F(Legacy, TeamBarriersAgreeOnNames) {
  int id = 0;
  EXPECT_EQ(gasnet_coll_barrier(GASNET_TEAM_ALL, 7, 0), GASNET_OK);
  EXPECT_EQ(gasnet_coll_barrier_result(GASNET_TEAM_ALL, &id), 0);
  EXPECT_EQ(id, 7);
  gasnet_coll_barrier_notify(GASNET_TEAM_ALL, 8, 0);
  poll_until([&] { return gasnet_coll_barrier_try(GASNET_TEAM_ALL, 8, 0) == GASNET_OK; });
  gasnet_coll_barrier_notify(GASNET_TEAM_ALL, static_cast<int>(job().rank), 0);
  EXPECT_EQ(gasnet_coll_barrier_wait(GASNET_TEAM_ALL, static_cast<int>(job().rank), 0),
            job().size == 1 ? GASNET_OK : GASNET_ERR_BARRIER_MISMATCH);
}

TEST_F(Teams, CollectivesOfSeveralTeamsDoNotMeet) {
  const int parity = static_cast<int>(job().rank % 2);
  gex_TM_t half, backwards;
  gex_TM_Split(&half, job().tm, parity, static_cast<int>(job().rank), nullptr, 0, GEX_FLAG_TM_NO_SCRATCH);
  gex_TM_Split(&backwards, job().tm, 0, -static_cast<int>(job().rank), nullptr, 0, GEX_FLAG_TM_NO_SCRATCH);
  const gex_TM_t teams[] = {half, backwards, job().tm};
  const std::uint64_t mine = job().rank + 1;
  const Interval interval{gex_TM_QueryRank(backwards), gex_TM_QueryRank(backwards) + 1};
  for (std::uint32_t round = 0; round < scaled(50); ++round) {
    std::array<gex_Event_t, 4> events;
    std::array<std::uint64_t, 3> sums{};
    Interval joined{};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t which = (i + round + job().rank) % 3;  // every rank begins with another team
      events[which] = gex_Coll_ReduceToAllNB(teams[which], &sums[which], &mine, GEX_DT_U64, 8, 1, GEX_OP_ADD,
                                             nullptr, nullptr, 0);
    }
    const Flavour& ordered = flavour("UserInterval");
    events[3] = reduce_to_all(backwards, ordered, &joined, &interval, 1);
    gex_Event_WaitAll(events.data(), events.size(), 0);
    std::uint64_t everybody = 0, of_half = 0;
    for (gex_Rank_t rank = 0; rank < job().size; ++rank) {
      everybody += rank + 1;
      if (static_cast<int>(rank % 2) == parity) of_half += rank + 1;
    }
    ASSERT_EQ(sums, (std::array<std::uint64_t, 3>{of_half, everybody, everybody}));
    ASSERT_EQ(joined.first, 0u);
    ASSERT_EQ(joined.end, job().size);
  }
  gex_TM_Destroy(half, nullptr, 0);
  gex_TM_Destroy(backwards, nullptr, 0);
}

}  // namespace
}  // namespace aqueduct::test
