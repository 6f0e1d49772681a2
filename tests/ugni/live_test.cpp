// uGNI between the processes of a job: processes meet by datagrams, and what one posts arrives whether or not
// the other looks.
#include <gni_pub.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "support/look_at.hpp"
#include "support/spmd.hpp"

namespace aqueduct::test {
namespace {

constexpr std::uint32_t kCookie = 77;
constexpr std::size_t kWindowWords = std::size_t{1} << 17;
constexpr std::size_t kSizes[] = {1, 8, 100, 1000, 4096, 8192, 8196, 40'000, 300'000};

struct Card {
  std::uint64_t address;
  gni_mem_handle_t memory;
};

/// The domain of this process, open from the first test to the end, with what it needs to reach all others.
struct Side {
  Side() {
    const std::uint32_t modes = GNI_CDM_MODE_DUAL_EVENTS | GNI_CDM_MODE_FMA_SHARED;
    std::uint32_t own = ~0u;
    EXPECT_EQ(GNI_CdmCreate(job().rank, GNI_FIND_ALLOC_PTAG, kCookie, modes, &domain), GNI_RC_SUCCESS);
    EXPECT_EQ(GNI_CdmAttach(domain, ~0u, &own, &nic), GNI_RC_SUCCESS);
    EXPECT_EQ(own, job().rank);
    EXPECT_EQ(GNI_CqCreate(nic, 1024, 0, GNI_CQ_BLOCKING, nullptr, nullptr, &source), GNI_RC_SUCCESS);
    EXPECT_EQ(GNI_CqCreate(nic, 4096, 0, GNI_CQ_BLOCKING, nullptr, nullptr, &target), GNI_RC_SUCCESS);
    EXPECT_EQ(GNI_MemRegister(nic, address(window), window.size() * 8, target, 0, ~0u, &window_memory),
              GNI_RC_SUCCESS);
    EXPECT_EQ(GNI_MemRegister(nic, address(local), local.size() * 8, nullptr, 0, ~0u, &local_memory),
              GNI_RC_SUCCESS);
    to.resize(job().size);
    peers.resize(job().size);
    for (gex_Rank_t peer = 0; peer < job().size; ++peer) {
      EXPECT_EQ(GNI_EpCreate(nic, source, &to[peer]), GNI_RC_SUCCESS);
      EXPECT_EQ(GNI_EpBind(to[peer], peer, peer), GNI_RC_SUCCESS);
    }
    meet();
  }

  /// Everybody tells everybody where its window is.
  void meet() {
    Card mine{address(window), window_memory};
    for (gex_Rank_t peer = 0; peer < job().size; ++peer)
      EXPECT_EQ(GNI_EpPostData(to[peer], &mine, sizeof mine, &peers[peer], sizeof mine), GNI_RC_SUCCESS);
    for (gex_Rank_t peer = 0; peer < job().size; ++peer) {
      gni_post_state_t state;
      std::uint32_t from, id;
      ASSERT_EQ(GNI_EpPostDataWait(to[peer], ~0u, &state, &from, &id), GNI_RC_SUCCESS);
      EXPECT_EQ(state, GNI_POST_COMPLETED);
      EXPECT_EQ(from, peer);
      EXPECT_EQ(id, peer);
    }
  }

  gni_post_descriptor_t post(gni_post_type_t type, gex_Rank_t peer, std::size_t bytes, std::uint16_t events) {
    gni_post_descriptor_t descriptor{};
    descriptor.type = type;
    descriptor.cq_mode = events;
    descriptor.local_addr = address(local);
    descriptor.local_mem_hndl = local_memory;
    descriptor.remote_addr = peers[peer].address;
    descriptor.remote_mem_hndl = peers[peer].memory;
    descriptor.length = bytes;
    return descriptor;
  }

  gni_cq_entry_t wait(gni_cq_handle_t queue) {
    gni_cq_entry_t entry = 0;
    EXPECT_EQ(GNI_CqWaitEvent(queue, 60'000, &entry), GNI_RC_SUCCESS);
    return entry;
  }

  void completes(const gni_post_descriptor_t& descriptor) {
    gni_post_descriptor_t* found = nullptr;
    EXPECT_EQ(GNI_GetCompleted(source, wait(source), &found), GNI_RC_SUCCESS);
    EXPECT_EQ(found, &descriptor);
  }

  static std::uint64_t address(const std::vector<std::uint64_t>& words) {
    return reinterpret_cast<std::uint64_t>(words.data());
  }

  gni_cdm_handle_t domain{};
  gni_nic_handle_t nic{};
  gni_cq_handle_t source{}, target{};
  std::vector<std::uint64_t> window = std::vector<std::uint64_t>(kWindowWords);
  std::vector<std::uint64_t> local = std::vector<std::uint64_t>(kWindowWords);
  gni_mem_handle_t window_memory{}, local_memory{};
  std::vector<gni_ep_handle_t> to;
  std::vector<Card> peers;
};

Side& side() {
  static Side* const made = new Side;
  return *made;
}

std::byte pattern(std::uint64_t seed, std::size_t i) {
  return static_cast<std::byte>(seed * 37 + i * 11 + i / 253);
}

/// Empties the window and waits for the others.
class UgniLive : public Spmd {
 protected:
  void SetUp() override {
    std::fill(side().window.begin(), side().window.end(), 0);
    gni_cq_entry_t entry;
    while (GNI_CqGetEvent(side().target, &entry) == GNI_RC_SUCCESS) {
    }
    Spmd::SetUp();
  }
};

TEST_F(UgniLive, PutsOfAllSizesArriveWithTheirEvents) {
  for (const std::size_t bytes : kSizes) {
    auto* const data = reinterpret_cast<std::byte*>(side().local.data());
    for (std::size_t i = 0; i < bytes; ++i) data[i] = pattern(job().rank + bytes, i);
    const bool small = bytes <= 1000;
    gni_post_descriptor_t put = side().post(small ? GNI_POST_FMA_PUT : GNI_POST_RDMA_PUT, right(), bytes,
                                            GNI_CQMODE_GLOBAL_EVENT | GNI_CQMODE_REMOTE_EVENT);
    ASSERT_EQ(small ? GNI_PostFma(side().to[right()], &put) : GNI_PostRdma(side().to[right()], &put),
              GNI_RC_SUCCESS);
    side().completes(put);
    EXPECT_EQ(GNI_CQ_GET_REM_INST_ID(side().wait(side().target)), left());
    const auto* const window = reinterpret_cast<const std::byte*>(side().window.data());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < bytes; ++i) wrong += window[i] != pattern(left() + bytes, i);
    EXPECT_EQ(wrong, 0u) << bytes;
    barrier();
  }
}

TEST_F(UgniLive, GetsOfAllSizesBringWhatIsThere) {
  auto* const window = reinterpret_cast<std::byte*>(side().window.data());
  for (std::size_t i = 0; i < kWindowWords * 8; ++i) window[i] = pattern(job().rank, i);
  barrier();
  for (const std::size_t bytes : kSizes) {
    if (bytes % 4 != 0) continue;
    std::fill(side().local.begin(), side().local.end(), 0);
    const bool small = bytes <= 1000;
    gni_post_descriptor_t get =
        side().post(small ? GNI_POST_FMA_GET : GNI_POST_RDMA_GET, right(), bytes, GNI_CQMODE_GLOBAL_EVENT);
    ASSERT_EQ(small ? GNI_PostFma(side().to[right()], &get) : GNI_PostRdma(side().to[right()], &get),
              GNI_RC_SUCCESS);
    side().completes(get);
    const auto* const local = reinterpret_cast<const std::byte*>(side().local.data());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < bytes; ++i) wrong += local[i] != pattern(right(), i);
    EXPECT_EQ(wrong, 0u) << bytes;
  }
}

TEST_F(UgniLive, AtomicsOfAllRanksAddUp) {
  constexpr std::uint32_t kTimes = 500;
  for (std::uint32_t i = 0; i < kTimes; ++i) {
    gni_post_descriptor_t add = side().post(GNI_POST_AMO, 0, 8, GNI_CQMODE_GLOBAL_EVENT);
    add.amo_cmd = GNI_FMA_ATOMIC_FADD;
    add.first_operand = 1;
    ASSERT_EQ(GNI_PostFma(side().to[0], &add), GNI_RC_SUCCESS);
    side().completes(add);
  }
  barrier();
  if (job().rank == 0) {
    EXPECT_EQ(side().window[0], std::uint64_t{kTimes} * job().size);
  }
}

TEST_F(UgniLive, APutLandsWhileTheTargetDoesNotLook) {
  if (job().rank == 0) {
    side().local[0] = 4711;
    for (gex_Rank_t peer = 1; peer < job().size; ++peer) {
      gni_post_descriptor_t put = side().post(GNI_POST_FMA_PUT, peer, 8, GNI_CQMODE_GLOBAL_EVENT);
      ASSERT_EQ(GNI_PostFma(side().to[peer], &put), GNI_RC_SUCCESS);
      side().completes(put);
    }
  } else {
    while (look_at(side().window.data()) == 0) ::usleep(100);
    EXPECT_EQ(look_at(side().window.data()), 4711u);
  }
}

TEST_F(UgniLive, AFloodBeyondTheTransferRequestsIsToldToTryAgain) {
  std::vector<gni_post_descriptor_t> puts(
      2000, side().post(GNI_POST_FMA_PUT, right(), 64, GNI_CQMODE_GLOBAL_EVENT));
  std::size_t completed = 0, refused = 0;
  const auto take = [&] {
    gni_cq_entry_t entry;
    gni_post_descriptor_t* found = nullptr;
    if (GNI_CqGetEvent(side().source, &entry) != GNI_RC_SUCCESS) return;
    ASSERT_EQ(GNI_GetCompleted(side().source, entry, &found), GNI_RC_SUCCESS);
    ++completed;
  };
  for (gni_post_descriptor_t& put : puts) {
    gni_return_t code;
    while ((code = GNI_PostFma(side().to[right()], &put)) == GNI_RC_ERROR_RESOURCE) {
      ++refused;
      take();
    }
    ASSERT_EQ(code, GNI_RC_SUCCESS);
  }
  while (completed < puts.size()) take();
  EXPECT_GT(refused, 0u);
}

}  // namespace
}  // namespace aqueduct::test
