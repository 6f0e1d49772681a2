// Completion queues: limits, overrun and recovery, waiting, entries.
#include "machine.hpp"

namespace aqueduct::test {
namespace {

using UgniQueues = UgniTest;

TEST_F(UgniQueues, TransferRequestsAreLimitedByTheSourceQueue) {
  const On on{machine, 0};
  // With DUAL_EVENTS one for two entries.
  std::vector<gni_post_descriptor_t> puts(Side::kEntries, zero.post(GNI_POST_FMA_PUT, one, 8));
  for (std::uint32_t i = 0; i < Side::kEntries / 2; ++i)
    ASSERT_EQ(GNI_PostFma(zero.to[1], &puts[i]), GNI_RC_SUCCESS);
  EXPECT_EQ(GNI_PostFma(zero.to[1], &puts.back()), GNI_RC_ERROR_RESOURCE);
  machine.run();
  gni_cq_entry_t entry;
  ASSERT_EQ(GNI_CqGetEvent(zero.source, &entry), GNI_RC_SUCCESS);
  // The event alone gives nothing back.
  EXPECT_EQ(GNI_PostFma(zero.to[1], &puts.back()), GNI_RC_ERROR_RESOURCE);
  gni_post_descriptor_t* found = nullptr;
  ASSERT_EQ(GNI_GetCompleted(zero.source, entry, &found), GNI_RC_SUCCESS);
  EXPECT_EQ(GNI_GetCompleted(zero.source, entry, &found), GNI_RC_DESCRIPTOR_ERROR);
  EXPECT_EQ(GNI_PostFma(zero.to[1], &puts.back()), GNI_RC_SUCCESS);
}

TEST(UgniQueueLimits, WithoutDualEventsThereIsARequestForEachEntry) {
  Machine machine{{.nodes = 2}};
  Side zero{machine, 0, GNI_CDM_MODE_ERR_NO_KILL, 8}, one{machine, 1};
  const On on{machine, 0};
  std::vector<gni_post_descriptor_t> puts(9, zero.post(GNI_POST_FMA_PUT, one, 8));
  for (int i = 0; i < 8; ++i) ASSERT_EQ(GNI_PostFma(zero.to[1], &puts[i]), GNI_RC_SUCCESS);
  EXPECT_EQ(GNI_PostFma(zero.to[1], &puts[8]), GNI_RC_ERROR_RESOURCE);
  for (int i = 0; i < 8; ++i) zero.completes(puts[i]);
}

TEST(UgniQueueLimits, SilentPostsHoldARequestUntilTheyAreDone) {
  Machine machine{{.nodes = 2}};
  Side zero{machine, 0, GNI_CDM_MODE_ERR_NO_KILL, 2}, one{machine, 1};
  const On on{machine, 0};
  std::vector<gni_post_descriptor_t> puts(3, zero.post(GNI_POST_FMA_PUT, one, 8, GNI_CQMODE_SILENT));
  ASSERT_EQ(GNI_PostFma(zero.to[1], &puts[0]), GNI_RC_SUCCESS);
  ASSERT_EQ(GNI_PostFma(zero.to[1], &puts[1]), GNI_RC_SUCCESS);
  EXPECT_EQ(GNI_PostFma(zero.to[1], &puts[2]), GNI_RC_ERROR_RESOURCE);
  machine.run();
  EXPECT_EQ(GNI_PostFma(zero.to[1], &puts[2]), GNI_RC_SUCCESS);
}

TEST(UgniOverrun, IsToldOnceAndLosesOnlyWhatCameAfter) {
  Machine machine{{.nodes = 2}};
  Side zero{machine, 0, Side::kModes, 64}, one{machine, 1, Side::kModes, 4};
  std::vector<gni_post_descriptor_t> puts(
      6, zero.post(GNI_POST_FMA_PUT, one, 8, GNI_CQMODE_GLOBAL_EVENT | GNI_CQMODE_REMOTE_EVENT));
  {
    const On on{machine, 0};
    for (std::uint32_t i = 0; i < 6; ++i) {
      ASSERT_EQ(GNI_EpSetEventData(zero.to[1], 0, i), GNI_RC_SUCCESS);
      ASSERT_EQ(GNI_PostFma(zero.to[1], &puts[i]), GNI_RC_SUCCESS);
    }
    machine.run();
    // The senders of the last two know.
    for (std::uint32_t i = 0; i < 6; ++i)
      EXPECT_EQ(GNI_CQ_REM_OVERRUN(zero.completes(puts[i])), i < 4 ? 0u : 1u);
  }
  const On on{machine, 1};
  gni_cq_entry_t entry;
  ASSERT_EQ(GNI_CqGetEvent(one.target, &entry), GNI_RC_ERROR_RESOURCE);
  EXPECT_EQ(GNI_CQ_OVERRUN(entry), 1u);
  char text[80];
  EXPECT_EQ(GNI_CqErrorStr(entry, text, sizeof text), GNI_RC_SUCCESS);
  EXPECT_STREQ(text, "the completion queue was overrun");
  for (std::uint32_t i = 0; i < 4; ++i) {
    ASSERT_EQ(GNI_CqGetEvent(one.target, &entry), GNI_RC_SUCCESS);
    EXPECT_EQ(GNI_CQ_GET_REM_INST_ID(entry), i);
  }
  EXPECT_EQ(GNI_CqGetEvent(one.target, &entry), GNI_RC_NOT_DONE);
  // It is usable again.
  {
    const On sender{machine, 0};
    ASSERT_EQ(GNI_PostFma(zero.to[1], &puts[0]), GNI_RC_SUCCESS);
    zero.completes(puts[0]);
  }
  EXPECT_EQ(GNI_CqGetEvent(one.target, &entry), GNI_RC_SUCCESS);
}

TEST_F(UgniQueues, AnUnmanagedQueueSwallowsEvents) {
  gni_cq_handle_t sink;
  gni_mem_handle_t memory;
  {
    const On on{machine, 1};
    ASSERT_EQ(GNI_CqCreate(one.nic, 1, 0, GNI_CQ_UNMANAGED, nullptr, nullptr, &sink), GNI_RC_SUCCESS);
    ASSERT_EQ(GNI_MemRegister(one.nic, one.window_address(), 64, sink, 0, ~0u, &memory), GNI_RC_SUCCESS);
  }
  const On on{machine, 0};
  for (int i = 0; i < 5; ++i) {
    gni_post_descriptor_t put =
        zero.post(GNI_POST_FMA_PUT, one, 8, GNI_CQMODE_GLOBAL_EVENT | GNI_CQMODE_REMOTE_EVENT);
    put.remote_mem_hndl = memory;
    ASSERT_EQ(GNI_PostFma(zero.to[1], &put), GNI_RC_SUCCESS);
    EXPECT_EQ(GNI_CQ_REM_OVERRUN(zero.completes(put)), 0u);
  }
}

TEST_F(UgniQueues, WaitingEndsWithAnEventOrWithTheTime) {
  const On on{machine, 0};
  gni_cq_entry_t entry;
  std::uint32_t which = 7;
  EXPECT_EQ(GNI_CqWaitEvent(zero.source, 5, &entry), GNI_RC_TIMEOUT);
  EXPECT_EQ(GNI_CqWaitEvent(zero.source, 0, &entry), GNI_RC_TIMEOUT);
  gni_cq_handle_t polled;
  ASSERT_EQ(GNI_CqCreate(zero.nic, 4, 0, GNI_CQ_NOBLOCK, nullptr, nullptr, &polled), GNI_RC_SUCCESS);
  EXPECT_EQ(GNI_CqWaitEvent(polled, 5, &entry), GNI_RC_INVALID_PARAM);
  gni_cq_handle_t both[] = {zero.target, zero.source};
  EXPECT_EQ(GNI_CqVectorMonitor(both, 2, 5, &which), GNI_RC_TIMEOUT);
  gni_post_descriptor_t put = zero.post(GNI_POST_FMA_PUT, one, 8);
  ASSERT_EQ(GNI_PostFma(zero.to[1], &put), GNI_RC_SUCCESS);
  EXPECT_EQ(GNI_CqVectorMonitor(both, 2, ~std::uint64_t{0}, &which), GNI_RC_SUCCESS);
  EXPECT_EQ(which, 1u);
  EXPECT_EQ(GNI_CqTestEvent(zero.source), GNI_RC_SUCCESS);  // it is still there
  EXPECT_EQ(GNI_CqVectorWaitEvent(both, 2, ~std::uint64_t{0}, &entry, &which), GNI_RC_SUCCESS);
  EXPECT_EQ(which, 1u);
  EXPECT_EQ(GNI_CqTestEvent(zero.source), GNI_RC_NOT_DONE);
}

TEST_F(UgniQueues, AreHeldToTheirRules) {
  const On on{machine, 0};
  gni_cq_handle_t cq;
  const auto handler = [](gni_cq_entry_t*, void*) {};
  EXPECT_EQ(GNI_CqCreate(zero.nic, 0, 0, 0, nullptr, nullptr, &cq), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_CqCreate(zero.nic, 4, 1, 0, nullptr, nullptr, &cq), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_CqCreate(zero.nic, 4, 0, 0x100, nullptr, nullptr, &cq), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_CqCreate(zero.nic, 4, 0, 0, handler, nullptr, &cq), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_CqDestroy(zero.source), GNI_RC_ERROR_RESOURCE);  // endpoints use it
  EXPECT_EQ(GNI_CqDestroy(zero.target), GNI_RC_ERROR_RESOURCE);  // a registration uses it
  ASSERT_EQ(GNI_MemDeregister(zero.nic, &zero.window_memory), GNI_RC_SUCCESS);
  EXPECT_EQ(GNI_CqDestroy(zero.target), GNI_RC_SUCCESS);
  gni_post_descriptor_t* found;
  EXPECT_EQ(GNI_GetCompleted(zero.source, 0, &found), GNI_RC_INVALID_PARAM);  // no entry
  EXPECT_EQ(GNI_GetCompleted(zero.source, std::uint64_t{1} << 63, &found), GNI_RC_DESCRIPTOR_ERROR);
}

TEST_F(UgniQueues, AProvokedFullQueueIsAnOverrun) {
  const On on{machine, 0};
  gni_post_descriptor_t put = zero.post(GNI_POST_FMA_PUT, one, 8);
  ASSERT_EQ(GNI_PostFma(zero.to[1], &put), GNI_RC_SUCCESS);
  machine.device(0).next_event_fault = ugni::EventFault::kQueueFull;
  machine.run();
  gni_cq_entry_t entry;
  EXPECT_EQ(GNI_CqGetEvent(zero.source, &entry), GNI_RC_ERROR_RESOURCE);
  EXPECT_EQ(GNI_EpIdle(zero.to[1]), GNI_RC_SUCCESS);  // nobody waits for the event that is lost
  ASSERT_EQ(GNI_PostFma(zero.to[1], &put), GNI_RC_SUCCESS);
  machine.device(0).next_event_fault = ugni::EventFault::kFailure;
  zero.completes(put, GNI_CQMODE_GLOBAL_EVENT, GNI_RC_TRANSACTION_ERROR);
}

TEST(UgniEntries, FieldsCanBeSetAndRead) {
  gni_cq_entry_t entry = 0;
  GNI_CQ_SET_INST_ID(entry, 0xff123456u);
  EXPECT_EQ(GNI_CQ_GET_INST_ID(entry), 0x123456u);  // 24 bits
  GNI_CQ_SET_TID(entry, 0xabcdef);
  EXPECT_EQ(GNI_CQ_GET_TID(entry), 0xabcdefu);
  EXPECT_EQ(GNI_CQ_GET_INST_ID(entry), 0x123456u);
  GNI_CQ_SET_TYPE(entry, GNI_CQ_EVENT_TYPE_MSGQ);
  EXPECT_EQ(GNI_CQ_GET_TYPE(entry), GNI_CQ_EVENT_TYPE_MSGQ);
  GNI_CQ_SET_REM_INST_ID(entry, 0x89abcdefu);
  EXPECT_EQ(GNI_CQ_GET_REM_INST_ID(entry), 0x89abcdefu);
  GNI_CQ_SET_MSG_ID(entry, 0x11111111u);
  EXPECT_EQ(GNI_CQ_GET_MSG_ID(entry), 0x11111111u);
  EXPECT_TRUE(GNI_CQ_STATUS_OK(entry));
  EXPECT_EQ(GNI_CQ_GET_SOURCE(entry), 0u);
}

}  // namespace
}  // namespace aqueduct::test
