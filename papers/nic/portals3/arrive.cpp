// Handles arrivals: matches requests, answers them, and completes operations in flight.
//
//   put      match, PUT_START │ payload lands │ PUT_END, acknowledge if asked
//   get      match, GET_START, send reply     │ reply is out │ GET_END
//   getput   match, GETPUT_START │ payload lands in the record │ exchange, send reply │ GETPUT_END
//   reply    REPLY_START │ payload lands │ REPLY_END
//   ack      ACK
//
// A request that nothing accepts is dropped and counted; its initiator is not told. Requests of one process
// are matched in the order they were sent; they complete in any order.
#include <cstring>

#include "papers/nic/portals3/interface.hpp"

namespace aqueduct::portals3 {
namespace {

/// Copies what an event says about its message, whatever the result.
void copy_header(ptl_event_t& event, const WireHeader& header) {
  event.initiator = header.source;
  event.uid = header.uid;
  event.jid = header.jid;
  event.pt_index = header.pt_index;
  event.match_bits = header.match_bits;
  event.rlength = header.requested;
}

}  // namespace

Verdict Interface::parse(const WireHeader& header) {
  Section section{*this, Context::kArrival, std::adopt_lock};
  if (state_ != State::kOpen) return drop(header, 0);
  if (!failures_.empty() && fails(header.source.nid)) return drop(header, 0);
  switch (header.kind) {
    case MessageKind::kPut:
    case MessageKind::kGet:
    case MessageKind::kGetPut:
      return match(header, section);
    case MessageKind::kReply:
      expectations_.settle(header);
      return take_reply(header);
    case MessageKind::kAck:
      expectations_.settle(header);
      take_ack(header, PTL_NI_OK, section);
      break;
  }
  return {};
}

Verdict Interface::drop(const WireHeader& header, std::uint32_t walked) {
  ++counter(PTL_SR_DROP_COUNT);
  counter(PTL_SR_DROP_LENGTH) += header.requested;
  return {nullptr, walked};
}

Verdict Interface::match(const WireHeader& header, Section& section) {
  if (header.pt_index >= portals_.size() || header.ac_index >= access_.size()) return drop(header, 0);
  if (!permitted(header)) {
    ++counter(PTL_SR_DENIED_COUNT);
    return drop(header, 0);
  }
  unsigned operations = PTL_MD_OP_PUT | PTL_MD_OP_GET;
  if (header.kind == MessageKind::kPut) operations = PTL_MD_OP_PUT;
  if (header.kind == MessageKind::kGet) operations = PTL_MD_OP_GET;
  std::uint32_t walked = 0;
  for (MatchEntry* entry = portals_[header.pt_index].first; entry != nullptr; entry = entry->after) {
    ++walked;
    if (entry->descriptor == nullptr || !entry->matches(header.source, header.match_bits)) continue;
    const Acceptance acceptance =
        entry->descriptor->examine(operations, header.remote_offset, header.requested);
    if (!acceptance.accepted) continue;
    TransferRecord* message = accept(header, *entry, acceptance, section);
    if (message == nullptr) return drop(header, walked);
    return {header.kind != MessageKind::kGet ? message : nullptr, walked};
  }
  return drop(header, walked);
}

TransferRecord* Interface::accept(const WireHeader& header, MatchEntry& entry, const Acceptance& acceptance,
                                  Section& section) {
  Descriptor& descriptor = *entry.descriptor;
  TransferRecord* message = messages_.take();
  if (message == nullptr) return nullptr;
  if (header.kind == MessageKind::kGetPut) {
    message->aim_at_swap(acceptance.bytes);
  } else if (message->aim(descriptor.region, acceptance.offset, acceptance.bytes)) {
    message->memory = descriptor.memory;
  } else {
    messages_.give_back(*message);
    return nullptr;
  }
  message->owner = this;
  message->kind = header.kind;
  message->peer = header.source.nid;
  message->pid = self_.pid;
  message->bridge = &bridge_;
  message->header = {};
  message->descriptor = &descriptor;
  message->wire = header;
  descriptor.accept(acceptance);
  ++descriptor.pending;
  ++counter(PTL_SR_RECV_COUNT);
  counter(PTL_SR_RECV_LENGTH) += acceptance.bytes;

  ptl_event_t& event = message->event;
  copy_header(event, header);
  event.mlength = acceptance.bytes;
  event.offset = acceptance.offset;
  event.hdr_data = header.kind == MessageKind::kGet ? 0 : header.hdr_data;
  describe(event, descriptor);
  switch (header.kind) {
    case MessageKind::kPut:
      message->phase = Phase::kDeposit;
      post_start(*message, PTL_EVENT_PUT_START);
      break;
    case MessageKind::kGetPut:
      message->phase = Phase::kSwap;
      post_start(*message, PTL_EVENT_GETPUT_START);
      break;
    default:
      post_start(*message, PTL_EVENT_GET_START);
      message->phase = Phase::kGetReturn;
      make_answer(*message, MessageKind::kReply, acceptance.bytes);
      section.send(*message);
      break;
  }
  return message;
}

/// Turns the header of a request into the one of its answer.
void Interface::make_answer(TransferRecord& message, MessageKind kind, std::uint64_t matched) {
  WireHeader& wire = message.wire;
  message.kind = kind;
  wire.kind = kind;
  wire.target = wire.source;
  wire.source = self_;
  wire.uid = identity_.uid;
  wire.jid = identity_.jid;
  wire.matched = matched;
  wire.remote_offset = message.event.offset;
  wire.ack_wanted = 0;
  wire.seal();
  message.header = wire.bytes();
}

/// The descriptor that an acknowledgement or reply is for, if it still accepts it.
Descriptor* Interface::find_for_answer(const WireHeader& header) {
  Descriptor* descriptor = find_descriptor(header.descriptor);
  if (descriptor != nullptr && descriptor->generation == header.generation && descriptor->active)
    return descriptor;
  ++counter(PTL_SR_LATE_COUNT);
  return nullptr;
}

void Interface::fill_answer_event(ptl_event_t& event, const WireHeader& header,
                                  const Descriptor& descriptor) const {
  copy_header(event, header);
  event.mlength = header.matched;
  event.offset = header.local_offset;
  event.hdr_data = header.kind == MessageKind::kAck ? header.hdr_data : 0;
  describe(event, descriptor);
}

Verdict Interface::take_reply(const WireHeader& header) {
  Descriptor* descriptor = find_for_answer(header);
  if (descriptor == nullptr) return {};
  const std::uint64_t all = descriptor->region.bytes();
  const std::uint64_t room = header.local_offset <= all ? all - header.local_offset : 0;
  std::uint64_t bytes = header.matched;
  if (bytes > room) {
    if (!descriptor->has(PTL_MD_TRUNCATE)) return drop(header, 0);
    bytes = room;
  }
  TransferRecord* message = messages_.take();
  if (message == nullptr) return drop(header, 0);
  if (!message->aim(descriptor->region, header.local_offset, bytes)) {
    messages_.give_back(*message);
    return drop(header, 0);
  }
  message->owner = this;
  message->kind = MessageKind::kReply;
  message->phase = Phase::kReply;
  message->peer = header.source.nid;
  message->pid = self_.pid;
  message->bridge = &bridge_;
  message->memory = descriptor->memory;
  message->header = {};
  message->descriptor = descriptor;
  descriptor->consume();
  ++descriptor->pending;
  fill_answer_event(message->event, header, *descriptor);
  message->event.mlength = bytes;
  post_start(*message, PTL_EVENT_REPLY_START);
  return {message, 0};
}

void Interface::take_ack(const WireHeader& header, ptl_ni_fail_t fail, Section& section) {
  Descriptor* descriptor = find_for_answer(header);
  if (descriptor == nullptr) return;
  descriptor->consume();
  ptl_event_t event{};
  fill_answer_event(event, header, *descriptor);
  event.ni_fail_type = fail;
  const ptl_seq_t cause = post(*descriptor, event, PTL_EVENT_ACK);
  unlink_if_finished(*descriptor, event, cause, section);
}

void Interface::fail_reply(const WireHeader& header, ptl_ni_fail_t fail, Section& section) {
  Descriptor* descriptor = find_for_answer(header);
  if (descriptor == nullptr) return;
  descriptor->consume();
  ptl_event_t event{};
  fill_answer_event(event, header, *descriptor);
  event.initiator = header.target;
  event.mlength = 0;
  if (!descriptor->has(PTL_MD_EVENT_START_DISABLE)) post(*descriptor, event, PTL_EVENT_REPLY_START);
  event.ni_fail_type = fail;
  ptl_seq_t cause = event.link;
  if (!descriptor->has(PTL_MD_EVENT_END_DISABLE)) cause = post(*descriptor, event, PTL_EVENT_REPLY_END);
  unlink_if_finished(*descriptor, event, cause, section);
}

void Interface::fail(const WireHeader& header) {
  Section section{*this, Context::kArrival, std::adopt_lock};
  ++counter(PTL_SR_UNDELIVERABLE_COUNT);
  if (header.kind >= MessageKind::kReply || !expectations_.settle(header)) return;
  fail_operation(header, PTL_NI_UNDELIVERABLE, section);
}

/// Reports to an operation's user that its answer will not come.
void Interface::fail_operation(const WireHeader& header, ptl_ni_fail_t fail, Section& section) {
  ++counter(PTL_SR_FAIL_COUNT);
  switch (header.kind) {
    case MessageKind::kPut:
      if (header.ack_wanted != 0) {
        WireHeader answer = header;
        answer.kind = MessageKind::kAck;
        answer.source = header.target;
        take_ack(answer, fail, section);
      }
      break;
    case MessageKind::kGet:
    case MessageKind::kGetPut:
      fail_reply(header, fail, section);
      break;
    case MessageKind::kReply:
    case MessageKind::kAck:
      break;
  }
}

void Interface::lose(NodeId peer) {
  lock_.lock();
  ++counter(PTL_SR_PEER_LOST_COUNT);
  Expectations::Walk walk{expectations_, peer};
  lock_.unlock();
  // Settles one at a time, because each may end registrations and run handlers.
  for (bool more = true; more;) {
    Section section{*this, Context::kArrival};
    WireHeader request;
    more = state_ == State::kOpen && walk.next(request);
    if (more) fail_operation(request, PTL_NI_UNDELIVERABLE, section);
  }
}

void Interface::finalize(TransferRecord& message, ptl_ni_fail_t fail) {
  Section section{*this, Context::kArrival};
  if (fail == PTL_NI_UNDELIVERABLE) ++counter(PTL_SR_UNDELIVERABLE_COUNT);
  switch (message.phase) {
    case Phase::kPut:
      if (fail != PTL_NI_OK) expectations_.settle(message.wire);
      release(message, post_end(message, PTL_EVENT_SEND_END, fail), section);
      break;

    case Phase::kRequest: {
      if (message.descriptor != nullptr) {
        release(message, post_end(message, PTL_EVENT_SEND_END, fail), section);
      } else if (fail != PTL_NI_OK) {
        ++counter(PTL_SR_FAIL_COUNT);
      }
      if (fail != PTL_NI_OK && expectations_.settle(message.wire)) fail_reply(message.wire, fail, section);
      break;
    }

    case Phase::kDeposit: {
      const bool acknowledge =
          fail == PTL_NI_OK && message.wire.ack_wanted != 0 && !message.descriptor->has(PTL_MD_ACK_DISABLE);
      const std::uint64_t bytes = message.event.mlength;
      release(message, post_end(message, PTL_EVENT_PUT_END, fail), section);
      if (!acknowledge) break;
      message.phase = Phase::kAck;
      message.descriptor = nullptr;
      message.memory = 0;
      message.aim_at_nothing();
      make_answer(message, MessageKind::kAck, bytes);
      section.send(message);
      return;
    }

    case Phase::kSwap: {
      if (fail != PTL_NI_OK) {
        release(message, post_end(message, PTL_EVENT_GETPUT_END, fail), section);
        break;
      }
      std::array<std::byte, kMaxSwap> old;
      const std::span<std::byte> part{old.data(), message.bytes};
      const Region& region = message.descriptor->region;
      gather(region, message.event.offset, part);
      scatter({message.swap.data(), part.size()}, region, message.event.offset);
      std::memcpy(message.swap.data(), part.data(), part.size());
      message.phase = Phase::kSwapReturn;
      make_answer(message, MessageKind::kReply, part.size());
      section.send(message);
      return;
    }

    case Phase::kGetReturn:
      release(message, post_end(message, PTL_EVENT_GET_END, fail), section);
      break;
    case Phase::kSwapReturn:
      release(message, post_end(message, PTL_EVENT_GETPUT_END, fail), section);
      break;
    case Phase::kReply:
      release(message, post_end(message, PTL_EVENT_REPLY_END, fail), section);
      break;
    case Phase::kAck:
      break;
  }
  free_message(message);
}

}  // namespace aqueduct::portals3
