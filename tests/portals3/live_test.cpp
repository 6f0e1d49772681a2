// Portals between the processes of a job: what one puts and gets arrives, whether or not the other looks.
#include <portals3.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "support/random.hpp"
#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

constexpr ptl_pt_index_t kPortal = 7;
constexpr ptl_match_bits_t kBits = 0xabcdef;
/// A flood of puts, each with two events: nobody may have looked at the queue when the last of them comes.
constexpr std::uint32_t kFlood = 3000;
constexpr std::size_t kWindow = std::size_t{4} << 20;
constexpr std::size_t kSizes[] = {0,    1,    8,    64,     100,    150,    1000,
                                  4096, 8192, 8193, 40'000, 65'536, 70'001, 300'000};

/// The interface of this process: open from the first test to the end.
ptl_handle_ni_t interface() {
  static const ptl_handle_ni_t ni = [] {
    int interfaces = 0;
    EXPECT_EQ(PtlInit(&interfaces), PTL_OK);
    EXPECT_EQ(interfaces, 1);
    ptl_handle_ni_t opened;
    EXPECT_EQ(PtlNIInit(PTL_IFACE_DEFAULT, PTL_PID_ANY, nullptr, nullptr, &opened), PTL_OK);
    return opened;
  }();
  return ni;
}

// Reads what others write here by themselves. That it is in order, if it is, only they know; to
// ThreadSanitizer it is a race.
[[gnu::no_sanitize("thread"), gnu::noinline]] std::uint64_t look(const std::byte* place) {
  return *reinterpret_cast<const volatile std::uint64_t*>(place);
}

/// A window that all others may put to and get from, and a queue for what this process starts itself.
class PortalsLive : public Spmd {
 protected:
  void SetUp() override {
    window.assign(kWindow, std::byte{0});
    ASSERT_EQ(PtlGetId(interface(), &self), PTL_OK);
    ASSERT_EQ(PtlEQAlloc(interface(), 2 * scaled(kFlood) + 96, PTL_EQ_HANDLER_NONE, &queue), PTL_OK);
    ASSERT_EQ(PtlMEAttach(interface(), kPortal, {PTL_NID_ANY, PTL_PID_ANY}, kBits, 0, PTL_RETAIN,
                          PTL_INS_AFTER, &entry),
              PTL_OK);
    ptl_md_t all{};
    all.start = window.data();
    all.length = window.size();
    all.threshold = PTL_MD_THRESH_INF;
    all.options = PTL_MD_OP_PUT | PTL_MD_OP_GET | PTL_MD_MANAGE_REMOTE;
    all.eq_handle = PTL_EQ_NONE;
    ptl_handle_md_t handle;
    ASSERT_EQ(PtlMDAttach(entry, all, PTL_RETAIN, &handle), PTL_OK);
    Spmd::SetUp();
  }
  void TearDown() override {
    Spmd::TearDown();
    unlink_entry(entry);
    EXPECT_EQ(PtlEQFree(queue), PTL_OK);
  }

  /// An object is in use until the last message about it has been reported, which may be after whoever sent
  /// or got it knows of the end.
  template <class Unlink>
  void when_free(int in_use, Unlink unlink) const {
    int code;
    while ((code = unlink()) == in_use) std::this_thread::yield();
    EXPECT_EQ(code, PTL_OK);
  }
  void unlink_entry(ptl_handle_me_t me) const {
    when_free(PTL_ME_IN_USE, [&] { return PtlMEUnlink(me); });
  }
  void unlink_memory(ptl_handle_md_t md) const {
    when_free(PTL_MD_IN_USE, [&] { return PtlMDUnlink(md); });
  }

  ptl_process_id_t process(gex_Rank_t rank) const { return {rank, self.pid}; }

  ptl_handle_md_t bind(void* start, std::size_t bytes) const {
    ptl_md_t md{};
    md.start = start;
    md.length = bytes;
    md.threshold = PTL_MD_THRESH_INF;
    md.options = PTL_MD_EVENT_START_DISABLE;
    md.eq_handle = queue;
    ptl_handle_md_t handle;
    EXPECT_EQ(PtlMDBind(interface(), md, PTL_RETAIN, &handle), PTL_OK);
    return handle;
  }

  /// Waits for `count` events of one kind, skipping others.
  void await(ptl_event_kind_t kind, unsigned count = 1) const {
    while (count != 0) {
      ptl_event_t event;
      ASSERT_EQ(PtlEQWait(queue, &event), PTL_OK);
      ASSERT_EQ(event.ni_fail_type, static_cast<ptl_ni_fail_t>(PTL_NI_OK));
      if (event.type == kind) --count;
    }
  }

  void put(gex_Rank_t rank, ptl_handle_md_t from, std::size_t to) const {
    ASSERT_EQ(PtlPut(from, PTL_ACK_REQ, process(rank), kPortal, 0, kBits, to, 0), PTL_OK);
    await(PTL_EVENT_ACK);
  }
  void get(gex_Rank_t rank, ptl_handle_md_t to, std::size_t from) const {
    ASSERT_EQ(PtlGet(to, process(rank), kPortal, 0, kBits, from), PTL_OK);
    await(PTL_EVENT_REPLY_END);
  }

  std::vector<std::byte> window;
  ptl_process_id_t self{};
  ptl_handle_eq_t queue = PTL_EQ_NONE;
  ptl_handle_me_t entry{};
};

std::vector<std::byte> patterned(std::uint64_t seed, std::size_t bytes) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(seed * 37 + i * 11 + i / 253);
  return data;
}

TEST_F(PortalsLive, AProcessIsItsRankInOneJobOfOneUser) {
  EXPECT_EQ(self.nid, job().rank);
  ptl_uid_t uid;
  ptl_jid_t jid;
  ASSERT_EQ(PtlGetUid(interface(), &uid), PTL_OK);
  ASSERT_EQ(PtlGetJid(interface(), &jid), PTL_OK);
  EXPECT_EQ(uid, getuid());
  gex_RMA_PutBlockingVal(job().tm, right(), remote(right()), jid, sizeof jid, 0);
  barrier();
  ptl_jid_t of_left;
  std::memcpy(&of_left, local(), sizeof of_left);
  EXPECT_EQ(of_left, jid);
  unsigned long distance = 99;
  ASSERT_EQ(PtlNIDist(interface(), process(right()), &distance), PTL_OK);
  EXPECT_EQ(distance, job().size > 1 ? 1u : 0u);
}

TEST_F(PortalsLive, PutsAndGetsOfAllSizesCarryTheirBytes) {
  const std::size_t place = kWindow / job().size * job().rank;
  for (const std::size_t bytes : kSizes) {
    SCOPED_TRACE(bytes);
    for (gex_Rank_t rank = 0; rank < job().size; ++rank) {
      std::vector<std::byte> mine = patterned(job().rank * 100 + rank, bytes), back(bytes);
      const ptl_handle_md_t from = bind(mine.data(), bytes), to = bind(back.data(), bytes);
      put(rank, from, place);
      get(rank, to, place);
      EXPECT_EQ(back, mine);
      unlink_memory(from);
      unlink_memory(to);
    }
  }
}

TEST_F(PortalsLive, AnExchangeIsAtomic) {
  // Everybody takes the number that lies with rank 0 and leaves one of its own; at the end every number has
  // been taken once.
  constexpr std::uint64_t kTimes = 200;
  std::uint64_t mine = 0, found = 0, sum_left = 0, sum_found = 0;
  const ptl_handle_md_t from = bind(&mine, sizeof mine), to = bind(&found, sizeof found);
  for (std::uint64_t i = 0; i < kTimes; ++i) {
    mine = 1 + job().rank * kTimes + i;
    ASSERT_EQ(PtlGetPut(to, from, process(0), kPortal, 0, kBits, 0, 0), PTL_OK);
    await(PTL_EVENT_REPLY_END);
    sum_left += mine;
    sum_found += found;
  }
  unlink_memory(from);
  unlink_memory(to);
  const std::uint64_t balance = sum_left - sum_found;
  gex_RMA_PutBlockingVal(job().tm, 0, remote(0, 8 * job().rank), balance, sizeof balance, 0);
  barrier();
  if (job().rank == 0) {
    std::uint64_t total = 0;
    for (gex_Rank_t rank = 0; rank < job().size; ++rank) {
      std::uint64_t each;
      std::memcpy(&each, local(8 * rank), sizeof each);
      total += each;
    }
    EXPECT_EQ(total, look(window.data()));
  }
}

TEST_F(PortalsLive, AFloodThatNobodyLooksAtIsTakenAsFastAsItComes) {
  const std::uint32_t puts = scaled(kFlood);
  std::vector<std::byte> mine = patterned(job().rank, 700);
  const ptl_handle_md_t from = bind(mine.data(), mine.size());
  std::uint32_t acknowledged = 0;
  for (std::uint32_t i = 0; i < puts; ++i) {
    ASSERT_EQ(PtlPut(from, PTL_ACK_REQ, process(right()), kPortal, 0, kBits, i % 1000 * 1000, 0), PTL_OK);
    ptl_event_t event;
    for (int code; (code = PtlEQGet(queue, &event)) != PTL_EQ_EMPTY;) {
      ASSERT_EQ(code, PTL_OK);
      acknowledged += event.type == PTL_EVENT_ACK;
    }
  }
  await(PTL_EVENT_ACK, puts - acknowledged);
  unlink_memory(from);
}

// The target computes: it looks at its memory and calls nothing.
TEST_F(PortalsLive, PutsLandAndGetsReturnWhileTheTargetComputes) {
  const std::uint32_t rounds = scaled(30) + 3;
  if (job().rank == 0) {
    for (gex_Rank_t rank = 1; rank < job().size; ++rank) {
      std::uint64_t value = 0, back = 0;
      std::vector<std::byte> large = patterned(rank, 200'000), copy(large.size());
      const ptl_handle_md_t from = bind(&value, sizeof value), to = bind(&back, sizeof back);
      const ptl_handle_md_t large_from = bind(large.data(), large.size()),
                            large_to = bind(copy.data(), copy.size());
      for (std::uint64_t i = 1; i <= rounds; ++i) {
        value = i;
        put(rank, from, 0);
        get(rank, to, 0);
        EXPECT_EQ(back, i);
        put(rank, large_from, 4096);
        get(rank, large_to, 4096);
        EXPECT_EQ(copy, large);
      }
      value = ~std::uint64_t{0};
      put(rank, from, 0);
      for (const ptl_handle_md_t md : {from, to, large_from, large_to}) unlink_memory(md);
    }
  } else {
    volatile double number = 1;
    while (look(window.data()) != ~std::uint64_t{0}) number = number * 1.000001;
  }
}

double cpu_seconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

TEST_F(PortalsLive, AnIdleProcessAndOneThatWaitsUseAlmostNoProcessor) {
  constexpr double kMostCpuSeconds = 0.2;
  const double before = cpu_seconds();
  usleep(500'000);
  EXPECT_LT(cpu_seconds() - before, kMostCpuSeconds) << "while it slept";
  const double asleep = cpu_seconds();
  ptl_event_t event;
  int which;
  EXPECT_EQ(PtlEQPoll(&queue, 1, 500, &event, &which), PTL_EQ_EMPTY);
  EXPECT_LT(cpu_seconds() - asleep, kMostCpuSeconds) << "while it waited for an event";
}

TEST_F(PortalsLive, AWaitEndsWhenThePeerSends) {
  std::uint64_t value = 5;
  const ptl_handle_md_t from = bind(&value, sizeof value);
  ptl_handle_me_t me;
  ptl_handle_md_t target;
  std::uint64_t word = 0;
  ASSERT_EQ(PtlMEAttach(interface(), kPortal + 1, {PTL_NID_ANY, PTL_PID_ANY}, kBits, 0, PTL_RETAIN,
                        PTL_INS_AFTER, &me),
            PTL_OK);
  ptl_md_t md{};
  md.start = &word;
  md.length = sizeof word;
  md.threshold = PTL_MD_THRESH_INF;
  md.options = PTL_MD_OP_PUT | PTL_MD_MANAGE_REMOTE | PTL_MD_EVENT_START_DISABLE;
  md.eq_handle = queue;
  ASSERT_EQ(PtlMDAttach(me, md, PTL_RETAIN, &target), PTL_OK);
  barrier();
  for (int round = 0; round < 3; ++round) {
    // All others sleep at their queues when it comes.
    if (job().rank == 0) {
      usleep(50'000);
      for (gex_Rank_t rank = 1; rank < job().size; ++rank) {
        ASSERT_EQ(PtlPut(from, PTL_ACK_REQ, process(rank), kPortal + 1, 0, kBits, 0, 0), PTL_OK);
        await(PTL_EVENT_ACK);
      }
    } else {
      await(PTL_EVENT_PUT_END);
      EXPECT_EQ(word, 5u);
    }
  }
  barrier();
  unlink_memory(from);
  unlink_entry(me);
}

std::atomic<std::uint32_t> handled{0};

TEST_F(PortalsLive, HandlersRunWhileTheirProcessComputes) {
  handled = 0;
  ptl_handle_eq_t watched;
  ASSERT_EQ(
      PtlEQAlloc(
          interface(), 64, [](ptl_event_t* event) { handled += event->type == PTL_EVENT_PUT_END; }, &watched),
      PTL_OK);
  ptl_handle_me_t me;
  ptl_handle_md_t target;
  ASSERT_EQ(PtlMEAttach(interface(), kPortal + 2, {PTL_NID_ANY, PTL_PID_ANY}, kBits, 0, PTL_RETAIN,
                        PTL_INS_AFTER, &me),
            PTL_OK);
  ptl_md_t md{};
  md.threshold = PTL_MD_THRESH_INF;
  md.options = PTL_MD_OP_PUT | PTL_MD_EVENT_START_DISABLE;
  md.eq_handle = watched;
  ASSERT_EQ(PtlMDAttach(me, md, PTL_RETAIN, &target), PTL_OK);
  barrier();
  const ptl_handle_md_t from = bind(nullptr, 0);
  ASSERT_EQ(PtlPut(from, PTL_NO_ACK_REQ, process(right()), kPortal + 2, 0, kBits, 0, 0), PTL_OK);
  await(PTL_EVENT_SEND_END);
  while (handled.load() == 0) std::this_thread::yield();
  barrier();
  EXPECT_EQ(handled.load(), 1u);
  unlink_memory(from);
  unlink_entry(me);
  EXPECT_EQ(PtlEQFree(watched), PTL_OK);
}

}  // namespace
}  // namespace aqueduct::test
