// Short messages: a mailbox for each direction of a pair, in the receiver's registered memory.
//
//   mailbox   | credit word, 64 bytes | slot 0 | slot 1 | ... | slot mbox_maxcredit - 1 |
//   slot      | control word, 8 bytes | header and data, msg_maxsize rounded up to 8 |
//   control   31..0 the number of the message, from 1 on | 39..32 its tag
//
// Message n goes to slot (n - 1) mod credits by a put with sync flag: the control word is written after the
// bytes, so a receiver that finds the number that it waits for has the message. Puts arrive in any order; the
// receiver goes by the numbers. When it has released a message it adds one to the credit word of the sender's
// mailbox, by an AMO: sums do not care for order. A sender may have mbox_maxcredit messages more than that
// word says, so no slot is written before it was released.
//
// Mailboxes are zero when their attributes are given to the peer.
#include "papers/nic/ugni/smsg.hpp"

#include <cstring>

#include "papers/nic/ugni/process.hpp"

namespace aqueduct::ugni {

std::uint64_t mailbox_bytes(const gni_smsg_attr_t& attributes) {
  return kMailboxHead + std::uint64_t{attributes.mbox_maxcredit} * slot_bytes(attributes);
}

namespace {

std::uint64_t mailbox_address(const gni_smsg_attr_t& attributes) {
  return reinterpret_cast<std::uint64_t>(attributes.msg_buffer) + attributes.mbox_offset;
}

std::uint64_t slot_address(const gni_smsg_attr_t& attributes, std::uint64_t number) {
  return mailbox_address(attributes) + kMailboxHead +
         number % attributes.mbox_maxcredit * slot_bytes(attributes);
}

std::uint64_t load(std::uint64_t address) {
  return __atomic_load_n(reinterpret_cast<const std::uint64_t*>(address), __ATOMIC_ACQUIRE);
}

constexpr std::uint64_t number_of(std::uint64_t control) { return control & 0xffffffffu; }
constexpr std::uint8_t tag_of(std::uint64_t control) { return static_cast<std::uint8_t>(control >> 32); }

}  // namespace

bool is_mailbox(const gni_smsg_attr_t& attributes) {
  const bool known =
      attributes.msg_type == GNI_SMSG_TYPE_MBOX || attributes.msg_type == GNI_SMSG_TYPE_MBOX_AUTO_RETRANSMIT;
  return known && attributes.mbox_maxcredit != 0 && attributes.msg_maxsize != 0 &&
         attributes.msg_maxsize <= GNI_SMSG_MAX_SIZE;
}

gni_return_t Process::init_mailbox(gni_ep_handle_t ep, const gni_smsg_attr_t& local,
                                   const gni_smsg_attr_t& remote) {
  const Section section{*this};
  Endpoint* const endpoint = endpoint_of(ep);
  if (endpoint == nullptr || !endpoint->bound || !is_mailbox(local) || !is_mailbox(remote))
    return GNI_RC_INVALID_PARAM;
  if (local.msg_type != remote.msg_type || local.mbox_maxcredit != remote.mbox_maxcredit ||
      local.msg_maxsize != remote.msg_maxsize)
    return GNI_RC_INVALID_PARAM;
  if (mailbox_address(local) % 8 != 0 || mailbox_address(remote) % 8 != 0) return GNI_RC_INVALID_PARAM;
  if (local.mbox_offset + mailbox_bytes(local) > local.buff_size ||
      remote.mbox_offset + mailbox_bytes(remote) > remote.buff_size)
    return GNI_RC_INVALID_PARAM;
  const Registration* const memory = registration_of(local.mem_hndl);
  if (memory == nullptr || memory->domain != endpoint->domain ||
      !memory->holds(mailbox_address(local), mailbox_bytes(local)))
    return GNI_RC_INVALID_PARAM;
  endpoint->mailbox = std::make_unique<Mailbox>();
  endpoint->mailbox->local = local;
  endpoint->mailbox->remote = remote;
  return GNI_RC_SUCCESS;
}

gni_return_t Process::set_message_delivery(gni_nic_handle_t nic, std::uint16_t mode) {
  const Section section{*this};
  Domain* const domain = nic_of(nic);
  if (domain == nullptr) return GNI_RC_INVALID_PARAM;
  domain->smsg_delivery = mode;
  return GNI_RC_SUCCESS;
}

gni_return_t Process::send_message(gni_ep_handle_t ep, std::span<const std::byte> header,
                                   std::span<const std::byte> data, std::uint32_t id, std::uint8_t tag) {
  const Section section{*this};
  Endpoint* const endpoint = endpoint_of(ep);
  if (endpoint == nullptr || !endpoint->mailbox) return GNI_RC_INVALID_PARAM;
  Mailbox& mailbox = *endpoint->mailbox;
  if (header.size() + data.size() > mailbox.remote.msg_maxsize) return GNI_RC_ERROR_RESOURCE;
  const std::uint64_t released = load(mailbox_address(mailbox.local));
  if (mailbox.sent - released >= mailbox.remote.mbox_maxcredit) return GNI_RC_NOT_DONE;
  Queue* const queue = endpoint->source;
  if (queue != nullptr && queue->requests >= queue->request_limit()) return GNI_RC_ERROR_RESOURCE;
  Request* const request = fresh_request(*endpoint, queue);
  if (request == nullptr) return GNI_RC_ERROR_RESOURCE;

  const std::uint64_t slot = slot_address(mailbox.remote, mailbox.sent);
  gni_post_descriptor_t put{};
  put.remote_mem_hndl = mailbox.remote.mem_hndl;
  put.remote_addr = slot + sizeof(std::uint64_t);
  put.length = header.size() + data.size();
  put.dlvr_mode = endpoint->domain->smsg_delivery;
  put.cq_mode = queue != nullptr ? GNI_CQMODE_GLOBAL_EVENT : GNI_CQMODE_SILENT;
  fill_header(*request, MessageKind::kPut, put);
  request->header.flags |= kHasSyncFlag | kWantsEventIfQueue;
  request->header.event_type = GNI_CQ_EVENT_TYPE_SMSG;
  request->header.first = slot;
  request->header.second = number_of(++mailbox.sent) | static_cast<std::uint64_t>(tag) << 32;
  request->due = put.cq_mode;
  request->event_type = GNI_CQ_EVENT_TYPE_SMSG;
  request->global_data = id;
  request->buffer.assign(header.begin(), header.end());
  request->buffer.insert(request->buffer.end(), data.begin(), data.end());
  request->out.payload = {request->buffer.data(), request->buffer.size()};
  launch(*request);
  return GNI_RC_SUCCESS;
}

gni_return_t Process::next_message(gni_ep_handle_t ep, void** header, std::uint8_t* tag) {
  const Section section{*this};
  Endpoint* const endpoint = endpoint_of(ep);
  if (endpoint == nullptr || !endpoint->mailbox) return GNI_RC_INVALID_PARAM;
  Mailbox& mailbox = *endpoint->mailbox;
  if (mailbox.held) return GNI_RC_INVALID_STATE;
  const std::uint64_t slot = slot_address(mailbox.local, mailbox.received);
  const std::uint64_t control = load(slot);
  if (number_of(control) != number_of(mailbox.received + 1)) return GNI_RC_NOT_DONE;
  if (tag != nullptr) {
    if (*tag != GNI_SMSG_ANY_TAG && *tag != tag_of(control)) return GNI_RC_NO_MATCH;
    *tag = tag_of(control);
  }
  mailbox.held = true;
  *header = reinterpret_cast<void*>(slot + sizeof(std::uint64_t));
  return GNI_RC_SUCCESS;
}

gni_return_t Process::release_message(gni_ep_handle_t ep) {
  const Section section{*this};
  Endpoint* const endpoint = endpoint_of(ep);
  if (endpoint == nullptr || !endpoint->mailbox) return GNI_RC_INVALID_PARAM;
  if (!endpoint->mailbox->held) return GNI_RC_INVALID_STATE;
  const gni_return_t code = return_mailbox_credit(*endpoint);
  if (code != GNI_RC_SUCCESS) return code;
  endpoint->mailbox->held = false;
  ++endpoint->mailbox->received;
  return GNI_RC_SUCCESS;
}

gni_return_t Process::return_mailbox_credit(Endpoint& endpoint) {
  const Mailbox& mailbox = *endpoint.mailbox;
  Request* const request = fresh_request(endpoint, nullptr);
  if (request == nullptr) return GNI_RC_ERROR_RESOURCE;
  gni_post_descriptor_t add{};
  add.remote_mem_hndl = mailbox.remote.mem_hndl;
  add.remote_addr = mailbox_address(mailbox.remote);
  add.length = sizeof(std::uint64_t);
  add.dlvr_mode = endpoint.domain->smsg_delivery;
  fill_header(*request, MessageKind::kAmo, add);
  request->header.command = GNI_FMA_ATOMIC_ADD;
  request->header.first = 1;
  launch(*request);
  return GNI_RC_SUCCESS;
}

}  // namespace aqueduct::ugni
