// Posts under way: posts their events and ends them.
//
// A put, a CQ write and an AMO that fetches nothing have left when the device says so: LOCAL. They are
// answered if GLOBAL was asked for, and in any case if they have failed. Gets and fetching AMOs are over when
// the answer is here, and both events mean that.
//
// If both events are due LOCAL comes first, also where the answer overtakes the news that the message has
// left.
#include "base/fatal.hpp"
#include "papers/nic/ugni/process.hpp"

namespace aqueduct::ugni {
namespace {

const char* kind_text(MessageKind kind) {
  switch (kind) {
    case MessageKind::kPut:
      return "a put";
    case MessageKind::kGet:
      return "a get";
    case MessageKind::kAmo:
      return "an AMO";
    case MessageKind::kCqWrite:
      return "a CQ write";
    case MessageKind::kMsgq:
      return "a message";
    default:
      return "a transaction";
  }
}

}  // namespace

const char* status_text(std::uint8_t status) {
  switch (status) {
    case AQ_GNI_STATUS_OK:
      return "no error";
    case AQ_GNI_STATUS_NO_MEMORY:
      return "the target has registered no such memory";
    case AQ_GNI_STATUS_READ_ONLY:
      return "the target's memory is read-only";
    case AQ_GNI_STATUS_NO_QUEUE:
      return "the target's memory has no completion queue";
    case AQ_GNI_STATUS_PEER_LOST:
      return "the peer is lost";
    case AQ_GNI_STATUS_PROTECTION:
      return "the target's memory is of another communication domain";
    case AQ_GNI_STATUS_BROKEN_OFF:
      return "the transfer broke off";
    default:
      return "an unknown error";
  }
}

std::uint64_t Process::name_of(const Request& request) const {
  return static_cast<std::uint64_t>(request.generation) << 32 | (request.index + 1);
}

Request* Process::request_of(std::uint64_t name) {
  const auto index = static_cast<std::uint32_t>(name) - 1;
  const auto generation = static_cast<std::uint32_t>(name >> 32);
  Request* const request = requests_.find(index, generation & kRequestGenerationMask);
  return request != nullptr && request->generation == generation ? request : nullptr;
}

void Process::post_due(Request& request, std::uint8_t event) {
  if ((request.due & event) == 0) return;
  request.due &= static_cast<std::uint8_t>(~event);
  const bool is_post = request.event_type == GNI_CQ_EVENT_TYPE_POST;
  std::uint64_t data = event == GNI_CQMODE_LOCAL_EVENT ? request.local_data : request.global_data;
  if (is_post) {
    const std::uint64_t tid = request.index | (request.generation & kRequestGenerationMask) << 16;
    data = AQ_GNI_FIELD_(data, 0, 24) | tid << 24;
  }
  const std::uint64_t source = request.is_rdma ? AQ_GNI_SOURCE_BTE : AQ_GNI_SOURCE_FMA;
  gni_cq_entry_t entry = make_entry(data, request.event_type, source, request.status);
  if (request.remote_overrun && event == GNI_CQMODE_GLOBAL_EVENT) aq_gni_set_field_(&entry, 59, 1, 1);
  if (push_event(*request.queue, entry) && is_post) request.which[request.posted++] = event;
}

void Process::complete(Request& request, std::uint8_t status) {
  request.unanswered = false;
  if (request.is_rdma) {
    Domain& domain = *request.endpoint->domain;
    if (--domain.rdma_unanswered == 0 && domain.fenced) {
      domain.fenced = false;
      launch_behind_fence(domain);
    }
  }
  Request& first = request.chain != nullptr ? *request.chain : request;
  if (status != AQ_GNI_STATUS_OK) {
    first.status = status;
    const std::uint32_t modes = request.endpoint->domain->modes;
    if (first.due == 0 || (modes & GNI_CDM_MODE_ERR_ALL_KILL) != 0)
      fail_unreported(request.out.peer, request.header.kind, status, modes);
  }
  if (request.chain != nullptr) {
    const bool is_last = --first.parts == 0;
    if (&first != &request) release_if_over(request);
    if (!is_last) return;
  }
  post_due(first, GNI_CQMODE_LOCAL_EVENT);
  post_due(first, GNI_CQMODE_GLOBAL_EVENT);
  release_if_over(first);
}

void Process::sent(NicTransfer& transfer) {
  const Section section{*this};
  Lent& lent = static_cast<Lent&>(transfer);
  if (lent.owner == Lent::Owner::kAnswer) {
    Answer& answer = *static_cast<Answer*>(lent.object);
    if (answer.memory != nullptr) unpin(*answer.memory);
    if (--lent_answers_ == 0) changed();
    answers_.give_back(answer);
    return;
  }
  Request& request = *static_cast<Request*>(lent.object);
  request.lent = false;
  if (request.pinned != nullptr) unpin(*std::exchange(request.pinned, nullptr));
  if (request.local_when_sent) post_due(request, GNI_CQMODE_LOCAL_EVENT);
  // A domain that is being destroyed waits for this.
  if (!request.endpoint->domain->attached) changed();
  release_if_over(request);
}

void Process::release_if_over(Request& request) {
  if (!request.live || !request.is_over()) return;
  --request.endpoint->requests;
  if (request.queue != nullptr) --request.queue->requests;
  requests_.give_back(request);
}

void Process::take_response(const WireHeader& header, NodeId source) {
  Request* const request = request_of(header.request);
  if (request == nullptr || request->out.peer != source) {
    if (header.status == AQ_GNI_STATUS_OK) return;
    bool is_ours = false;  // otherwise its domain was destroyed meanwhile
    std::uint32_t modes = 0;
    domains_.for_each_live([&](const Domain& each) {
      if (each.cookie != header.cookie || each.ptag != header.ptag) return;
      is_ours = true;
      modes |= each.modes;
    });
    if (is_ours) fail_unreported(source, static_cast<MessageKind>(header.command), header.status, modes);
    return;
  }
  if ((header.flags & kRemoteOverrun) != 0) request->remote_overrun = true;
  if (request->unanswered) {
    complete(*request,
             header.status == AQ_GNI_STATUS_OK ? store_result(*request, header.first) : header.status);
  } else if (header.status != AQ_GNI_STATUS_OK) {
    // It wanted no answer, and its LOCAL event may be posted already.
    request->status = header.status;
    if (request->due == 0)
      fail_unreported(source, request->header.kind, header.status, request->endpoint->domain->modes);
  }
}

void Process::fail_unreported(NodeId peer, MessageKind kind, std::uint8_t status, std::uint32_t modes) {
  if ((modes & GNI_CDM_MODE_ERR_NO_KILL) != 0) return;
  // The supervisor of the job knows better why a peer is gone.
  if (status == AQ_GNI_STATUS_PEER_LOST && (modes & GNI_CDM_MODE_ERR_ALL_KILL) == 0) return;
  fatal("uGNI", "%s to rank %u failed: %s", kind_text(kind), peer, status_text(status));
}

void Process::undeliverable(NodeId target, std::span<const std::byte> bytes) {
  const std::optional<WireHeader> header = WireHeader::read_own(bytes);
  if (!header) return;
  if (header->kind == MessageKind::kDatagram) {
    const Section section{*this};
    fail_datagrams(target);
  } else if (header->kind <= MessageKind::kCqWrite || header->kind == MessageKind::kMsgq) {
    const Section section{*this};
    WireHeader failure = *header;
    failure.kind = MessageKind::kResponse;
    failure.command = static_cast<std::uint16_t>(header->kind);
    failure.status = AQ_GNI_STATUS_PEER_LOST;
    failure.flags = 0;
    take_response(failure, target);
  }
}

void Process::lost(NodeId node) {
  const Section section{*this};
  mark_lost(node);
  requests_.for_each_live([&](Request& each) {
    if (each.out.peer == node && each.unanswered) complete(each, AQ_GNI_STATUS_PEER_LOST);
  });
  fail_datagrams(node);
  changed();
}

}  // namespace aqueduct::ugni
