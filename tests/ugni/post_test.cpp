// What posts do, and which events they make.
#include <cstring>
#include <numeric>

#include "machine.hpp"

namespace aqueduct::test {
namespace {

using UgniPosts = UgniTest;

TEST_F(UgniPosts, AnFmaPutHasLeftItsBufferWhenTheCallReturns) {
  const On on{machine, 0};
  zero.local[0] = 42;
  gni_post_descriptor_t put =
      zero.post(GNI_POST_FMA_PUT, one, 8, GNI_CQMODE_GLOBAL_EVENT | GNI_CQMODE_REMOTE_EVENT);
  put.local_mem_hndl = {};  // its source needs no registration
  ASSERT_EQ(GNI_PostFma(zero.to[1], &put), GNI_RC_SUCCESS);
  zero.local[0] = 7;
  const gni_cq_entry_t entry = zero.completes(put);
  EXPECT_EQ(GNI_CQ_GET_TYPE(entry), GNI_CQ_EVENT_TYPE_POST);
  EXPECT_EQ(GNI_CQ_GET_INST_ID(entry), kFirstInstance);  // GLOBAL events carry the own instance id
  EXPECT_EQ(one.window[0], 42u);
  const gni_cq_entry_t remote = one.event(one.target);
  EXPECT_EQ(GNI_CQ_GET_REM_INST_ID(remote), kFirstInstance);
  EXPECT_EQ(GNI_CQ_GET_SOURCE(remote), AQ_GNI_SOURCE_REMOTE);
}

TEST_F(UgniPosts, EventDataAreLatchedWhenAPostIsMade) {
  const On on{machine, 0};
  gni_post_descriptor_t put =
      zero.post(GNI_POST_FMA_PUT, one, 8, GNI_CQMODE_DUAL_EVENTS | GNI_CQMODE_REMOTE_EVENT);
  ASSERT_EQ(GNI_EpSetEventData(zero.to[1], 0xaabbccdd, 0x11223344), GNI_RC_SUCCESS);
  ASSERT_EQ(GNI_PostFma(zero.to[1], &put), GNI_RC_SUCCESS);
  ASSERT_EQ(GNI_EpSetEventData(zero.to[1], 1, 2), GNI_RC_SUCCESS);
  // 24 bits at the own side, as on Aries, and 32 at the target.
  EXPECT_EQ(GNI_CQ_GET_INST_ID(zero.completes(put, GNI_CQMODE_LOCAL_EVENT)), 0xbbccddu);
  EXPECT_EQ(GNI_CQ_GET_INST_ID(zero.completes(put, GNI_CQMODE_GLOBAL_EVENT)), 0x223344u);
  EXPECT_EQ(GNI_CQ_GET_REM_INST_ID(one.event(one.target)), 0x11223344u);
}

TEST_F(UgniPosts, LocalEventsCarryTheRemoteInstanceUnlessToldOtherwise) {
  const On on{machine, 0};
  gni_post_descriptor_t put = zero.post(GNI_POST_RDMA_PUT, one, 64, GNI_CQMODE_LOCAL_EVENT);
  ASSERT_EQ(GNI_PostRdma(zero.to[1], &put), GNI_RC_SUCCESS);
  EXPECT_EQ(GNI_CQ_GET_INST_ID(zero.completes(put, GNI_CQMODE_LOCAL_EVENT)), kFirstInstance + 1);
  zero.expect_no_event(zero.source);
}

TEST_F(UgniPosts, RdmaMovesManyBytesBothWays) {
  const On on{machine, 0};
  std::iota(zero.local.begin(), zero.local.end(), 1);
  gni_post_descriptor_t put = zero.post(GNI_POST_RDMA_PUT, one, 8000);
  ASSERT_EQ(GNI_PostRdma(zero.to[1], &put), GNI_RC_SUCCESS);
  EXPECT_EQ(GNI_CQ_GET_SOURCE(zero.completes(put)), AQ_GNI_SOURCE_BTE);
  EXPECT_EQ(std::memcmp(one.window.data(), zero.local.data(), 8000), 0);
  std::fill(zero.local.begin(), zero.local.end(), 0);
  gni_post_descriptor_t get = zero.post(GNI_POST_RDMA_GET, one, 8000);
  ASSERT_EQ(GNI_PostRdma(zero.to[1], &get), GNI_RC_SUCCESS);
  zero.completes(get);
  EXPECT_EQ(std::memcmp(one.window.data(), zero.local.data(), 8000), 0);
}

TEST_F(UgniPosts, AGetOnAriesMayLandAnywhere) {
  const On on{machine, 0};
  one.window[0] = 0x0807060504030201;
  gni_post_descriptor_t get = zero.post(GNI_POST_FMA_GET, one, 8);
  get.local_addr += 3;
  ASSERT_EQ(GNI_PostFma(zero.to[1], &get), GNI_RC_SUCCESS);
  zero.completes(get);
  EXPECT_EQ(reinterpret_cast<const char*>(zero.local.data())[3], 1);
}

TEST_F(UgniPosts, AnEmptyFmaPutMakesItsEvents) {
  const On on{machine, 0};
  gni_post_descriptor_t put =
      zero.post(GNI_POST_FMA_PUT, one, 0, GNI_CQMODE_GLOBAL_EVENT | GNI_CQMODE_REMOTE_EVENT);
  ASSERT_EQ(GNI_PostFma(zero.to[1], &put), GNI_RC_SUCCESS);
  zero.completes(put);
  one.event(one.target);
}

TEST_F(UgniPosts, ASyncFlagIsWrittenAfterTheData) {
  const On on{machine, 0};
  zero.local[0] = 5;
  gni_post_descriptor_t put =
      zero.post(GNI_POST_FMA_PUT_W_SYNCFLAG, one, 16, GNI_CQMODE_GLOBAL_EVENT | GNI_CQMODE_REMOTE_EVENT);
  put.sync_flag_addr = one.window_address(800);
  put.sync_flag_value = 99;
  ASSERT_EQ(GNI_PostFma(zero.to[1], &put), GNI_RC_SUCCESS);
  while (one.window[100] == 0) ASSERT_TRUE(machine.fabric().step());
  EXPECT_EQ(one.window[100], 99u);
  EXPECT_EQ(one.window[0], 5u);
  zero.completes(put);
  one.event(one.target);
  one.expect_no_event(one.target);  // one event for both
}

TEST_F(UgniPosts, ACqWriteSends48Bits) {
  const On on{machine, 0};
  gni_post_descriptor_t write = zero.post(GNI_POST_CQWRITE, one, 0);
  write.cqwrite_value = 0xffff123456789abc;
  ASSERT_EQ(GNI_PostCqWrite(zero.to[1], &write), GNI_RC_SUCCESS);
  zero.completes(write);
  const gni_cq_entry_t entry = one.event(one.target);
  EXPECT_EQ(GNI_CQ_GET_DATA(entry), 0x123456789abcu);
  EXPECT_EQ(GNI_CQ_GET_REM_INST_ID(entry), 0x56789abcu);
}

TEST_F(UgniPosts, BothEventsComeLocalFirst) {
  const On on{machine, 0};
  gni_post_descriptor_t put = zero.post(GNI_POST_RDMA_PUT, one, 4000, GNI_CQMODE_DUAL_EVENTS);
  ASSERT_EQ(GNI_PostRdma(zero.to[1], &put), GNI_RC_SUCCESS);
  machine.run();
  zero.completes(put, GNI_CQMODE_LOCAL_EVENT);
  zero.completes(put, GNI_CQMODE_GLOBAL_EVENT);
}

TEST_F(UgniPosts, ASilentPostMakesNoEvent) {
  const On on{machine, 0};
  zero.local[0] = 3;
  gni_post_descriptor_t put = zero.post(GNI_POST_FMA_PUT, one, 8, GNI_CQMODE_SILENT);
  ASSERT_EQ(GNI_PostFma(zero.to[1], &put), GNI_RC_SUCCESS);
  zero.expect_no_event(zero.source);
  EXPECT_EQ(one.window[0], 3u);
  EXPECT_EQ(GNI_EpIdle(zero.to[1]), GNI_RC_SUCCESS);
}

TEST_F(UgniPosts, AnotherQueueMayTakeTheEventsOfAnRdmaPost) {
  const On on{machine, 0};
  gni_cq_handle_t other;
  ASSERT_EQ(GNI_CqCreate(zero.nic, 4, 0, GNI_CQ_BLOCKING, nullptr, nullptr, &other), GNI_RC_SUCCESS);
  gni_post_descriptor_t put = zero.post(GNI_POST_RDMA_PUT, one, 64);
  put.src_cq_hndl = other;
  ASSERT_EQ(GNI_PostRdma(zero.to[1], &put), GNI_RC_SUCCESS);
  const gni_cq_entry_t entry = zero.event(other);
  gni_post_descriptor_t* found = nullptr;
  EXPECT_EQ(GNI_GetCompleted(zero.source, entry, &found), GNI_RC_DESCRIPTOR_ERROR);
  EXPECT_EQ(GNI_CqDestroy(other), GNI_RC_ERROR_RESOURCE);
  EXPECT_EQ(GNI_GetCompleted(other, entry, &found), GNI_RC_SUCCESS);
  EXPECT_EQ(found, &put);
  EXPECT_EQ(GNI_CqDestroy(other), GNI_RC_SUCCESS);
}

TEST_F(UgniPosts, AProcessMayPostToItself) {
  const On on{machine, 0};
  zero.local[0] = 8;
  gni_post_descriptor_t put = zero.post(GNI_POST_FMA_PUT, zero, 8);
  ASSERT_EQ(GNI_PostFma(zero.to[0], &put), GNI_RC_SUCCESS);
  zero.completes(put);
  EXPECT_EQ(zero.window[0], 8u);
}

TEST_F(UgniPosts, AChainOfGetsMakesOneEvent) {
  const On on{machine, 0};
  std::iota(one.window.begin(), one.window.end(), 1);
  gni_post_descriptor_t head = zero.post(GNI_POST_FMA_GET, one, 8);
  gni_ct_get_post_descriptor_t parts[2]{};
  for (int i = 0; i < 2; ++i) {
    parts[i].ep_hndl = zero.to[1];
    parts[i].remote_addr = one.window_address(80 * (i + 1));
    parts[i].remote_mem_hndl = one.window_memory;
    parts[i].local_addr = zero.local_address(8 * (i + 1));
    parts[i].local_mem_hndl = zero.local_memory;
    parts[i].length = 8;
  }
  head.next_descr = &parts[0];
  parts[0].next_descr = &parts[1];
  ASSERT_EQ(GNI_CtPostFma(zero.to[1], &head), GNI_RC_SUCCESS);
  zero.completes(head);
  zero.expect_no_event(zero.source);
  EXPECT_EQ(zero.local[0], 1u);
  EXPECT_EQ(zero.local[1], 11u);
  EXPECT_EQ(zero.local[2], 21u);
  parts[1].length = 6;
  EXPECT_EQ(GNI_CtPostFma(zero.to[1], &head), GNI_RC_ALIGNMENT_ERROR);
  parts[1].length = 8;
  parts[1].ep_hndl = nullptr;
  EXPECT_EQ(GNI_CtPostFma(zero.to[1], &head), GNI_RC_INVALID_PARAM);
}

TEST_F(UgniPosts, AChainFailsIfOneOfItsPartsDoes) {
  const On on{machine, 0};
  gni_post_descriptor_t head = zero.post(GNI_POST_FMA_PUT, one, 8);
  gni_ct_put_post_descriptor_t part{};
  part.ep_hndl = zero.to[1];
  part.remote_addr = one.window_address(8192);  // behind its end
  part.remote_mem_hndl = one.window_memory;
  part.local_addr = zero.local_address();
  part.length = 8;
  head.next_descr = &part;
  ASSERT_EQ(GNI_CtPostFma(zero.to[1], &head), GNI_RC_SUCCESS);
  zero.completes(head, GNI_CQMODE_GLOBAL_EVENT, GNI_RC_TRANSACTION_ERROR);
}

TEST_F(UgniPosts, AChainOfCqWritesReachesSeveralQueues) {
  const On on{machine, 0};
  gni_post_descriptor_t head = zero.post(GNI_POST_CQWRITE, one, 0);
  head.cqwrite_value = 1;
  gni_ct_cqw_post_descriptor_t part{nullptr, zero.to[0], zero.window_memory, 2};
  head.next_descr = &part;
  ASSERT_EQ(GNI_CtPostCqWrite(zero.to[1], &head), GNI_RC_SUCCESS);
  zero.completes(head);
  EXPECT_EQ(GNI_CQ_GET_DATA(one.event(one.target)), 1u);
  EXPECT_EQ(GNI_CQ_GET_DATA(zero.event(zero.target)), 2u);
}

TEST(UgniOrder, InOrderPostsTakeEffectInOrder) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Machine machine{{.nodes = 2, .seed = seed, .inline_bytes = 64, .in_order = false}};
    Side zero{machine, 0}, one{machine, 1};
    const On on{machine, 0};
    std::fill(zero.local.begin(), zero.local.end(), seed);
    gni_post_descriptor_t payload = zero.post(GNI_POST_RDMA_PUT, one, 4096, GNI_CQMODE_SILENT);
    gni_post_descriptor_t flag = zero.post(GNI_POST_FMA_PUT, one, 8);
    flag.remote_addr = one.window_address(8000);
    payload.dlvr_mode = flag.dlvr_mode = GNI_DLVMODE_IN_ORDER;
    ASSERT_EQ(GNI_PostRdma(zero.to[1], &payload), GNI_RC_SUCCESS);
    ASSERT_EQ(GNI_PostFma(zero.to[1], &flag), GNI_RC_SUCCESS);
    while (one.window[1000] == 0) ASSERT_TRUE(machine.fabric().step());
    EXPECT_EQ(std::count(one.window.begin(), one.window.begin() + 512, seed), 512);
    zero.completes(flag);
  }
}

TEST(UgniOrder, WithoutItPayloadsComeInAnyOrder) {
  unsigned overtaken = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Machine machine{{.nodes = 2, .seed = seed, .inline_bytes = 64, .in_order = false}};
    Side zero{machine, 0}, one{machine, 1};
    const On on{machine, 0};
    std::fill(zero.local.begin(), zero.local.end(), seed);
    gni_post_descriptor_t payload = zero.post(GNI_POST_RDMA_PUT, one, 4096, GNI_CQMODE_SILENT);
    gni_post_descriptor_t flag = zero.post(GNI_POST_FMA_PUT, one, 8);
    flag.remote_addr = one.window_address(8000);
    ASSERT_EQ(GNI_PostRdma(zero.to[1], &payload), GNI_RC_SUCCESS);
    ASSERT_EQ(GNI_PostFma(zero.to[1], &flag), GNI_RC_SUCCESS);
    while (one.window[1000] == 0) ASSERT_TRUE(machine.fabric().step());
    overtaken += one.window[0] == 0;
    machine.run();
  }
  EXPECT_GT(overtaken, 5u);
}

// The answer may come before the device says that the message has left.
TEST(UgniOrder, BothEventsComeLocalFirstAlsoWhereTheAnswerIsFirst) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Machine machine{{.nodes = 2, .seed = seed, .inline_bytes = 64, .in_order = false}};
    Side zero{machine, 0}, one{machine, 1};
    const On on{machine, 0};
    gni_post_descriptor_t put = zero.post(GNI_POST_RDMA_PUT, one, 4000, GNI_CQMODE_DUAL_EVENTS);
    ASSERT_EQ(GNI_PostRdma(zero.to[1], &put), GNI_RC_SUCCESS);
    machine.run();
    zero.completes(put, GNI_CQMODE_LOCAL_EVENT);
    zero.completes(put, GNI_CQMODE_GLOBAL_EVENT);
  }
}

// Then its events may be taken while the device still has it.
TEST(UgniOrder, APostThatTheDeviceHasIsNotOver) {
  unsigned lent_longer = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Machine machine{{.nodes = 2, .seed = seed, .inline_bytes = 64, .in_order = false}};
    Side zero{machine, 0}, one{machine, 1};
    const On on{machine, 0};
    gni_post_descriptor_t put = zero.post(GNI_POST_RDMA_PUT, one, 4000, GNI_CQMODE_GLOBAL_EVENT);
    ASSERT_EQ(GNI_PostRdma(zero.to[1], &put), GNI_RC_SUCCESS);
    gni_cq_entry_t entry;
    while (GNI_CqGetEvent(zero.source, &entry) != GNI_RC_SUCCESS) ASSERT_TRUE(machine.fabric().step());
    gni_post_descriptor_t* completed = nullptr;
    ASSERT_EQ(GNI_GetCompleted(zero.source, entry, &completed), GNI_RC_SUCCESS);
    lent_longer += GNI_EpIdle(zero.to[1]) != GNI_RC_SUCCESS;
    machine.run();
    EXPECT_EQ(GNI_EpIdle(zero.to[1]), GNI_RC_SUCCESS);
  }
  EXPECT_GT(lent_longer, 5u);
}

// Behind a fence nothing goes until the post with it and all before it are answered.
TEST(UgniOrder, AFenceBehindAnEarlierPostWaitsForBoth) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE(seed);
    Machine machine{{.nodes = 2, .seed = seed, .inline_bytes = 64, .in_order = false}};
    Side zero{machine, 0}, one{machine, 1};
    const On on{machine, 0};
    gni_post_descriptor_t earlier = zero.post(GNI_POST_RDMA_PUT, one, 4000), fence = earlier, later = earlier;
    fence.rdma_mode = GNI_RDMAMODE_FENCE;
    ASSERT_EQ(GNI_PostRdma(zero.to[1], &earlier), GNI_RC_SUCCESS);
    ASSERT_EQ(GNI_PostRdma(zero.to[1], &fence), GNI_RC_SUCCESS);
    const std::uint64_t before = machine.fabric().messages();
    ASSERT_EQ(GNI_PostRdma(zero.to[1], &later), GNI_RC_SUCCESS);
    // Two posts and their two answers; then the third.
    while (machine.fabric().messages() <= before + 2) ASSERT_TRUE(machine.fabric().step());
    gni_cq_entry_t entry;
    EXPECT_EQ(GNI_CqGetEvent(zero.source, &entry), GNI_RC_SUCCESS);
    EXPECT_EQ(GNI_CqGetEvent(zero.source, &entry), GNI_RC_SUCCESS);
    machine.run();
    EXPECT_EQ(GNI_CqGetEvent(zero.source, &entry), GNI_RC_SUCCESS);
  }
}

TEST_F(UgniPosts, AFenceHoldsLaterRdmaPosts) {
  const On on{machine, 0};
  zero.local[0] = 1;
  gni_post_descriptor_t first = zero.post(GNI_POST_RDMA_PUT, one, 8), second = first;
  first.rdma_mode = GNI_RDMAMODE_FENCE;
  second.remote_addr = one.window_address(8);
  ASSERT_EQ(GNI_PostRdma(zero.to[1], &first), GNI_RC_SUCCESS);
  const std::uint64_t before = machine.fabric().messages();
  ASSERT_EQ(GNI_PostRdma(zero.to[1], &second), GNI_RC_SUCCESS);
  EXPECT_EQ(machine.fabric().messages(), before);  // it has not left
  zero.completes(first);
  zero.completes(second);
  EXPECT_EQ(one.window[1], 1u);
}

}  // namespace
}  // namespace aqueduct::test
