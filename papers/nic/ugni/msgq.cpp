// Shared message queues (message_queue.hpp).
//
//   send      takes a credit; the message goes to the queue of the domain that the endpoint is bound to, and the
//             answer says that it is there: the event of type MSGQ with its id
//   progress  the callback sees messages in the order in which they came; the credit of each goes back
#include <algorithm>
#include <cstring>

#include "papers/nic/ugni/process.hpp"

namespace aqueduct::ugni {
namespace {

constexpr std::uint32_t kMostMessageQueues = 256;

std::uint32_t receiver_instance(const WireHeader& header) {
  return static_cast<std::uint32_t>(header.first >> 32);
}

}  // namespace

gni_return_t Process::init_message_queue(gni_nic_handle_t nic, gni_msgq_rcv_cb_func* receive, void* data,
                                         gni_cq_handle_t queue, const gni_msgq_attr_t& attributes,
                                         gni_msgq_handle_t* msgq) {
  const Section section{*this};
  Domain* const domain = nic_of(nic);
  Queue* const events = queue_of(queue);
  if (domain == nullptr || events == nullptr || events->domain != domain || receive == nullptr)
    return GNI_RC_INVALID_PARAM;
  if (attributes.max_msg_sz == 0 || attributes.max_msg_sz > GNI_MSGQ_MSG_SZ_MAX ||
      attributes.smsg_q_sz == 0 || attributes.num_msgq_eps == 0 ||
      attributes.nloc_insts > GNI_MSGQ_NODE_INSTS_MAX || !events->claim(Queue::Use::kSource))
    return GNI_RC_INVALID_PARAM;
  if (domain->message_queue != nullptr) return GNI_RC_ERROR_RESOURCE;
  MessageQueue* const made = message_queues_.take(kMostMessageQueues);
  if (made == nullptr) return GNI_RC_ERROR_RESOURCE;
  made->domain = domain;
  made->send_queue = events;
  made->receive = receive;
  made->receive_data = data;
  made->attributes = attributes;
  made->in_callback = false;
  made->connections.clear();
  made->waiting.clear();
  domain->message_queue = made;
  ++events->users;
  *msgq = make_handle<gni_msgq_handle_t>(HandleKind::kMessageQueue, self_, *made);
  return GNI_RC_SUCCESS;
}

void Process::close_message_queue(MessageQueue& queue) {
  --queue.send_queue->users;
  queue.domain->message_queue = nullptr;
  queue.connections.clear();
  queue.waiting.clear();
  message_queues_.give_back(queue);
}

gni_return_t Process::is_message_queue_idle(gni_msgq_handle_t msgq) {
  const Section section{*this};
  const MessageQueue* const queue = message_queue_of(msgq);
  if (queue == nullptr) return GNI_RC_INVALID_PARAM;
  const bool busy =
      std::ranges::any_of(queue->connections, [](const auto& each) { return each.second.under_way != 0; });
  return busy || !queue->waiting.empty() ? GNI_RC_NOT_DONE : GNI_RC_SUCCESS;
}

gni_return_t Process::release_message_queue(gni_msgq_handle_t msgq) {
  const gni_return_t code = is_message_queue_idle(msgq);
  if (code != GNI_RC_SUCCESS) return code;
  const Section section{*this};
  MessageQueue* const queue = message_queue_of(msgq);
  if (queue == nullptr) return GNI_RC_INVALID_PARAM;
  if (queue->in_callback) return GNI_RC_INVALID_STATE;
  close_message_queue(*queue);
  return GNI_RC_SUCCESS;
}

gni_return_t Process::connection_attributes(gni_msgq_handle_t msgq, std::uint32_t address,
                                            gni_msgq_ep_attr_t* attributes) {
  const Section section{*this};
  const MessageQueue* const queue = message_queue_of(msgq);
  if (queue == nullptr || address >= device_.nodes()) return GNI_RC_INVALID_PARAM;
  *attributes = {};
  attributes->pe_addr = self_;
  attributes->max_msg_sz = queue->attributes.max_msg_sz;
  attributes->smsg_q_sz = queue->attributes.smsg_q_sz;
  attributes->num_insts = 1;
  attributes->insts[0].id = queue->domain->inst_id;
  return GNI_RC_SUCCESS;
}

gni_return_t Process::connect_message_queue(gni_msgq_handle_t msgq, std::uint32_t address,
                                            const gni_msgq_ep_attr_t& attributes) {
  const Section section{*this};
  MessageQueue* const queue = message_queue_of(msgq);
  if (queue == nullptr || address >= device_.nodes() || attributes.pe_addr != address)
    return GNI_RC_INVALID_PARAM;
  if (queue->connections.contains(address)) return GNI_RC_INVALID_PARAM;
  if (queue->connections.size() >= queue->attributes.num_msgq_eps) return GNI_RC_ERROR_RESOURCE;
  queue->connections[address] = {.credits = attributes.smsg_q_sz, .most_bytes = attributes.max_msg_sz};
  return GNI_RC_SUCCESS;
}

gni_return_t Process::disconnect_message_queue(gni_msgq_handle_t msgq, std::uint32_t address) {
  const Section section{*this};
  MessageQueue* const queue = message_queue_of(msgq);
  if (queue == nullptr) return GNI_RC_INVALID_PARAM;
  const auto found = queue->connections.find(address);
  if (found == queue->connections.end()) return GNI_RC_NO_MATCH;
  if (found->second.under_way != 0) return GNI_RC_NOT_DONE;
  queue->connections.erase(found);
  return GNI_RC_SUCCESS;
}

gni_return_t Process::send_to_message_queue(gni_msgq_handle_t msgq, gni_ep_handle_t ep,
                                            std::span<const std::byte> header,
                                            std::span<const std::byte> message, std::uint32_t id,
                                            std::uint8_t tag) {
  const Section section{*this};
  MessageQueue* const queue = message_queue_of(msgq);
  Endpoint* const endpoint = endpoint_of(ep);
  if (queue == nullptr || endpoint == nullptr || !endpoint->bound || endpoint->domain != queue->domain)
    return GNI_RC_INVALID_PARAM;
  const auto found = queue->connections.find(endpoint->peer);
  if (found == queue->connections.end()) return GNI_RC_NO_MATCH;
  MessageQueue::Connection& connection = found->second;
  if (header.size() + message.size() > connection.most_bytes) return GNI_RC_SIZE_ERROR;
  if (connection.credits == 0) return GNI_RC_NOT_DONE;
  Queue* const events = queue->send_queue;
  if (events->requests >= events->request_limit()) return GNI_RC_ERROR_RESOURCE;
  Request* const request = fresh_request(*endpoint, events);
  if (request == nullptr) return GNI_RC_ERROR_RESOURCE;
  --connection.credits;
  ++connection.under_way;
  gni_post_descriptor_t post{};
  post.length = header.size() + message.size();
  fill_header(*request, MessageKind::kMsgq, post);
  request->header.flags |= kWantsResponse;
  request->header.first = static_cast<std::uint64_t>(endpoint->remote_id) << 32 | queue->domain->inst_id;
  request->header.command = tag;
  request->local_when_sent = false;
  request->due = GNI_CQMODE_GLOBAL_EVENT;
  request->event_type = GNI_CQ_EVENT_TYPE_MSGQ;
  request->global_data = id;
  request->out.engine = Engine::kDriver;
  request->buffer.assign(header.begin(), header.end());
  request->buffer.insert(request->buffer.end(), message.begin(), message.end());
  request->out.payload = {request->buffer.data(), request->buffer.size()};
  launch(*request);
  return GNI_RC_SUCCESS;
}

/// The queue of the domain that a message or credit is for; null: there is none.
MessageQueue* Process::message_queue_for(const WireHeader& header) {
  MessageQueue* found = nullptr;
  domains_.for_each_live([&](const Domain& each) {
    if (each.cookie == header.cookie && each.ptag == header.ptag && each.inst_id == receiver_instance(header))
      found = each.message_queue;
  });
  return found;
}

void Process::finish_queued_message(const Landing& landing) {
  const WireHeader& header = landing.header;
  MessageQueue* const queue = message_queue_for(header);
  const bool connected = queue != nullptr && queue->connections.contains(landing.source);
  if (!connected || header.bytes > queue->attributes.max_msg_sz)
    return respond(landing, AQ_GNI_STATUS_NO_QUEUE);
  QueuedMessage& message = queue->waiting.emplace_back();
  message.source = landing.source;
  message.sender = static_cast<std::uint32_t>(header.first);
  message.tag = static_cast<std::uint8_t>(header.command);
  std::copy(landing.buffer.begin(), landing.buffer.end(), message.bytes.begin());
  changed();
  respond(landing, AQ_GNI_STATUS_OK);
}

gni_return_t Process::receive_from_message_queue(gni_msgq_handle_t msgq) {
  bool any = false;
  for (bool wants_more = true; wants_more;) {
    QueuedMessage message;
    gni_msgq_rcv_cb_func* receive;
    void* data;
    {
      const Section section{*this};
      MessageQueue* const queue = message_queue_of(msgq);
      if (queue == nullptr) return GNI_RC_INVALID_PARAM;
      if (queue->in_callback) return GNI_RC_INVALID_STATE;
      if (queue->waiting.empty()) return any ? GNI_RC_SUCCESS : GNI_RC_NOT_DONE;
      message = queue->waiting.front();
      queue->waiting.pop_front();
      queue->in_callback = true;
      receive = queue->receive;
      data = queue->receive_data;
    }
    wants_more = receive(message.sender, message.source, message.bytes.data(), message.tag, data) != 0;
    any = true;
    const Section section{*this};
    MessageQueue* const queue = message_queue_of(msgq);
    if (queue == nullptr) return GNI_RC_SUCCESS;
    queue->in_callback = false;
    return_queue_credit(*queue, message);
  }
  return GNI_RC_SUCCESS;
}

void Process::return_queue_credit(const MessageQueue& queue, const QueuedMessage& message) {
  Answer& answer = answers_.take();
  answer.header = {};
  answer.header.kind = MessageKind::kMsgqCredit;
  answer.header.first = static_cast<std::uint64_t>(message.sender) << 32 | queue.domain->inst_id;
  answer.header.cookie = queue.domain->cookie;
  answer.header.ptag = queue.domain->ptag;
  answer.memory = nullptr;
  answer.out.payload = {};
  send_answer(answer, message.source, Engine::kDriver);
}

void Process::take_queue_credit(const Landing& landing) {
  MessageQueue* const queue = message_queue_for(landing.header);
  if (queue == nullptr) return;
  const auto found = queue->connections.find(landing.source);
  if (found == queue->connections.end() || found->second.under_way == 0) return;
  ++found->second.credits;
  --found->second.under_way;
  changed();
}

}  // namespace aqueduct::ugni
