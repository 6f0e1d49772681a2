// The C interface, but for messages (api_messages.cpp).
#include "papers/nic/ugni/api_call.hpp"

namespace aqueduct::ugni {
namespace {

/// Looks; if there is nothing, makes progress and looks again.
gni_return_t look(Process& process, gni_cq_handle_t cq, gni_cq_entry_t* entry) {
  const gni_return_t code = process.take_event(cq, entry);
  if (code != GNI_RC_NOT_DONE || process.device().progress() == 0) return code;
  return process.take_event(cq, entry);
}

/// The bytes that the processor stores into the window.
std::size_t stored_bytes(const gni_post_descriptor_t* descriptor) {
  if (descriptor == nullptr) return 0;
  const bool stores = descriptor->type == GNI_POST_FMA_PUT || descriptor->type == GNI_POST_FMA_PUT_W_SYNCFLAG;
  return stores ? descriptor->length : 0;
}

std::size_t pages_of(std::uint64_t length) {
  const Process* const process = Process::current();
  const std::size_t page = process != nullptr ? process->device().limits().page_bytes : 4096;
  return (length + page - 1) / page;
}

gni_return_t wait_datagram(gni_ep_handle_t ep, const std::uint64_t* id, std::uint32_t timeout_ms,
                           gni_post_state_t* state, std::uint32_t* address, std::uint32_t* remote_id) {
  const bool given = state != nullptr && address != nullptr && remote_id != nullptr && timeout_ms != 0;
  return call(Call::kDatagram, 0, given, [&](Process& process) {
    const std::uint64_t deadline = deadline_after(process, timeout_ms, kForeverMs);
    return wait_for(process, deadline, Call::kDatagram, GNI_RC_NOT_DONE, [&] {
      process.device().progress();
      const gni_return_t code = process.test_datagram(ep, id, state, address, remote_id);
      return code == GNI_RC_SUCCESS && *state == GNI_POST_PENDING ? GNI_RC_NOT_DONE : code;
    });
  });
}

gni_return_t test_datagram(gni_ep_handle_t ep, const std::uint64_t* id, gni_post_state_t* state,
                           std::uint32_t* address, std::uint32_t* remote_id) {
  const bool given = state != nullptr && address != nullptr && remote_id != nullptr;
  return call(Call::kDatagram, 0, given, [&](Process& process) {
    process.device().progress();
    return process.test_datagram(ep, id, state, address, remote_id);
  });
}

}  // namespace
}  // namespace aqueduct::ugni

namespace ugni = aqueduct::ugni;
using UgniCall = aqueduct::ugni::Call;
using UgniProcess = aqueduct::ugni::Process;

// Devices and domains.

gni_return_t GNI_GetDeviceType(gni_nic_device_t* type) {
  if (type == nullptr) return GNI_RC_INVALID_PARAM;
  *type = GNI_DEVICE_ARIES;
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_GetNumLocalDevices(int* devices) {
  if (devices == nullptr) return GNI_RC_INVALID_PARAM;
  *devices = 1;
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_GetLocalDeviceIds(int length, int* device_ids) {
  if (device_ids == nullptr || length < 1) return GNI_RC_INVALID_PARAM;
  device_ids[0] = 0;
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_CdmCreate(uint32_t inst_id, uint8_t ptag, uint32_t cookie, uint32_t modes,
                           gni_cdm_handle_t* cdm) {
  if (UgniProcess::current() == nullptr && UgniProcess::live() == nullptr) return GNI_RC_ERROR_RESOURCE;
  return ugni::call(UgniCall::kOther, 0, cdm != nullptr, [&](UgniProcess& process) {
    return process.create_domain(inst_id, ptag, cookie, modes, cdm);
  });
}

gni_return_t GNI_CdmAttach(gni_cdm_handle_t cdm, uint32_t device_id, uint32_t* local_addr,
                           gni_nic_handle_t* nic) {
  return ugni::call(UgniCall::kOther, 0, local_addr != nullptr && nic != nullptr,
                    [&](UgniProcess& process) { return process.attach(cdm, device_id, local_addr, nic); });
}

gni_return_t GNI_CdmDestroy(gni_cdm_handle_t cdm) {
  return ugni::call(UgniCall::kOther, 0, true,
                    [&](UgniProcess& process) { return process.destroy_domain(cdm); });
}

gni_return_t GNI_CdmGetNicAddress(uint32_t device_id, uint32_t* address, uint32_t* cpu_id) {
  if (UgniProcess::current() == nullptr && UgniProcess::live() == nullptr) return GNI_RC_ERROR_RESOURCE;
  return ugni::call(UgniCall::kOther, 0, address != nullptr && cpu_id != nullptr,
                    [&](UgniProcess& process) { return process.address(device_id, address, cpu_id); });
}

// Endpoints.

gni_return_t GNI_EpCreate(gni_nic_handle_t nic, gni_cq_handle_t src_cq, gni_ep_handle_t* ep) {
  return ugni::call(UgniCall::kOther, 0, ep != nullptr,
                    [&](UgniProcess& process) { return process.create_endpoint(nic, src_cq, ep); });
}

gni_return_t GNI_EpSetEventData(gni_ep_handle_t ep, uint32_t local_event, uint32_t remote_event) {
  return ugni::call(UgniCall::kOther, 0, true, [&](UgniProcess& process) {
    return process.set_event_data(ep, local_event, remote_event);
  });
}

gni_return_t GNI_EpBind(gni_ep_handle_t ep, uint32_t remote_addr, uint32_t remote_id) {
  return ugni::call(UgniCall::kOther, 0, true,
                    [&](UgniProcess& process) { return process.bind(ep, remote_addr, remote_id); });
}

gni_return_t GNI_EpUnbind(gni_ep_handle_t ep) {
  return ugni::call(UgniCall::kOther, 0, true, [&](UgniProcess& process) { return process.unbind(ep); });
}

gni_return_t GNI_EpIdle(gni_ep_handle_t ep) {
  return ugni::call(UgniCall::kOther, 0, true, [&](UgniProcess& process) { return process.is_idle(ep); });
}

gni_return_t GNI_EpDestroy(gni_ep_handle_t ep) {
  return ugni::call(UgniCall::kOther, 0, true,
                    [&](UgniProcess& process) { return process.destroy_endpoint(ep); });
}

// Datagrams.

gni_return_t GNI_EpPostData(gni_ep_handle_t ep, void* in_data, uint16_t data_len, void* out_buf,
                            uint16_t buf_size) {
  return ugni::call(UgniCall::kDatagram, data_len, true, [&](UgniProcess& process) {
    return process.post_datagram(ep, in_data, data_len, out_buf, buf_size, nullptr);
  });
}

gni_return_t GNI_EpPostDataWId(gni_ep_handle_t ep, void* in_data, uint16_t data_len, void* out_buf,
                               uint16_t buf_size, uint64_t datagram_id) {
  return ugni::call(UgniCall::kDatagram, data_len, true, [&](UgniProcess& process) {
    return process.post_datagram(ep, in_data, data_len, out_buf, buf_size, &datagram_id);
  });
}

gni_return_t GNI_EpPostDataTest(gni_ep_handle_t ep, gni_post_state_t* state, uint32_t* remote_addr,
                                uint32_t* remote_id) {
  return ugni::test_datagram(ep, nullptr, state, remote_addr, remote_id);
}

gni_return_t GNI_EpPostDataTestById(gni_ep_handle_t ep, uint64_t datagram_id, gni_post_state_t* state,
                                    uint32_t* remote_addr, uint32_t* remote_id) {
  return ugni::test_datagram(ep, &datagram_id, state, remote_addr, remote_id);
}

gni_return_t GNI_EpPostDataWait(gni_ep_handle_t ep, uint32_t timeout_ms, gni_post_state_t* state,
                                uint32_t* remote_addr, uint32_t* remote_id) {
  return ugni::wait_datagram(ep, nullptr, timeout_ms, state, remote_addr, remote_id);
}

gni_return_t GNI_EpPostDataWaitById(gni_ep_handle_t ep, uint64_t datagram_id, uint32_t timeout_ms,
                                    gni_post_state_t* state, uint32_t* remote_addr, uint32_t* remote_id) {
  return ugni::wait_datagram(ep, &datagram_id, timeout_ms, state, remote_addr, remote_id);
}

gni_return_t GNI_EpPostDataCancel(gni_ep_handle_t ep) {
  return ugni::call(UgniCall::kDatagram, 0, true,
                    [&](UgniProcess& process) { return process.cancel_datagram(ep, nullptr); });
}

gni_return_t GNI_EpPostDataCancelById(gni_ep_handle_t ep, uint64_t datagram_id) {
  return ugni::call(UgniCall::kDatagram, 0, true,
                    [&](UgniProcess& process) { return process.cancel_datagram(ep, &datagram_id); });
}

gni_return_t GNI_PostDataProbe(gni_nic_handle_t nic, uint32_t* remote_addr, uint32_t* remote_id) {
  return ugni::call(UgniCall::kDatagram, 0, remote_addr != nullptr && remote_id != nullptr,
                    [&](UgniProcess& process) {
                      process.device().progress();
                      return process.probe_datagram(nic, remote_addr, remote_id, nullptr);
                    });
}

gni_return_t GNI_PostDataProbeById(gni_nic_handle_t nic, uint64_t* datagram_id) {
  return ugni::call(UgniCall::kDatagram, 0, datagram_id != nullptr, [&](UgniProcess& process) {
    process.device().progress();
    return process.probe_datagram(nic, nullptr, nullptr, datagram_id);
  });
}

gni_return_t GNI_PostDataProbeWaitById(gni_nic_handle_t nic, uint32_t timeout_ms, uint64_t* datagram_id) {
  return ugni::call(UgniCall::kDatagram, 0, datagram_id != nullptr, [&](UgniProcess& process) {
    const std::uint64_t deadline = ugni::deadline_after(process, timeout_ms, ugni::kForeverMs);
    return ugni::wait_for(process, deadline, UgniCall::kDatagram, GNI_RC_NO_MATCH, [&] {
      process.device().progress();
      return process.probe_datagram(nic, nullptr, nullptr, datagram_id);
    });
  });
}

// Memory.

gni_return_t GNI_MemRegister(gni_nic_handle_t nic, uint64_t address, uint64_t length, gni_cq_handle_t dst_cq,
                             uint32_t flags, uint32_t vmdh_index, gni_mem_handle_t* mem) {
  gni_mem_segment_t segment{address, length};
  return GNI_MemRegisterSegments(nic, &segment, 1, dst_cq, flags, vmdh_index, mem);
}

gni_return_t GNI_MemRegisterSegments(gni_nic_handle_t nic, gni_mem_segment_t* segments,
                                     uint32_t segments_count, gni_cq_handle_t dst_cq, uint32_t flags,
                                     uint32_t vmdh_index, gni_mem_handle_t* mem) {
  if (segments == nullptr || segments_count == 0 || vmdh_index != ~0u) return GNI_RC_INVALID_PARAM;
  std::size_t pages = 0;
  for (uint32_t i = 0; i < segments_count; ++i) pages += ugni::pages_of(segments[i].length);
  return ugni::call(UgniCall::kRegister, pages, mem != nullptr, [&](UgniProcess& process) {
    return process.register_memory(nic, {segments, segments + segments_count}, dst_cq, flags, mem);
  });
}

gni_return_t GNI_MemDeregister(gni_nic_handle_t nic, gni_mem_handle_t* mem) {
  return ugni::call(UgniCall::kDeregister, 0, mem != nullptr,
                    [&](UgniProcess& process) { return process.deregister_memory(nic, *mem); });
}

// Completion queues.

gni_return_t GNI_CqCreate(gni_nic_handle_t nic, uint32_t entry_count, uint32_t delay_count,
                          gni_cq_mode_t mode, void (*handler)(gni_cq_entry_t*, void*), void*,
                          gni_cq_handle_t* cq) {
  if (delay_count != 0 || handler != nullptr) return GNI_RC_INVALID_PARAM;
  return ugni::call(UgniCall::kOther, 0, cq != nullptr,
                    [&](UgniProcess& process) { return process.create_queue(nic, entry_count, mode, cq); });
}

gni_return_t GNI_CqDestroy(gni_cq_handle_t cq) {
  return ugni::call(UgniCall::kOther, 0, true,
                    [&](UgniProcess& process) { return process.destroy_queue(cq); });
}

gni_return_t GNI_CqGetEvent(gni_cq_handle_t cq, gni_cq_entry_t* entry) {
  return ugni::call(UgniCall::kEvent, 0, entry != nullptr,
                    [&](UgniProcess& process) { return ugni::look(process, cq, entry); });
}

gni_return_t GNI_CqTestEvent(gni_cq_handle_t cq) {
  return ugni::call(UgniCall::kEvent, 0, true, [&](UgniProcess& process) {
    const gni_return_t code = process.test_event(cq);
    if (code != GNI_RC_NOT_DONE || process.device().progress() == 0) return code;
    return process.test_event(cq);
  });
}

gni_return_t GNI_CqWaitEvent(gni_cq_handle_t cq, uint64_t timeout_ms, gni_cq_entry_t* entry) {
  uint32_t which = 0;
  return GNI_CqVectorWaitEvent(&cq, 1, timeout_ms, entry, &which);
}

namespace {

template <class Look>
gni_return_t wait_for_queues(gni_cq_handle_t* cqs, uint32_t count, uint64_t timeout_ms, bool given,
                             uint32_t* which, Look look) {
  given = given && which != nullptr && cqs != nullptr && count != 0;
  return ugni::call(UgniCall::kOther, 0, given, [&](UgniProcess& process) {
    for (uint32_t i = 0; i < count; ++i) {
      if (!process.is_blocking(cqs[i])) return GNI_RC_INVALID_PARAM;
    }
    const std::uint64_t deadline = ugni::deadline_after(process, timeout_ms, ~uint64_t{0});
    return ugni::wait_for(process, deadline, UgniCall::kEvent, GNI_RC_NOT_DONE, [&] {
      process.device().progress();
      for (uint32_t i = 0; i < count; ++i) {
        const gni_return_t code = look(process, cqs[i]);
        *which = i;
        if (code != GNI_RC_NOT_DONE) return code;
      }
      return GNI_RC_NOT_DONE;
    });
  });
}

}  // namespace

gni_return_t GNI_CqVectorWaitEvent(gni_cq_handle_t* cqs, uint32_t count, uint64_t timeout_ms,
                                   gni_cq_entry_t* entry, uint32_t* which) {
  return wait_for_queues(
      cqs, count, timeout_ms, entry != nullptr, which,
      [&](UgniProcess& process, gni_cq_handle_t cq) { return process.take_event(cq, entry); });
}

gni_return_t GNI_CqVectorMonitor(gni_cq_handle_t* cqs, uint32_t count, uint64_t timeout_ms, uint32_t* which) {
  return wait_for_queues(cqs, count, timeout_ms, true, which,
                         [&](UgniProcess& process, gni_cq_handle_t cq) { return process.test_event(cq); });
}

gni_return_t GNI_GetCompleted(gni_cq_handle_t cq, gni_cq_entry_t entry, gni_post_descriptor_t** descriptor) {
  return ugni::call(UgniCall::kCompleted, 0, descriptor != nullptr,
                    [&](UgniProcess& process) { return process.completed(cq, entry, descriptor); });
}

// Posts.

gni_return_t GNI_PostRdma(gni_ep_handle_t ep, gni_post_descriptor_t* descriptor) {
  return ugni::call(UgniCall::kPostRdma, 0, true,
                    [&](UgniProcess& process) { return process.post_rdma(ep, descriptor); });
}

gni_return_t GNI_PostFma(gni_ep_handle_t ep, gni_post_descriptor_t* descriptor) {
  return ugni::call(UgniCall::kPostFma, ugni::stored_bytes(descriptor), true,
                    [&](UgniProcess& process) { return process.post_fma(ep, descriptor); });
}

gni_return_t GNI_PostCqWrite(gni_ep_handle_t ep, gni_post_descriptor_t* descriptor) {
  return ugni::call(UgniCall::kPostFma, 0, true,
                    [&](UgniProcess& process) { return process.post_cq_write(ep, descriptor); });
}

gni_return_t GNI_CtPostFma(gni_ep_handle_t ep, gni_post_descriptor_t* descriptor) {
  return ugni::call(UgniCall::kPostFma, ugni::stored_bytes(descriptor), true,
                    [&](UgniProcess& process) { return process.post_fma_chain(ep, descriptor); });
}

gni_return_t GNI_CtPostCqWrite(gni_ep_handle_t ep, gni_post_descriptor_t* descriptor) {
  return ugni::call(UgniCall::kPostFma, 0, true,
                    [&](UgniProcess& process) { return process.post_cq_write_chain(ep, descriptor); });
}
