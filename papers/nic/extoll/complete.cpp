// RMA at the responder and the completer, and how commands end.
//
//   put, immediate, notification put   ──▶ completer of the target
//   get, lock ──▶ responder of the target ──▶ completer of the initiator
//   what is wrong at the target        ──▶ kFailure, with the command's own header: an error notification
#include <cstring>

#include "papers/nic/extoll/notification.hpp"
#include "papers/nic/extoll/process.hpp"

namespace aqueduct::extoll {

bool Process::is_fetch(const WireHeader& command) {
  return command.command == RMA2_BT_GET || command.command == RMA2_QW_GET ||
         command.command == RMA2_LOCK_REQ || is_answer(command);
}

bool Process::is_answer(const WireHeader& command) {
  return command.command == RMA2_GET_BT_RSP || command.command == RMA2_GET_QW_RSP ||
         command.command == RMA2_LOCK_RSP;
}

RmaRequest* Process::request_of(const WireHeader& header, NodeId source) {
  RmaRequest* const request = rma_requests_.find(static_cast<std::uint32_t>(header.request) - 1,
                                                 static_cast<std::uint32_t>(header.request >> 32));
  return request != nullptr && request->unanswered && request->out.peer == source ? request : nullptr;
}

void Process::release_if_over(RmaRequest& request) {
  if (request.lent || request.unanswered) return;
  if (request.region != nullptr) --request.region->under_way;
  --request.port->requests;
  rma_requests_.give_back(request);
  changed();
}

/// The command has left; a put's data have been read. The requester's notification comes before those of
/// other units, also if an answer comes before the message is known to have left.
void Process::tell_requester(RmaRequest& request) {
  if (std::exchange(request.is_told, true)) return;
  if ((request.header.notification & RMA2_REQUESTER_NOTIFICATION) != 0)
    notify(*request.port, make_notification(request.header, request.local, request.out.peer,
                                            request.header.target_vpid, RMA2_REQUESTER_NOTIFICATION));
}

void Process::sent_request(RmaRequest& request) {
  request.lent = false;
  tell_requester(request);
  release_if_over(request);
}

NicTransfer* Process::rma_arrived(const WireHeader& header, NodeId source) {
  switch (header.kind) {
    case MessageKind::kGetReply:
      return place_reply(header, source);
    case MessageKind::kLockReply:
      take_lock_reply(header, source);
      return nullptr;
    case MessageKind::kFailure:
      take_failure(header, source);
      return nullptr;
    case MessageKind::kNotified:
      take_notified(header, source);
      return nullptr;
    default:
      break;
  }
  RmaPort* const port = rma_ports_.find_live(header.target_vpid);
  const bool at_responder = header.kind == MessageKind::kGet || header.kind == MessageKind::kLock;
  if (port == nullptr) {
    fail(header, source, at_responder ? RMA2_ERROR_RESP : RMA2_ERROR_CMPL);
  } else if (header.kind == MessageKind::kPut) {
    return place_put(*port, header, source);
  } else if (header.kind == MessageKind::kImmediate) {
    complete_immediate(*port, header, source);
  } else if (header.kind == MessageKind::kNotificationPut) {
    complete_put(*port, header, source);
  } else if (header.kind == MessageKind::kGet) {
    respond_get(*port, header, source);
  } else {
    respond_lock(*port, header, source);
  }
  return nullptr;
}

// At the target.

RmaRegion* Process::target_of(const RmaPort& port, const WireHeader& header) {
  const bool is_quadwords = header.command == RMA2_QW_PUT || header.command == RMA2_QW_GET;
  if (is_quadwords && ((header.address | header.bytes) & 7) != 0) return nullptr;
  return region_at(port, header.address, header.bytes);
}

NicTransfer* Process::place_put(RmaPort& port, const WireHeader& header, NodeId source) {
  RmaRegion* const region = target_of(port, header);
  if (region == nullptr) {
    fail(header, source, RMA2_ERROR_CMPL);
    return nullptr;
  }
  return &keep(header, source, *region, region->at(header.address)).in;
}

RmaLanding& Process::keep(const WireHeader& header, NodeId source, RmaRegion& region, std::byte* place) {
  RmaLanding& landing = rma_landings_.take();
  landing.header = header;
  landing.region = &region;
  landing.in.peer = source;
  landing.in.payload = {place, header.bytes};
  ++region.under_way;
  return landing;
}

void Process::rma_landed(RmaLanding& landing, bool whole) {
  --landing.region->under_way;
  const WireHeader& header = landing.header;
  if (header.kind == MessageKind::kGetReply) {
    if (RmaRequest* const request = request_of(header, landing.in.peer))
      complete_request(*request, header, whole ? 0 : RMA2_ERROR_CMPL);
  } else if (whole) {
    complete_put(*landing.region->port, header, landing.in.peer);
  }
  // The sender learns of a put that broke off by undeliverable().
  rma_landings_.give_back(landing);
  changed();
}

void Process::complete_put(RmaPort& port, const WireHeader& header, NodeId source) {
  if ((header.notification & RMA2_COMPLETER_NOTIFICATION) != 0)
    notify_of(port, header, source, RMA2_COMPLETER_NOTIFICATION);
}

void Process::complete_immediate(RmaPort& port, const WireHeader& header, NodeId source) {
  const RmaRegion* const region = region_at(port, header.address, header.bytes);
  if (region == nullptr) return fail(header, source, RMA2_ERROR_CMPL);
  std::memcpy(region->at(header.address), &header.value, header.bytes);
  complete_put(port, header, source);
}

void Process::respond_get(RmaPort& port, const WireHeader& header, NodeId source) {
  RmaRegion* const region = target_of(port, header);
  if (region == nullptr) return fail(header, source, RMA2_ERROR_RESP);
  if ((header.notification & RMA2_RESPONDER_NOTIFICATION) != 0)
    notify_of(port, header, source, RMA2_RESPONDER_NOTIFICATION);
  ++region->under_way;
  WireHeader reply = header;
  reply.kind = MessageKind::kGetReply;
  reply.command = header.command == RMA2_QW_GET ? RMA2_GET_QW_RSP : RMA2_GET_BT_RSP;
  send_answer(reply, source, region);
}

void Process::respond_lock(RmaPort& port, const WireHeader& header, NodeId source) {
  const std::uint32_t unit = header.count >> 24, number = header.count & 0xffffffu;
  auto& locks = port.locks[unit];
  if (locks == nullptr) locks = std::make_unique<std::int32_t[]>(RMA2_LOCKS);
  const auto compare = static_cast<std::int32_t>(header.value >> 32),
             add = static_cast<std::int32_t>(header.value);
  const bool passed = locks[number] <= compare;
  if (passed)
    locks[number] = static_cast<std::int32_t>(static_cast<std::uint32_t>(locks[number]) +
                                              static_cast<std::uint32_t>(add));
  WireHeader reply = header;
  reply.value = lock_word(number, passed, locks[number]);
  if ((header.notification & RMA2_RESPONDER_NOTIFICATION) != 0)
    notify_of(port, reply, source, RMA2_RESPONDER_NOTIFICATION);
  reply.kind = MessageKind::kLockReply;
  reply.command = RMA2_LOCK_RSP;
  send_answer(reply, source, nullptr);
}

void Process::fail(const WireHeader& header, NodeId source, std::uint8_t unit) {
  WireHeader failure = header;
  failure.kind = MessageKind::kFailure;
  failure.status = unit;
  send_answer(failure, source, nullptr);
}

void Process::send_answer(WireHeader& header, NodeId target, RmaRegion* region) {
  RmaAnswer& answer = rma_answers_.take();
  answer.header = header;
  answer.header.seal();
  answer.region = region;
  answer.out.peer = target;
  answer.out.unit = Unit::kResponder;
  answer.out.header = answer.header.as_bytes();
  answer.out.payload = {};
  if (region != nullptr) answer.out.payload = {region->at(header.address), header.bytes};
  send(answer.out);
}

void Process::sent_answer(RmaAnswer& answer) {
  if (answer.region != nullptr) --answer.region->under_way;
  rma_answers_.give_back(answer);
}

// At the initiator.

NicTransfer* Process::place_reply(const WireHeader& header, NodeId source) {
  RmaRequest* const request = request_of(header, source);
  if (request == nullptr || request->header.kind != MessageKind::kGet ||
      request->header.bytes != header.bytes)
    return nullptr;
  return &keep(header, source, *request->region, request->region->at(request->local)).in;
}

void Process::take_lock_reply(const WireHeader& header, NodeId source) {
  RmaRequest* const request = request_of(header, source);
  if (request != nullptr && request->header.kind == MessageKind::kLock) complete_request(*request, header, 0);
}

/// A get or a lock is answered, or never will be: then `error` is the unit.
void Process::complete_request(RmaRequest& request, const WireHeader& answer, std::uint8_t error) {
  const std::uint8_t wanted = request.header.notification;
  tell_requester(request);
  if (error != 0 && wanted != 0) {
    notify(*request.port, make_notification(request.header, request.local, request.out.peer,
                                            request.header.target_vpid, error, error));
  } else if (error == 0 && (wanted & RMA2_COMPLETER_NOTIFICATION) != 0) {
    notify(*request.port, make_notification(answer, request.local, request.out.peer,
                                            request.header.target_vpid, RMA2_COMPLETER_NOTIFICATION));
  }
  request.unanswered = false;
  release_if_over(request);
}

/// `header` is the command's, which may be over at its initiator.
void Process::take_failure(const WireHeader& header, NodeId peer) {
  const auto unit = static_cast<std::uint8_t>(header.status);
  settle_notification(header, peer);
  if (RmaRequest* const request = request_of(header, peer)) return complete_request(*request, header, unit);
  // A get or lock that is over has already notified.
  if (is_fetch(header)) return;
  RmaPort* const port = rma_ports_.find_live(header.source_vpid);
  if (port == nullptr || port->generation != header.generation || header.notification == 0) return;
  notify(*port, make_notification(header, header.local, peer, header.target_vpid, unit, unit));
}

void Process::rma_undeliverable(const WireHeader& header, NodeId target) {
  if (header.kind == MessageKind::kGetReply || header.kind == MessageKind::kLockReply)
    return fail(header, target, RMA2_ERROR_RESP);
  if (header.kind == MessageKind::kFailure || header.kind == MessageKind::kNotified) return;
  WireHeader failure = header;
  failure.status = RMA2_ERROR_REQ;
  take_failure(failure, target);
}

void Process::rma_lost(NodeId node) {
  rma_requests_.for_each_live([&](RmaRequest& each) {
    if (each.out.peer == node && each.unanswered) complete_request(each, each.header, RMA2_ERROR_REQ);
  });
}

}  // namespace aqueduct::extoll
