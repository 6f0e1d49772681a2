// Event queues, and the contents of events.
#include "papers/nic/portals3/interface.hpp"

namespace aqueduct::portals3 {

int Interface::allocate_queue(ptl_handle_ni_t ni, ptl_size_t count, ptl_eq_handler_t handler,
                              ptl_handle_eq_t* eq) {
  Section section{*this, Context::kCall};
  if (!is_mine(ni)) return PTL_NI_INVALID;
  if (count == 0) {
    *eq = PTL_EQ_NONE;
    return PTL_OK;
  }
  EventQueue* queue = queues_.take(limits_.max_eqs);
  if (queue == nullptr) return PTL_NO_SPACE;
  if (!queue->prepare(bridge_.queue_events(count), handler)) {
    queues_.give_back(*queue);
    return PTL_NO_SPACE;
  }
  *eq = handle_of(HandleKind::kQueue, *queue);
  return PTL_OK;
}

int Interface::free_queue(ptl_handle_eq_t eq) {
  Section section{*this, Context::kCall};
  EventQueue* queue = find_queue(eq);
  if (queue == nullptr) return PTL_EQ_INVALID;
  if (queue->descriptors != 0) return PTL_EQ_IN_USE;
  queue->clear();
  queues_.give_back(*queue);
  changed_ = true;  // threads may wait for its events
  activity_.store(activity_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  return PTL_OK;
}

int Interface::get_event(ptl_handle_eq_t eq, ptl_event_t* event) {
  Section section{*this, Context::kCall};
  EventQueue* queue = find_queue(eq);
  return queue != nullptr ? queue->get(*event) : PTL_EQ_INVALID;
}

void Interface::describe(ptl_event_t& event, const Descriptor& descriptor) const {
  event.md = descriptor.user;
  event.md_handle = handle_of(HandleKind::kDescriptor, descriptor);
  event.link = 0;
  event.ni_fail_type = PTL_NI_OK;
}

/// Only END events say whether an operation has failed.
void Interface::make_failure(ptl_event_t& event) {
  if (event.ni_fail_type != PTL_NI_OK) return;
  switch (event.type) {
    case PTL_EVENT_SEND_END:
    case PTL_EVENT_ACK:
    case PTL_EVENT_REPLY_END:
      event.ni_fail_type = PTL_NI_UNDELIVERABLE;
      break;
    case PTL_EVENT_PUT_END:
    case PTL_EVENT_GET_END:
    case PTL_EVENT_GETPUT_END:
      event.ni_fail_type = PTL_NI_INCOMPLETE;
      break;
    default:
      return;
  }
  ++counter(PTL_SR_FAIL_COUNT);
  event.mlength = 0;
}

ptl_seq_t Interface::post(Descriptor& descriptor, ptl_event_t& event, ptl_event_kind_t kind) {
  EventQueue* queue = descriptor.queue;
  if (queue == nullptr) return 0;
  event.type = kind;
  // An event without a predecessor is linked to itself.
  if (event.link == 0) event.link = static_cast<ptl_seq_t>(queue->written);
  const std::uint64_t lost = queue->lost;
  if (const EventFault fault = bridge_.event_fault(); fault != EventFault::kNone) [[unlikely]] {
    if (fault == EventFault::kQueueFull) {
      queue->lose_oldest();
    } else {
      make_failure(event);
    }
  }
  const ptl_seq_t sequence = queue->post(event);
  counter(PTL_SR_EVENT_LOST_COUNT) += queue->lost - lost;
  if (queue->handler != nullptr) handlers_wanted_ = true;
  changed_ = true;
  activity_.store(activity_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  return sequence;
}

void Interface::post_start(TransferRecord& message, ptl_event_kind_t kind) {
  if (!message.descriptor->has(PTL_MD_EVENT_START_DISABLE)) post(*message.descriptor, message.event, kind);
}

ptl_seq_t Interface::post_end(TransferRecord& message, ptl_event_kind_t kind, ptl_ni_fail_t fail) {
  message.event.ni_fail_type = fail;
  if (fail != PTL_NI_OK) {
    ++counter(PTL_SR_FAIL_COUNT);
    message.event.mlength = 0;
  }
  if (message.descriptor->has(PTL_MD_EVENT_END_DISABLE)) return message.event.link;
  return post(*message.descriptor, message.event, kind);
}

void Interface::release(TransferRecord& message, ptl_seq_t cause, Section& section) {
  Descriptor& descriptor = *message.descriptor;
  --descriptor.pending;
  unlink_if_finished(descriptor, message.event, cause, section);
}

void Interface::unlink_if_finished(Descriptor& descriptor, const ptl_event_t& last, ptl_seq_t cause,
                                   Section& section) {
  if (!descriptor.finished()) return;
  ptl_event_t event = last;
  describe(event, descriptor);
  event.link = cause;
  post(descriptor, event, PTL_EVENT_UNLINK);
  remove_descriptor(descriptor, section);
}

void Interface::free_message(TransferRecord& message) {
  messages_.give_back(message);
  if (state_ == State::kClosing) {
    changed_ = true;
    activity_.store(activity_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
}

}  // namespace aqueduct::portals3
