// What every call answers to bad input: handles that are garbage, stale, foreign or of another kind, null
// pointers, values outside of their range.
#include <cstring>
#include <random>

#include "machine.hpp"
#include "papers/nic/ugni/wire_header.hpp"

namespace aqueduct::test {
namespace {

using UgniErrors = UgniTest;

constexpr std::uint32_t kNoIndex = ~0u;

/// Handles that must be refused wherever one of type `Pointer` is expected.
template <class Pointer>
std::vector<Pointer> bad_handles(const Side& own, const Side& other) {
  std::vector<Pointer> bad{nullptr, reinterpret_cast<Pointer>(0x1000),
                           reinterpret_cast<Pointer>(~std::uint64_t{0}), reinterpret_cast<Pointer>(&bad)};
  const void* const all[] = {own.domain,   own.nic,   own.source,   own.to[0],
                             other.domain, other.nic, other.source, other.to[0]};
  for (const void* handle : all) {
    const auto bits = reinterpret_cast<std::uint64_t>(handle);
    bad.push_back(reinterpret_cast<Pointer>(bits + 7));                         // an index that nobody has
    bad.push_back(reinterpret_cast<Pointer>(bits + (std::uint64_t{1} << 20)));  // another generation
    bad.push_back(reinterpret_cast<Pointer>(bits ^ (std::uint64_t{2} << 40)));  // another process
  }
  return bad;
}

TEST_F(UgniErrors, BadHandlesOfDomainsAreRefused) {
  const On on{machine, 0};
  std::uint32_t address;
  gni_nic_handle_t nic;
  auto bad = bad_handles<gni_cdm_handle_t>(zero, one);
  bad.push_back(one.domain);
  bad.push_back(reinterpret_cast<gni_cdm_handle_t>(zero.nic));
  for (const gni_cdm_handle_t handle : bad) {
    EXPECT_EQ(GNI_CdmAttach(handle, 0, &address, &nic), GNI_RC_INVALID_PARAM) << handle;
    EXPECT_EQ(GNI_CdmDestroy(handle), GNI_RC_INVALID_PARAM);
  }
}

TEST_F(UgniErrors, BadHandlesOfNicsAreRefused) {
  const On on{machine, 0};
  gni_cq_handle_t cq;
  gni_ep_handle_t ep;
  gni_mem_handle_t memory = zero.local_memory;
  std::uint32_t address, id;
  std::uint64_t datagram;
  auto bad = bad_handles<gni_nic_handle_t>(zero, one);
  bad.push_back(one.nic);
  bad.push_back(reinterpret_cast<gni_nic_handle_t>(zero.domain));
  for (const gni_nic_handle_t handle : bad) {
    EXPECT_EQ(GNI_CqCreate(handle, 4, 0, GNI_CQ_NOBLOCK, nullptr, nullptr, &cq), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_EpCreate(handle, zero.source, &ep), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_MemRegister(handle, zero.local_address(), 8, nullptr, 0, kNoIndex, &memory),
              GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_MemDeregister(handle, &memory), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_PostDataProbe(handle, &address, &id), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_PostDataProbeById(handle, &datagram), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_SmsgSetDeliveryMode(handle, 0), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_SmsgSetMaxRetrans(handle, 5), GNI_RC_INVALID_PARAM);
    gni_msgq_attr_t attributes{};
    gni_msgq_handle_t msgq;
    EXPECT_EQ(GNI_MsgqInit(handle, nullptr, nullptr, zero.source, &attributes, &msgq), GNI_RC_INVALID_PARAM);
  }
}

TEST_F(UgniErrors, BadHandlesOfEndpointsAreRefused) {
  const On on{machine, 0};
  gni_post_descriptor_t put = zero.post(GNI_POST_FMA_PUT, one, 8);
  gni_post_descriptor_t rdma = zero.post(GNI_POST_RDMA_PUT, one, 8);
  gni_post_descriptor_t write = zero.post(GNI_POST_CQWRITE, one, 0);
  gni_post_state_t state;
  std::uint32_t address, id;
  std::uint8_t tag = 0;
  char data[8]{};
  void* header;
  gni_smsg_attr_t attributes{};
  auto bad = bad_handles<gni_ep_handle_t>(zero, one);
  bad.push_back(one.to[0]);
  bad.push_back(reinterpret_cast<gni_ep_handle_t>(zero.source));
  for (const gni_ep_handle_t handle : bad) {
    EXPECT_EQ(GNI_EpSetEventData(handle, 1, 2), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_EpBind(handle, 1, 1), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_EpUnbind(handle), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_EpIdle(handle), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_EpDestroy(handle), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_PostFma(handle, &put), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_PostRdma(handle, &rdma), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_PostCqWrite(handle, &write), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_CtPostFma(handle, &put), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_CtPostCqWrite(handle, &write), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_EpPostData(handle, data, 8, data, 8), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_EpPostDataTest(handle, &state, &address, &id), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_EpPostDataWait(handle, 1, &state, &address, &id), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_EpPostDataCancel(handle), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_SmsgInit(handle, &attributes, &attributes), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_SmsgSend(handle, data, 8, nullptr, 0, 0), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_SmsgGetNext(handle, &header), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_SmsgGetNextWTag(handle, &header, &tag), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_SmsgRelease(handle), GNI_RC_INVALID_PARAM);
  }
}

TEST_F(UgniErrors, BadHandlesOfQueuesAreRefused) {
  const On on{machine, 0};
  gni_cq_entry_t entry;
  gni_ep_handle_t ep;
  gni_mem_handle_t memory;
  std::uint32_t which;
  gni_post_descriptor_t* descriptor;
  auto bad = bad_handles<gni_cq_handle_t>(zero, one);
  bad.push_back(one.source);
  bad.push_back(reinterpret_cast<gni_cq_handle_t>(zero.to[0]));
  for (gni_cq_handle_t handle : bad) {
    EXPECT_EQ(GNI_CqDestroy(handle), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_CqGetEvent(handle, &entry), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_CqWaitEvent(handle, 1, &entry), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_CqTestEvent(handle), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_CqVectorWaitEvent(&handle, 1, 1, &entry, &which), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_CqVectorMonitor(&handle, 1, 1, &which), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_GetCompleted(handle, 0, &descriptor), GNI_RC_INVALID_PARAM);
    if (handle == nullptr) continue;
    EXPECT_EQ(GNI_EpCreate(zero.nic, handle, &ep), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(GNI_MemRegister(zero.nic, zero.local_address(), 8, handle, 0, kNoIndex, &memory),
              GNI_RC_INVALID_PARAM);
  }
}

TEST_F(UgniErrors, StaleHandlesAreRefused) {
  const On on{machine, 0};
  ASSERT_EQ(GNI_EpDestroy(zero.to[1]), GNI_RC_SUCCESS);
  EXPECT_EQ(GNI_EpDestroy(zero.to[1]), GNI_RC_INVALID_PARAM);
  gni_ep_handle_t again;
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(GNI_EpCreate(zero.nic, zero.source, &again), GNI_RC_SUCCESS);
    EXPECT_NE(again, zero.to[1]);
    ASSERT_EQ(GNI_EpDestroy(again), GNI_RC_SUCCESS);
    EXPECT_EQ(GNI_EpIdle(zero.to[1]), GNI_RC_INVALID_PARAM);
  }
  ASSERT_EQ(GNI_CdmDestroy(zero.domain), GNI_RC_SUCCESS);
  gni_cq_entry_t entry;
  EXPECT_EQ(GNI_CqGetEvent(zero.source, &entry), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_MemDeregister(zero.nic, &zero.local_memory), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_CdmDestroy(zero.domain), GNI_RC_INVALID_PARAM);
}

TEST_F(UgniErrors, NullPointersForResultsAreRefused) {
  const On on{machine, 0};
  std::uint32_t number;
  gni_nic_handle_t nic;
  gni_post_state_t state;
  gni_cq_entry_t entry = 0;
  gni_cq_handle_t cq = zero.source;
  gni_smsg_attr_t attributes{};
  EXPECT_EQ(GNI_GetDeviceType(nullptr), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_GetNumLocalDevices(nullptr), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_GetLocalDeviceIds(1, nullptr), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_CdmCreate(0, 255, 0, 0, nullptr), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_CdmAttach(zero.domain, 0, nullptr, &nic), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_CdmAttach(zero.domain, 0, &number, nullptr), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_CdmGetNicAddress(0, nullptr, &number), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_EpCreate(zero.nic, zero.source, nullptr), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_EpPostDataTest(zero.to[1], nullptr, &number, &number), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_EpPostDataWait(zero.to[1], 1, &state, nullptr, &number), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_EpPostData(zero.to[1], nullptr, 8, nullptr, 0), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_PostDataProbe(zero.nic, nullptr, &number), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_PostDataProbeById(zero.nic, nullptr), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_MemRegister(zero.nic, zero.local_address(), 8, nullptr, 0, kNoIndex, nullptr),
            GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_MemDeregister(zero.nic, nullptr), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_CqCreate(zero.nic, 4, 0, 0, nullptr, nullptr, nullptr), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_CqGetEvent(zero.source, nullptr), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_CqVectorMonitor(nullptr, 1, 1, &number), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_CqVectorMonitor(&cq, 0, 1, &number), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_CqErrorStr(entry, nullptr, 10), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_CqErrorRecoverable(entry, nullptr), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_GetCompleted(zero.source, entry, nullptr), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_PostFma(zero.to[1], nullptr), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_PostRdma(zero.to[1], nullptr), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_PostCqWrite(zero.to[1], nullptr), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_CtPostFma(zero.to[1], nullptr), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_CtPostCqWrite(zero.to[1], nullptr), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_SmsgBufferSizeNeeded(nullptr, &number), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_SmsgBufferSizeNeeded(&attributes, nullptr), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_SmsgInit(zero.to[1], nullptr, &attributes), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_MsgqSize(nullptr, &number), GNI_RC_INVALID_PARAM);
}

TEST_F(UgniErrors, DomainsAreHeldToTheirRules) {
  const On on{machine, 0};
  gni_cdm_handle_t domain;
  gni_nic_handle_t nic;
  std::uint32_t address;
  EXPECT_EQ(GNI_CdmCreate(0, 0, 0, 0, &domain), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_CdmCreate(0, 255, 0, 0x80000000u, &domain), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_CdmCreate(0, 255, 0, GNI_CDM_MODE_FMA_DEDICATED | GNI_CDM_MODE_FMA_SHARED, &domain),
            GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_CdmCreate(0, 255, 0, GNI_CDM_MODE_MDD_DEDICATED | GNI_CDM_MODE_MDD_SHARED, &domain),
            GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_CdmAttach(zero.domain, 0, &address, &nic), GNI_RC_INVALID_STATE);
  ASSERT_EQ(GNI_CdmCreate(0, 255, 0, 0, &domain), GNI_RC_SUCCESS);
  EXPECT_EQ(GNI_CdmAttach(domain, 1, &address, &nic), GNI_RC_NO_MATCH);
  EXPECT_EQ(GNI_CdmAttach(domain, ~0u, &address, &nic), GNI_RC_SUCCESS);
  EXPECT_EQ(GNI_CdmGetNicAddress(1, &address, &address), GNI_RC_NO_MATCH);
  EXPECT_EQ(GNI_CdmDestroy(domain), GNI_RC_SUCCESS);
}

TEST(UgniLimits, DomainsMayShareFmaDescriptorsWhenNoneIsLeft) {
  Machine machine{{.nodes = 1}, {.fma_descriptors = 1, .dedicated_mdds = 2, .shared_mdds = 3}};
  const On on{machine, 0};
  gni_cdm_handle_t first, second, third;
  gni_nic_handle_t nic;
  std::uint32_t address;
  ASSERT_EQ(GNI_CdmCreate(0, 255, 0, 0, &first), GNI_RC_SUCCESS);
  ASSERT_EQ(GNI_CdmCreate(1, 255, 0, GNI_CDM_MODE_FMA_DEDICATED, &second), GNI_RC_SUCCESS);
  ASSERT_EQ(GNI_CdmCreate(2, 255, 0, GNI_CDM_MODE_FMA_SHARED, &third), GNI_RC_SUCCESS);
  EXPECT_EQ(GNI_CdmAttach(first, 0, &address, &nic), GNI_RC_SUCCESS);
  EXPECT_EQ(GNI_CdmAttach(second, 0, &address, &nic), GNI_RC_ERROR_RESOURCE);
  EXPECT_EQ(GNI_CdmAttach(third, 0, &address, &nic), GNI_RC_SUCCESS);
  EXPECT_EQ(GNI_CdmDestroy(first), GNI_RC_SUCCESS);
  EXPECT_EQ(GNI_CdmAttach(second, 0, &address, &nic), GNI_RC_SUCCESS);
}

TEST(UgniLimits, RegistrationsAreCountedByTheirKind) {
  Machine machine{{.nodes = 1}, {.fma_descriptors = 1, .dedicated_mdds = 2, .shared_mdds = 3}};
  Side side{machine, 0};  // has two that are shared
  const On on{machine, 0};
  gni_mem_handle_t memory, more;
  const auto add = [&](std::uint32_t flags, gni_mem_handle_t* made) {
    return GNI_MemRegister(side.nic, side.local_address(), 8, nullptr, flags, kNoIndex, made);
  };
  EXPECT_EQ(add(GNI_MEM_READWRITE, &memory), GNI_RC_SUCCESS);
  EXPECT_EQ(add(GNI_MEM_READWRITE, &more), GNI_RC_ERROR_RESOURCE);
  EXPECT_EQ(add(GNI_MEM_MDD_DEDICATED, &more), GNI_RC_SUCCESS);
  EXPECT_EQ(add(GNI_MEM_MDD_DEDICATED, &more), GNI_RC_SUCCESS);
  EXPECT_EQ(add(GNI_MEM_MDD_DEDICATED, &more), GNI_RC_ERROR_RESOURCE);
  EXPECT_EQ(GNI_MemDeregister(side.nic, &memory), GNI_RC_SUCCESS);
  machine.device(0).refuses_registrations = true;
  EXPECT_EQ(add(GNI_MEM_READWRITE, &memory), GNI_RC_ERROR_RESOURCE);
  machine.device(0).refuses_registrations = false;
  EXPECT_EQ(add(GNI_MEM_READWRITE, &memory), GNI_RC_SUCCESS);
}

TEST_F(UgniErrors, PostsAreHeldToTheirRules) {
  const On on{machine, 0};
  const auto fma = [&](gni_post_type_t type, std::size_t bytes, const auto& change) {
    gni_post_descriptor_t post = zero.post(type, one, bytes);
    change(post);
    return GNI_PostFma(zero.to[1], &post);
  };
  const auto rdma = [&](gni_post_type_t type, std::size_t bytes, const auto& change) {
    gni_post_descriptor_t post = zero.post(type, one, bytes);
    change(post);
    return GNI_PostRdma(zero.to[1], &post);
  };
  const auto as_is = [](gni_post_descriptor_t&) {};
  // Types that belong to another call, or to none.
  EXPECT_EQ(fma(GNI_POST_RDMA_PUT, 8, as_is), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(rdma(GNI_POST_FMA_PUT, 8, as_is), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(fma(static_cast<gni_post_type_t>(77), 8, as_is), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(fma(GNI_POST_CE, 8, as_is), GNI_RC_ILLEGAL_OP);
  EXPECT_EQ(fma(GNI_POST_FMA_GET_W_FLAG, 8, as_is), GNI_RC_ILLEGAL_OP);
  EXPECT_EQ(fma(GNI_POST_AMO_W_FLAG, 8, as_is), GNI_RC_ILLEGAL_OP);
  // No bytes.
  EXPECT_EQ(fma(GNI_POST_FMA_GET, 0, as_is), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(rdma(GNI_POST_RDMA_PUT, 0, as_is), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(rdma(GNI_POST_RDMA_GET, 0, as_is), GNI_RC_INVALID_PARAM);
  // Alignment.
  const auto odd = [](gni_post_descriptor_t& post) { post.remote_addr += 2; };
  EXPECT_EQ(fma(GNI_POST_FMA_GET, 8, odd), GNI_RC_ALIGNMENT_ERROR);
  EXPECT_EQ(fma(GNI_POST_FMA_GET, 6, as_is), GNI_RC_ALIGNMENT_ERROR);
  EXPECT_EQ(rdma(GNI_POST_RDMA_GET, 8, odd), GNI_RC_ALIGNMENT_ERROR);
  EXPECT_EQ(rdma(GNI_POST_RDMA_GET, 9, as_is), GNI_RC_ALIGNMENT_ERROR);
  EXPECT_EQ(
      fma(GNI_POST_FMA_PUT_W_SYNCFLAG, 8, [&](auto& post) { post.sync_flag_addr = one.window_address(4); }),
      GNI_RC_ALIGNMENT_ERROR);
  EXPECT_EQ(fma(GNI_POST_FMA_PUT_W_SYNCFLAG, (1 << 20) + 1, as_is), GNI_RC_SIZE_ERROR);
  // Modes.
  EXPECT_EQ(fma(GNI_POST_FMA_PUT, 8, [](auto& post) { post.cq_mode = 0x80; }), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(fma(GNI_POST_FMA_PUT, 8, [](auto& post) { post.dlvr_mode = 0x8000; }), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(fma(GNI_POST_FMA_GET, 8, [](auto& post) { post.cq_mode |= GNI_CQMODE_REMOTE_EVENT; }),
            GNI_RC_INVALID_PARAM);
  EXPECT_EQ(rdma(GNI_POST_RDMA_PUT, 8, [](auto& post) { post.rdma_mode = GNI_RDMAMODE_PHYS_ADDR; }),
            GNI_RC_PERMISSION_ERROR);
  EXPECT_EQ(rdma(GNI_POST_RDMA_PUT, 8, [&](auto& post) { post.src_cq_hndl = zero.target; }),
            GNI_RC_INVALID_PARAM);
  // Local memory.
  const auto unregistered = [](gni_post_descriptor_t& post) { post.local_mem_hndl = {}; };
  const auto foreign = [&](gni_post_descriptor_t& post) { post.local_mem_hndl = one.local_memory; };
  const auto outside = [](gni_post_descriptor_t& post) { post.local_addr += 8192; };
  for (const gni_post_type_t type : {GNI_POST_RDMA_PUT, GNI_POST_RDMA_GET}) {
    EXPECT_EQ(rdma(type, 8, unregistered), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(rdma(type, 8, foreign), GNI_RC_INVALID_PARAM);
    EXPECT_EQ(rdma(type, 8, outside), GNI_RC_INVALID_PARAM);
  }
  EXPECT_EQ(fma(GNI_POST_FMA_GET, 8, unregistered), GNI_RC_INVALID_PARAM);
  gni_mem_handle_t read_only;
  ASSERT_EQ(
      GNI_MemRegister(zero.nic, zero.local_address(), 64, nullptr, GNI_MEM_READ_ONLY, kNoIndex, &read_only),
      GNI_RC_SUCCESS);
  EXPECT_EQ(rdma(GNI_POST_RDMA_GET, 8, [&](auto& post) { post.local_mem_hndl = read_only; }),
            GNI_RC_PERMISSION_ERROR);
  // Nothing of that has left anything behind.
  EXPECT_EQ(GNI_EpIdle(zero.to[1]), GNI_RC_SUCCESS);
}

TEST_F(UgniErrors, UnboundEndpointsCannotPost) {
  const On on{machine, 0};
  gni_ep_handle_t ep;
  ASSERT_EQ(GNI_EpCreate(zero.nic, zero.source, &ep), GNI_RC_SUCCESS);
  gni_post_descriptor_t put = zero.post(GNI_POST_FMA_PUT, one, 8),
                        rdma = zero.post(GNI_POST_RDMA_PUT, one, 8);
  EXPECT_EQ(GNI_PostFma(ep, &put), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_PostRdma(ep, &rdma), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_EpUnbind(ep), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_EpBind(ep, 2, 0), GNI_RC_INVALID_PARAM);  // outside of the job
  EXPECT_EQ(GNI_EpBind(ep, 1, 0), GNI_RC_SUCCESS);
  EXPECT_EQ(GNI_EpBind(ep, 1, 0), GNI_RC_INVALID_PARAM);
}

TEST(UgniModes, BothEventsNeedDualEvents) {
  Machine machine{{.nodes = 2}};
  Side zero{machine, 0, GNI_CDM_MODE_ERR_NO_KILL}, one{machine, 1};
  const On on{machine, 0};
  gni_post_descriptor_t put = zero.post(GNI_POST_FMA_PUT, one, 8, GNI_CQMODE_DUAL_EVENTS);
  EXPECT_EQ(GNI_PostFma(zero.to[1], &put), GNI_RC_INVALID_PARAM);
}

TEST_F(UgniErrors, EndpointsWithoutQueueMakeSilentPostsOnly) {
  const On on{machine, 0};
  gni_ep_handle_t ep;
  ASSERT_EQ(GNI_EpCreate(zero.nic, nullptr, &ep), GNI_RC_SUCCESS);
  ASSERT_EQ(GNI_EpBind(ep, 1, 0), GNI_RC_SUCCESS);
  gni_post_descriptor_t put = zero.post(GNI_POST_FMA_PUT, one, 8);
  EXPECT_EQ(GNI_PostFma(ep, &put), GNI_RC_INVALID_PARAM);
  put.cq_mode = GNI_CQMODE_SILENT;
  EXPECT_EQ(GNI_PostFma(ep, &put), GNI_RC_SUCCESS);
  EXPECT_EQ(GNI_EpDestroy(ep), GNI_RC_NOT_DONE);
  machine.run();
  EXPECT_EQ(GNI_EpDestroy(ep), GNI_RC_SUCCESS);
}

TEST_F(UgniErrors, DeadEndsOfRegistrations) {
  const On on{machine, 0};
  gni_mem_handle_t memory;
  const auto add = [&](std::uint64_t address, std::uint64_t length, std::uint32_t flags,
                       std::uint32_t index) {
    return GNI_MemRegister(zero.nic, address, length, nullptr, flags, index, &memory);
  };
  EXPECT_EQ(add(zero.local_address(), 0, 0, kNoIndex), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(add(zero.local_address(), ~std::uint64_t{0}, 0, kNoIndex), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(add(0x10, 64, 0, kNoIndex), GNI_RC_INVALID_PARAM);  // nothing is mapped there
  EXPECT_EQ(add(zero.local_address(), 64, GNI_MEM_USE_VMDH, kNoIndex), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(add(zero.local_address(), 64, 0, 3), GNI_RC_INVALID_PARAM);
  // A queue of posts takes no remote events, nor the other way round.
  EXPECT_EQ(GNI_MemRegister(zero.nic, zero.local_address(), 64, zero.source, 0, kNoIndex, &memory),
            GNI_RC_INVALID_PARAM);
  gni_ep_handle_t ep;
  EXPECT_EQ(GNI_EpCreate(zero.nic, zero.target, &ep), GNI_RC_INVALID_PARAM);
  // Deregistered once, it is gone; with another's value nothing is.
  EXPECT_EQ(GNI_MemDeregister(zero.nic, &one.local_memory), GNI_RC_INVALID_PARAM);
  gni_mem_handle_t forged = zero.local_memory;
  forged.qword1 += 8;
  EXPECT_EQ(GNI_MemDeregister(zero.nic, &forged), GNI_RC_INVALID_PARAM);
  EXPECT_EQ(GNI_MemDeregister(zero.nic, &zero.local_memory), GNI_RC_SUCCESS);
  EXPECT_EQ(GNI_MemDeregister(zero.nic, &zero.local_memory), GNI_RC_INVALID_PARAM);
}

/// What the target finds wrong with a put, as its event says it.
class UgniRefusals : public UgniTest {
 protected:
  std::string refusal(gni_post_descriptor_t put) {
    const On on{machine, 0};
    EXPECT_EQ(GNI_PostFma(zero.to[1], &put), GNI_RC_SUCCESS);
    const gni_cq_entry_t entry = zero.completes(put, GNI_CQMODE_GLOBAL_EVENT, GNI_RC_TRANSACTION_ERROR);
    char text[80];
    EXPECT_EQ(GNI_CqErrorStr(entry, text, sizeof text), GNI_RC_SUCCESS);
    EXPECT_EQ(GNI_CqErrorStr(entry, text, 3), GNI_RC_SIZE_ERROR);
    std::uint32_t recoverable = 7;
    EXPECT_EQ(GNI_CqErrorRecoverable(entry, &recoverable), GNI_RC_SUCCESS);
    EXPECT_EQ(recoverable, 0u);
    EXPECT_EQ(GNI_CqErrorStr(entry, text, sizeof text), GNI_RC_SUCCESS);
    EXPECT_EQ(std::count(one.window.begin(), one.window.end(), 0u), 1024) << "something was written";
    return text;
  }
  gni_post_descriptor_t put() {
    std::fill(zero.local.begin(), zero.local.end(), 9);
    return zero.post(GNI_POST_FMA_PUT, one, 64);
  }
};

TEST_F(UgniRefusals, GarbageForeignAndStaleMemoryIsRefusedByTheTarget) {
  const std::string kNone = "the target has registered no such memory";
  gni_post_descriptor_t post = put();
  post.remote_mem_hndl = {0x1234, 0x5678};
  EXPECT_EQ(refusal(post), kNone);
  post.remote_mem_hndl = zero.window_memory;  // of another process
  EXPECT_EQ(refusal(post), kNone);
  post = put();
  post.remote_addr = one.window_address(8192 - 32);  // beyond its end
  EXPECT_EQ(refusal(post), kNone);
  post.remote_addr = one.window_address() - 8;  // before its beginning
  EXPECT_EQ(refusal(post), kNone);
  post.remote_addr = ~std::uint64_t{7};  // so large that sums go round
  EXPECT_EQ(refusal(post), kNone);
  post = put();
  post.type = GNI_POST_FMA_PUT_W_SYNCFLAG;
  post.sync_flag_addr = one.window_address(8192);
  EXPECT_EQ(refusal(post), kNone);
  {
    const On on{machine, 1};
    ASSERT_EQ(GNI_MemDeregister(one.nic, &one.window_memory), GNI_RC_SUCCESS);
  }
  EXPECT_EQ(refusal(put()), kNone);
}

TEST_F(UgniRefusals, ReadOnlyMemoryIsNotWritten) {
  gni_mem_handle_t memory;
  {
    const On on{machine, 1};
    ASSERT_EQ(
        GNI_MemRegister(one.nic, one.window_address(), 64, one.target, GNI_MEM_READ_ONLY, kNoIndex, &memory),
        GNI_RC_SUCCESS);
  }
  gni_post_descriptor_t post = put();
  post.remote_mem_hndl = memory;
  EXPECT_EQ(refusal(post), "the target's memory is read-only");
  post = zero.post(GNI_POST_AMO, one, 8);
  post.amo_cmd = GNI_FMA_ATOMIC_ADD;
  post.first_operand = 1;
  post.remote_mem_hndl = memory;
  EXPECT_EQ(refusal(post), "the target's memory is read-only");
  const On on{machine, 0};
  gni_post_descriptor_t get = zero.post(GNI_POST_FMA_GET, one, 8);
  get.remote_mem_hndl = memory;
  ASSERT_EQ(GNI_PostFma(zero.to[1], &get), GNI_RC_SUCCESS);
  zero.completes(get);  // others may read it
}

TEST_F(UgniRefusals, ARemoteEventNeedsAQueue) {
  gni_mem_handle_t memory;
  {
    const On on{machine, 1};
    ASSERT_EQ(GNI_MemRegister(one.nic, one.window_address(), 64, nullptr, 0, kNoIndex, &memory),
              GNI_RC_SUCCESS);
  }
  gni_post_descriptor_t post = put();
  post.remote_mem_hndl = memory;
  post.cq_mode |= GNI_CQMODE_REMOTE_EVENT;
  EXPECT_EQ(refusal(post), "the target's memory has no completion queue");
}

TEST_F(UgniRefusals, MemoryOfAnotherDomainIsProtected) {
  gni_cdm_handle_t domain;
  gni_nic_handle_t nic;
  gni_mem_handle_t memory;
  std::uint32_t address;
  {
    const On on{machine, 1};
    ASSERT_EQ(GNI_CdmCreate(1, 255, kCookie + 1, 0, &domain), GNI_RC_SUCCESS);
    ASSERT_EQ(GNI_CdmAttach(domain, 0, &address, &nic), GNI_RC_SUCCESS);
    ASSERT_EQ(GNI_MemRegister(nic, one.window_address(), 64, nullptr, 0, kNoIndex, &memory), GNI_RC_SUCCESS);
  }
  gni_post_descriptor_t post = put();
  post.remote_mem_hndl = memory;
  EXPECT_EQ(refusal(post), "the target's memory is of another communication domain");
}

TEST_F(UgniErrors, ForgedHeadersAreDropped) {
  std::vector<std::byte> noise(80);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = static_cast<std::byte>(seed * 131 + i * 17);
    noise.resize(seed % 2 == 0 ? 80 : 33);
    noise.resize(80);
    machine.fabric().forge(0, 1, std::span(noise).first(seed % 3 == 0 ? 33 : 80), seed % 5 * 40);
  }
  machine.run();
  EXPECT_EQ(machine.fabric().unanswered(), 0u);
  EXPECT_EQ(std::count(one.window.begin(), one.window.end(), 0u), 1024);
}

// Headers whose check is right and that are wrong in all else, with handles that are right now and then.
TEST(UgniForgery, SealedNonsenseWritesNothingOutsideOfRegisteredMemory) {
  Machine machine{{.nodes = 2, .inline_bytes = 32, .in_order = false}};
  Side zero{machine, 0}, one{machine, 1};
  std::mt19937_64 random(7);
  constexpr std::size_t kRegistered = 64;  // words in the middle of `local`
  gni_mem_handle_t middle;
  {
    const On on{machine, 1};
    ASSERT_EQ(
        GNI_MemRegister(one.nic, one.local_address(2048), kRegistered * 8, one.target, 0, kNoIndex, &middle),
        GNI_RC_SUCCESS);
    ASSERT_EQ(GNI_MemDeregister(one.nic, &one.local_memory), GNI_RC_SUCCESS);
  }
  std::fill(one.local.begin(), one.local.end(), 0x5a5a5a5a5a5a5a5a);
  for (unsigned i = 0; i < 20'000; ++i) {
    ugni::WireHeader header;
    header.kind =
        static_cast<ugni::MessageKind>(1 + random() % static_cast<unsigned>(ugni::kLastMessageKind));
    header.flags = static_cast<std::uint8_t>(random());
    header.status = static_cast<std::uint8_t>(random() % 8);
    header.command = static_cast<std::uint16_t>(random() % 2 != 0 ? random() : 0x155);
    header.request = random() % 64;
    header.memory = random() % 4 != 0 ? middle : gni_mem_handle_t{random(), random()};
    header.address = one.local_address(2048) + random() % 1024 - 256;
    header.bytes = random() % 3 != 0 ? random() % 400 : random();
    header.first = one.local_address(2048) + (random() % 1024 - 256) / 8 * 8;
    header.second = random();
    header.cookie = random() % 4 != 0 ? kCookie : 0;
    header.ptag = GNI_FIND_ALLOC_PTAG;
    header.seal();
    const std::uint64_t payload = header.payload_bytes();
    machine.fabric().forge(0, 1, header.as_bytes(), payload < 4096 ? payload : 0);
    if (i % 16 == 0) machine.run();
  }
  machine.run();
  for (std::size_t i = 0; i < one.local.size(); ++i) {
    if (i >= 256 && i < 256 + kRegistered) continue;
    ASSERT_EQ(one.local[i], 0x5a5a5a5a5a5a5a5a) << "word " << i;
  }
  EXPECT_NE(one.local[256 + 8], 0x5a5a5a5a5a5a5a5a) << "nothing was ever believed";
  EXPECT_EQ(machine.fabric().unanswered(), 0u);
}

TEST(UgniDeathTest, AFailureThatNoEventTellsEndsTheJobWithOneLine) {
  Machine machine{{.nodes = 2}};
  Side zero{machine, 0, GNI_CDM_MODE_DUAL_EVENTS}, one{machine, 1};
  const On on{machine, 0};
  gni_post_descriptor_t put = zero.post(GNI_POST_FMA_PUT, one, 8, GNI_CQMODE_SILENT);
  put.remote_mem_hndl = {};
  ASSERT_EQ(GNI_PostFma(zero.to[1], &put), GNI_RC_SUCCESS);
  EXPECT_EXIT(machine.run(), ::testing::ExitedWithCode(1),
              "a put to rank 1 failed: the target has registered no such memory");
}

TEST(UgniDeathTest, InTheModeErrAllKillEveryFailureDoes) {
  Machine machine{{.nodes = 2}};
  Side zero{machine, 0, GNI_CDM_MODE_ERR_ALL_KILL}, one{machine, 1};
  const On on{machine, 0};
  gni_post_descriptor_t get = zero.post(GNI_POST_FMA_GET, one, 8);
  get.remote_mem_hndl = {};
  ASSERT_EQ(GNI_PostFma(zero.to[1], &get), GNI_RC_SUCCESS);
  EXPECT_EXIT(machine.run(), ::testing::ExitedWithCode(1), "a get to rank 1 failed");
}

TEST_F(UgniErrors, APeerThatIsLostFailsWhatWaitsForIt) {
  const On on{machine, 0};
  gni_post_descriptor_t put = zero.post(GNI_POST_RDMA_PUT, one, 4096, GNI_CQMODE_DUAL_EVENTS);
  gni_post_descriptor_t get = zero.post(GNI_POST_FMA_GET, one, 8);
  ASSERT_EQ(GNI_PostRdma(zero.to[1], &put), GNI_RC_SUCCESS);
  ASSERT_EQ(GNI_PostFma(zero.to[1], &get), GNI_RC_SUCCESS);
  machine.fabric().crash(1);
  machine.run();
  for (int events = 0; events < 3; ++events) {
    gni_cq_entry_t entry;
    gni_post_descriptor_t* found = nullptr;
    const gni_return_t code = GNI_CqGetEvent(zero.source, &entry);
    ASSERT_TRUE(code == GNI_RC_SUCCESS || code == GNI_RC_TRANSACTION_ERROR) << gni_err_str[code];
    EXPECT_EQ(GNI_GetCompleted(zero.source, entry, &found), code);
    EXPECT_TRUE(found == &put || found == &get);
    if (found == &get) {
      EXPECT_EQ(GNI_CQ_GET_STATUS(entry), AQ_GNI_STATUS_PEER_LOST);
    }
  }
}

TEST(WireHeader, IsRefusedIfOneBitOfItHasChanged) {
  ugni::WireHeader header;
  header.seal();
  EXPECT_TRUE(ugni::WireHeader::read({.header = header.as_bytes()}));
  auto* const bytes = reinterpret_cast<unsigned char*>(&header);
  for (std::size_t bit = 0; bit < 8 * sizeof header; ++bit) {
    bytes[bit / 8] ^= static_cast<unsigned char>(1u << bit % 8);
    EXPECT_FALSE(ugni::WireHeader::read({.header = header.as_bytes()})) << bit;
    bytes[bit / 8] ^= static_cast<unsigned char>(1u << bit % 8);
  }
}

}  // namespace
}  // namespace aqueduct::test
