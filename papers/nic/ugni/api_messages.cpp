// The C interface: short messages and shared message queues.
#include "papers/nic/ugni/api_call.hpp"
#include "papers/nic/ugni/smsg.hpp"

namespace ugni = aqueduct::ugni;
using UgniCall = aqueduct::ugni::Call;
using UgniProcess = aqueduct::ugni::Process;

// Short messages.

gni_return_t GNI_SmsgBufferSizeNeeded(gni_smsg_attr_t* local, unsigned int* size) {
  if (local == nullptr || size == nullptr || !ugni::is_mailbox(*local)) return GNI_RC_INVALID_PARAM;
  *size = static_cast<unsigned int>(ugni::mailbox_bytes(*local));
  return GNI_RC_SUCCESS;
}

gni_return_t GNI_SmsgInit(gni_ep_handle_t ep, gni_smsg_attr_t* local, gni_smsg_attr_t* remote) {
  return ugni::call(UgniCall::kOther, 0, local != nullptr && remote != nullptr,
                    [&](UgniProcess& process) { return process.init_mailbox(ep, *local, *remote); });
}

gni_return_t GNI_SmsgSetDeliveryMode(gni_nic_handle_t nic, uint16_t dlvr_mode) {
  return ugni::call(UgniCall::kOther, 0, true,
                    [&](UgniProcess& process) { return process.set_message_delivery(nic, dlvr_mode); });
}

// The network below retransmits by itself, so nothing is counted here.
gni_return_t GNI_SmsgSetMaxRetrans(gni_nic_handle_t nic, uint16_t) {
  return ugni::call(UgniCall::kOther, 0, true, [&](UgniProcess& process) { return process.is_nic(nic); });
}

gni_return_t GNI_SmsgSend(gni_ep_handle_t ep, void* header, uint32_t header_length, void* data,
                          uint32_t data_length, uint32_t msg_id) {
  return GNI_SmsgSendWTag(ep, header, header_length, data, data_length, msg_id, 0);
}

gni_return_t GNI_SmsgSendWTag(gni_ep_handle_t ep, void* header, uint32_t header_length, void* data,
                              uint32_t data_length, uint32_t msg_id, uint8_t tag) {
  const bool given = (header != nullptr || header_length == 0) && (data != nullptr || data_length == 0);
  if (tag == GNI_SMSG_ANY_TAG) return GNI_RC_INVALID_PARAM;
  return ugni::call(UgniCall::kMessage, std::size_t{header_length} + data_length, given,
                    [&](UgniProcess& process) {
                      return process.send_message(ep, ugni::bytes_of(header, header_length),
                                                  ugni::bytes_of(data, data_length), msg_id, tag);
                    });
}

gni_return_t GNI_SmsgGetNext(gni_ep_handle_t ep, void** header) {
  return ugni::call(UgniCall::kMessage, 0, header != nullptr, [&](UgniProcess& process) {
    process.device().progress();
    return process.next_message(ep, header, nullptr);
  });
}

gni_return_t GNI_SmsgGetNextWTag(gni_ep_handle_t ep, void** header, uint8_t* tag) {
  return ugni::call(UgniCall::kMessage, 0, header != nullptr && tag != nullptr, [&](UgniProcess& process) {
    process.device().progress();
    return process.next_message(ep, header, tag);
  });
}

gni_return_t GNI_SmsgRelease(gni_ep_handle_t ep) {
  return ugni::call(UgniCall::kMessage, 0, true,
                    [&](UgniProcess& process) { return process.release_message(ep); });
}

// Shared message queues.

gni_return_t GNI_MsgqInit(gni_nic_handle_t nic, gni_msgq_rcv_cb_func* receive, void* cb_data,
                          gni_cq_handle_t snd_cq, gni_msgq_attr_t* attrs, gni_msgq_handle_t* msgq) {
  return ugni::call(UgniCall::kOther, 0, attrs != nullptr && msgq != nullptr, [&](UgniProcess& process) {
    return process.init_message_queue(nic, receive, cb_data, snd_cq, *attrs, msgq);
  });
}

gni_return_t GNI_MsgqRelease(gni_msgq_handle_t msgq) {
  return ugni::call(UgniCall::kOther, 0, true,
                    [&](UgniProcess& process) { return process.release_message_queue(msgq); });
}

gni_return_t GNI_MsgqIdle(gni_msgq_handle_t msgq) {
  return ugni::call(UgniCall::kOther, 0, true, [&](UgniProcess& process) {
    process.device().progress();
    return process.is_message_queue_idle(msgq);
  });
}

gni_return_t GNI_MsgqGetConnAttrs(gni_msgq_handle_t msgq, uint32_t pe_addr, gni_msgq_ep_attr_t* attrs,
                                  uint32_t* attrs_size) {
  return ugni::call(UgniCall::kOther, 0, attrs != nullptr && attrs_size != nullptr,
                    [&](UgniProcess& process) {
                      *attrs_size = sizeof(*attrs);
                      return process.connection_attributes(msgq, pe_addr, attrs);
                    });
}

gni_return_t GNI_MsgqConnect(gni_msgq_handle_t msgq, uint32_t pe_addr, gni_msgq_ep_attr_t* attrs) {
  return ugni::call(UgniCall::kOther, 0, attrs != nullptr, [&](UgniProcess& process) {
    return process.connect_message_queue(msgq, pe_addr, *attrs);
  });
}

gni_return_t GNI_MsgqConnRelease(gni_msgq_handle_t msgq, uint32_t pe_addr) {
  return ugni::call(UgniCall::kOther, 0, true,
                    [&](UgniProcess& process) { return process.disconnect_message_queue(msgq, pe_addr); });
}

gni_return_t GNI_MsgqSend(gni_msgq_handle_t msgq, gni_ep_handle_t ep, void* header, uint32_t header_length,
                          void* message, uint32_t message_length, uint32_t msg_id, uint8_t tag) {
  const bool given = (header != nullptr || header_length == 0) && (message != nullptr || message_length == 0);
  return ugni::call(
      UgniCall::kMessage, std::size_t{header_length} + message_length, given, [&](UgniProcess& process) {
        return process.send_to_message_queue(msgq, ep, ugni::bytes_of(header, header_length),
                                             ugni::bytes_of(message, message_length), msg_id, tag);
      });
}

gni_return_t GNI_MsgqProgress(gni_msgq_handle_t msgq, uint32_t timeout_ms) {
  return ugni::call(UgniCall::kMessage, 0, true, [&](UgniProcess& process) {
    const std::uint64_t deadline = ugni::deadline_after(process, timeout_ms, ugni::kForeverMs);
    const gni_return_t code = ugni::wait_for(process, deadline, UgniCall::kMessage, GNI_RC_NOT_DONE, [&] {
      process.device().progress();
      return process.receive_from_message_queue(msgq);
    });
    return timeout_ms == 0 && code == GNI_RC_TIMEOUT ? GNI_RC_NOT_DONE : code;
  });
}

gni_return_t GNI_MsgqSize(gni_msgq_attr_t* attrs, uint32_t* size) {
  if (attrs == nullptr || size == nullptr) return GNI_RC_INVALID_PARAM;
  *size = attrs->num_msgq_eps * attrs->smsg_q_sz * attrs->max_msg_sz;
  return GNI_RC_SUCCESS;
}
