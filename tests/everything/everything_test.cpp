// Puts and gets of any memory of another rank: heap, statics, constants, what was mapped a moment ago.
#include <gasnet_ratomic.h>
#include <gasnet_vis.h>
#include <sys/mman.h>

#include <thread>
#include <vector>

#include "support/pattern.hpp"
#include "support/random.hpp"
#include "support/rma.hpp"
#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

constexpr std::size_t kPart = std::size_t{256} << 10;  // of each rank's memory, for each other rank

/// The address of something of `rank`, which every rank has, each at a place of its own.
std::byte* ask(gex_Rank_t rank, const void* mine) {
  std::memcpy(local(), &mine, sizeof mine);
  barrier();
  void* theirs = nullptr;
  gex_RMA_GetBlocking(job().tm, &theirs, rank, remote(rank), sizeof theirs, 0);
  barrier();
  return static_cast<std::byte*>(theirs);
}

std::byte in_static_memory[4 * GASNET_PAGESIZE];
constexpr unsigned char kConstants[] = "what nobody may change, and everybody may read";

class Everything : public Spmd, public ::testing::WithParamInterface<Style> {};
using EverythingElse = Spmd;

TEST_P(Everything, PutsAndGetsReachHeapAndStaticMemory) {
  std::vector<std::byte> heap(job().size * kPart);
  std::byte* const their_heap = ask(right(), heap.data()) + job().rank * kPart;
  std::byte* const their_static = ask(right(), in_static_memory);
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{8}, std::size_t{4096}, kPart - 1}) {
    const std::vector<unsigned char> out = patterned(bytes, key_of(job().rank, bytes));
    std::vector<unsigned char> back(bytes);
    put(GetParam(), right(), their_heap + 1, out.data(), bytes);
    get(GetParam(), back.data(), right(), their_heap + 1, bytes);
    ASSERT_TRUE(holds(back.data(), bytes, key_of(job().rank, bytes))) << bytes << " bytes";
  }
  put(GetParam(), right(), their_static + 100, "static", 7);
  barrier();
  EXPECT_STREQ(reinterpret_cast<char*>(in_static_memory) + 100, "static");
  EXPECT_TRUE(holds(reinterpret_cast<unsigned char*>(heap.data()) + left() * kPart + 1, kPart - 1,
                    key_of(left(), kPart - 1)));
}

INSTANTIATE_TEST_SUITE_P(Styles, Everything,
                         ::testing::Values(Style::kBlocking, Style::kEvent, Style::kImplicit),
                         [](const auto& info) { return style_name(info.param); });

TEST_F(EverythingElse, ConstantsCanBeGotAndValuesPutAndGot) {
  char back[sizeof kConstants];
  get(Style::kBlocking, back, right(), ask(right(), kConstants), sizeof back);
  EXPECT_EQ(std::memcmp(back, kConstants, sizeof back), 0);
  std::uint64_t word = 0;
  std::byte* const there = ask(right(), &word);  // on its stack
  gex_RMA_PutBlockingVal(job().tm, right(), there, 17 + job().rank, sizeof word, 0);
  EXPECT_EQ(gex_RMA_GetBlockingVal(job().tm, right(), there, sizeof word, 0), 17 + job().rank);
  barrier();
  EXPECT_EQ(word, 17 + left());
}

// Many at once, all over a range that is longer than all regions that may be borrowed together; in the end
// each byte is what was put there last.
void random_transfers(Random random, gex_Rank_t target, std::byte* there, std::size_t range) {
  constexpr unsigned kAtOnce = 8;
  std::vector<std::byte> copy(range);
  const std::uint32_t rounds = scaled(100) + 3;
  for (std::uint32_t round = 0; round < rounds; ++round) {
    const std::size_t each = range / kAtOnce;
    gex_Event_t events[kAtOnce];
    std::vector<std::byte> back(range);
    std::size_t begin[kAtOnce], bytes[kAtOnce];
    for (unsigned i = 0; i < kAtOnce; ++i) {
      bytes[i] = 1 + random() % each;
      begin[i] = i * each + random() % (each - bytes[i] + 1);
      for (std::size_t at = begin[i]; at < begin[i] + bytes[i]; ++at) copy[at] = std::byte(at * 7 + round);
      gex_Event_t* const lc = random() % 2 ? GEX_EVENT_NOW : GEX_EVENT_DEFER;
      events[i] = gex_RMA_PutNB(job().tm, target, there + begin[i], copy.data() + begin[i], bytes[i], lc, 0);
    }
    gex_Event_WaitAll(events, kAtOnce, 0);
    for (unsigned i = 0; i < kAtOnce; ++i)
      events[i] = gex_RMA_GetNB(job().tm, back.data() + begin[i], target, there + begin[i], bytes[i], 0);
    gex_Event_WaitAll(events, kAtOnce, 0);
    for (unsigned i = 0; i < kAtOnce; ++i)
      ASSERT_EQ(std::memcmp(back.data() + begin[i], copy.data() + begin[i], bytes[i]), 0)
          << "round " << round;
  }
  std::vector<std::byte> all(range);
  get(Style::kBlocking, all.data(), target, there, range);
  EXPECT_EQ(all, copy);
}

TEST_F(EverythingElse, RandomTransfersAllOverTheHeapOfEveryRank) {
  std::vector<std::byte> heap(job().size * kPart);
  for (gex_Rank_t step = 0; step < job().size; ++step) {
    const gex_Rank_t target = (job().rank + step) % job().size;
    std::byte* const there = ask(target, heap.data()) + job().rank * kPart;
    if (::testing::Test::HasFatalFailure()) return;
    std::fill(heap.begin(), heap.end(), std::byte{0});
    barrier();
    random_transfers(own_random(), target, there, kPart);
    barrier();
  }
}

TEST_F(EverythingElse, MemoryMayBeMappedAnewBetweenTransfers) {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  for (int round = 0; round < 4; ++round) {
    void* const mapped = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(mapped, MAP_FAILED);
    std::byte* const there = ask(right(), mapped);
    const std::vector<unsigned char> out = patterned(kBytes, key_of(job().rank, round));
    put(Style::kBlocking, right(), there, out.data(), kBytes);
    barrier();
    EXPECT_TRUE(holds(static_cast<unsigned char*>(mapped), kBytes, key_of(left(), round)));
    barrier();
    ::munmap(mapped, kBytes);
  }
}

#if GASNET_PAR
TEST_F(EverythingElse, SeveralThreadsPutAndGetAtOnce) {
  constexpr unsigned kThreads = 3;
  constexpr std::size_t kOfThread = std::size_t{64} << 10;
  std::vector<std::byte> heap(job().size * kThreads * kOfThread);
  std::byte* const there = ask(right(), heap.data()) + job().rank * kThreads * kOfThread;
  std::vector<Random> seeds;
  auto random = own_random();
  for (unsigned i = 0; i < kThreads; ++i) seeds.emplace_back(random());
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] { random_transfers(seeds[i], right(), there + i * kOfThread, kOfThread); });
  for (std::thread& thread : threads) thread.join();
  barrier();  // the memory goes when nobody uses it any more
}
#endif

// Pieces in the segment and elsewhere, also at ourselves.
TEST_F(EverythingElse, OneListMayNamePiecesInAndOutsideOfTheSegment) {
  static std::byte target[64];
  void *base = nullptr, *theirs = ask(right(), target);
  std::byte out[48], back[48] = {};
  for (std::size_t i = 0; i < sizeof out; ++i) out[i] = std::byte(job().rank * 50 + i);
  for (const gex_Rank_t rank : {right(), job().rank}) {
    gex_Segment_QueryBound(job().tm, rank, &base, nullptr, nullptr);
    void* elsewhere = rank == job().rank ? static_cast<void*>(target + 32) : theirs;
    void* const remote_pieces[] = {static_cast<std::byte*>(base) + (rank == job().rank ? 200 : 100),
                                   elsewhere,
                                   static_cast<std::byte*>(base) + (rank == job().rank ? 300 : 400)};
    const void* const local_pieces[] = {out};
    void* const back_pieces[] = {back};
    gex_VIS_IndexedPutBlocking(job().tm, rank, 3, remote_pieces, 16, 1, const_cast<void**>(local_pieces), 48,
                               0);
    std::memset(back, 0, sizeof back);
    gex_VIS_IndexedGetBlocking(job().tm, 1, const_cast<void**>(back_pieces), 48, rank, 3,
                               const_cast<void**>(remote_pieces), 16, 0);
    EXPECT_EQ(std::memcmp(out, back, sizeof out), 0) << "rank " << rank;
  }
  barrier();
}

// What ends the job.

void on_long(gex_Token_t, void*, std::size_t) {}
Handler take_long(on_long, GEX_FLAG_AM_LONG | GEX_FLAG_AM_REQUEST);

void* unmapped() {
  void* const hole = ::mmap(nullptr, 4 * GASNET_PAGESIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return static_cast<std::byte*>(hole) + GASNET_PAGESIZE;
}

TEST_F(EverythingElse, DISABLED_PutWhereNothingIsMapped) {
  put(Style::kEvent, right(), ask(right(), unmapped()), "lost", 5);
}
TEST_F(EverythingElse, DISABLED_GetWhereNothingIsMapped) {
  char back[8];
  get(Style::kBlocking, back, right(), ask(right(), unmapped()), sizeof back);
}
TEST_F(EverythingElse, DISABLED_AtomicWhereNothingIsMapped) {
  gex_AD_t domain;
  gex_AD_Create(&domain, job().tm, GEX_DT_I64, GEX_OP_ADD, 0);
  gex_Event_Wait(gex_AD_OpNB_I64(domain, nullptr, right(), ask(right(), unmapped()), GEX_OP_ADD, 1, 0, 0));
}
TEST_F(EverythingElse, DISABLED_LongWhereNothingIsMapped) {
  gex_AM_RequestLong0(job().tm, right(), take_long, "lost", 5, ask(right(), unmapped()), GEX_EVENT_NOW, 0);
  barrier();  // which a rank may pass without a look at its messages
  for (int i = 0; i < 1000; ++i) gasnet_AMPoll();
}
TEST_F(EverythingElse, DISABLED_PutWhereNothingIsMappedAnyMore) {
  void* const mapped =
      ::mmap(nullptr, GASNET_PAGESIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  std::byte* const there = ask(right(), mapped);
  put(Style::kBlocking, right(), there, "first", 6);
  barrier();
  ::munmap(mapped, GASNET_PAGESIZE);
  barrier();
  put(Style::kBlocking, right(), there, "lost", 5);
}
TEST_F(EverythingElse, DISABLED_PutToConstantMemory) {
  put(Style::kBlocking, right(), ask(right(), kConstants), "lost", 5);
}

}  // namespace
}  // namespace aqueduct::test
