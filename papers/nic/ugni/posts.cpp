// Posts: checks them and starts them.
#include <cstring>

#include "papers/nic/ugni/amo.hpp"
#include "papers/nic/ugni/process.hpp"

namespace aqueduct::ugni {
namespace {

constexpr std::uint16_t kOwnEvents = GNI_CQMODE_LOCAL_EVENT | GNI_CQMODE_GLOBAL_EVENT;
constexpr std::uint16_t kAllEvents = kOwnEvents | GNI_CQMODE_REMOTE_EVENT;
constexpr std::uint16_t kDeliveryModes =
    GNI_DLVMODE_IN_ORDER | GNI_DLVMODE_NO_RADAPT | GNI_DLVMODE_NMIN_HASH | GNI_DLVMODE_MIN_HASH |
    GNI_DLVMODE_ADAPTIVE1 | GNI_DLVMODE_ADAPTIVE2 | GNI_DLVMODE_ADAPTIVE3 | GNI_DLVMODE_ORDERED_TAIL;
constexpr std::uint64_t kGetAlignment = 4;
constexpr std::uint64_t kSyncFlagBytes = 8;
constexpr std::uint64_t kMostWithSyncFlag = std::uint64_t{1} << 20;

bool is_get(gni_post_type_t type) { return type == GNI_POST_RDMA_GET || type == GNI_POST_FMA_GET; }

/// The checks of all posts.
gni_return_t check_modes(const Endpoint& endpoint, const Queue* queue,
                         const gni_post_descriptor_t& descriptor) {
  if (!endpoint.bound) return GNI_RC_INVALID_PARAM;
  if ((descriptor.cq_mode & ~kAllEvents) != 0 || (descriptor.dlvr_mode & ~kDeliveryModes) != 0)
    return GNI_RC_INVALID_PARAM;
  const std::uint16_t own = descriptor.cq_mode & kOwnEvents;
  if (own == kOwnEvents && !endpoint.domain->has(GNI_CDM_MODE_DUAL_EVENTS)) return GNI_RC_INVALID_PARAM;
  if (own != 0 && queue == nullptr) return GNI_RC_INVALID_PARAM;
  return GNI_RC_SUCCESS;
}

/// The checks of gets, which cause no event at the target.
gni_return_t check_get(const gni_post_descriptor_t& descriptor) {
  if (descriptor.length == 0 || (descriptor.cq_mode & GNI_CQMODE_REMOTE_EVENT) != 0)
    return GNI_RC_INVALID_PARAM;
  const bool aligned = descriptor.remote_addr % kGetAlignment == 0 && descriptor.length % kGetAlignment == 0;
  return aligned ? GNI_RC_SUCCESS : GNI_RC_ALIGNMENT_ERROR;
}

gni_return_t check_sync_flag(const gni_post_descriptor_t& descriptor) {
  if (descriptor.sync_flag_addr % kSyncFlagBytes != 0) return GNI_RC_ALIGNMENT_ERROR;
  return descriptor.length > kMostWithSyncFlag ? GNI_RC_SIZE_ERROR : GNI_RC_SUCCESS;
}

gni_return_t check_amo(const Domain& domain, const gni_post_descriptor_t& descriptor) {
  const std::optional<AmoCommand> command = AmoCommand::decode(descriptor.amo_cmd);
  if (!command || (command->is_cached && !domain.has(GNI_CDM_MODE_CACHED_AMO_ENABLED)))
    return GNI_RC_ILLEGAL_OP;
  if (descriptor.length != command->bytes) return GNI_RC_SIZE_ERROR;
  if (descriptor.remote_addr % command->bytes != 0) return GNI_RC_ALIGNMENT_ERROR;
  if (!command->fetches) return GNI_RC_SUCCESS;
  if ((descriptor.cq_mode & GNI_CQMODE_REMOTE_EVENT) != 0) return GNI_RC_INVALID_PARAM;
  return descriptor.local_addr % command->bytes == 0 ? GNI_RC_SUCCESS : GNI_RC_ALIGNMENT_ERROR;
}

bool fetches(const gni_post_descriptor_t& descriptor) {
  if (descriptor.type != GNI_POST_AMO) return is_get(descriptor.type);
  return AmoCommand::decode(descriptor.amo_cmd)->fetches;
}

}  // namespace

gni_return_t Process::check_local(const Endpoint& endpoint, const gni_post_descriptor_t& descriptor,
                                  bool writes, Registration** found) {
  *found = registration_of(descriptor.local_mem_hndl);
  if (*found == nullptr || (*found)->domain != endpoint.domain ||
      !(*found)->holds(descriptor.local_addr, descriptor.length))
    return GNI_RC_INVALID_PARAM;
  return writes && ((*found)->flags & GNI_MEM_READ_ONLY) != 0 ? GNI_RC_PERMISSION_ERROR : GNI_RC_SUCCESS;
}

gni_return_t Process::check_fma(const Endpoint& endpoint, const gni_post_descriptor_t& descriptor) {
  gni_return_t code = check_modes(endpoint, endpoint.source, descriptor);
  if (code != GNI_RC_SUCCESS) return code;
  switch (descriptor.type) {
    case GNI_POST_FMA_PUT:
      break;
    case GNI_POST_FMA_PUT_W_SYNCFLAG:
      code = check_sync_flag(descriptor);
      break;
    case GNI_POST_FMA_GET:
      code = check_get(descriptor);
      break;
    case GNI_POST_AMO:
      code = check_amo(*endpoint.domain, descriptor);
      break;
    case GNI_POST_CE:
    case GNI_POST_FMA_GET_W_FLAG:
    case GNI_POST_AMO_W_FLAG:
      return GNI_RC_ILLEGAL_OP;
    default:
      return GNI_RC_INVALID_PARAM;
  }
  Registration* local = nullptr;
  if (code == GNI_RC_SUCCESS && fetches(descriptor)) code = check_local(endpoint, descriptor, true, &local);
  return code;
}

Request* Process::fresh_request(Endpoint& endpoint, Queue* queue) {
  Request* const request = requests_.take(kMaxRequestIndex);
  if (request == nullptr) return nullptr;
  request->endpoint = &endpoint;
  request->queue = queue;
  request->descriptor = nullptr;
  request->chain = nullptr;
  request->pinned = nullptr;
  request->parts = 0;
  request->result_address = 0;
  request->due = request->status = request->posted = 0;
  request->event_type = GNI_CQ_EVENT_TYPE_POST;
  request->lent = request->unanswered = request->is_rdma = request->is_fence = false;
  request->local_when_sent = request->remote_overrun = false;
  request->out.peer = endpoint.peer;
  request->out.engine = Engine::kFma;
  request->out.in_order = request->out.single_channel = false;
  request->out.payload = {};
  ++endpoint.requests;
  if (queue != nullptr) ++queue->requests;
  return request;
}

gni_return_t Process::take_request(Endpoint& endpoint, Queue* queue, gni_post_descriptor_t& descriptor,
                                   Request** request) {
  if (queue != nullptr && queue->requests >= queue->request_limit()) return GNI_RC_ERROR_RESOURCE;
  *request = fresh_request(endpoint, queue);
  if (*request == nullptr) return GNI_RC_ERROR_RESOURCE;
  (*request)->descriptor = &descriptor;
  (*request)->due = descriptor.cq_mode & kOwnEvents;
  (*request)->local_data = endpoint.local_event_data();
  (*request)->global_data = endpoint.remote_event_data();
  return GNI_RC_SUCCESS;
}

void Process::fill_header(Request& request, MessageKind kind, const gni_post_descriptor_t& descriptor) {
  const Endpoint& endpoint = *request.endpoint;
  WireHeader& header = request.header;
  header = {};
  header.kind = kind;
  header.event_data = endpoint.remote_event_data();
  header.request = name_of(request);
  header.memory = descriptor.remote_mem_hndl;
  header.address = descriptor.remote_addr;
  header.bytes = descriptor.length;
  header.cookie = endpoint.domain->cookie;
  header.ptag = endpoint.domain->ptag;
  request.out.in_order = (descriptor.dlvr_mode & GNI_DLVMODE_IN_ORDER) == GNI_DLVMODE_IN_ORDER;
  if (request.out.in_order) header.flags |= kInOrder;
  if ((descriptor.cq_mode & GNI_CQMODE_REMOTE_EVENT) != 0) header.flags |= kWantsEvent;
  if ((descriptor.cq_mode & GNI_CQMODE_GLOBAL_EVENT) != 0) header.flags |= kWantsResponse;
  request.local_when_sent = true;
}

void Process::copy_payload(Request& request, std::span<const std::byte> bytes) {
  request.buffer.assign(bytes.begin(), bytes.end());
  request.out.payload = {request.buffer.data(), request.buffer.size()};
}

void Process::launch(Request& request) {
  request.unanswered = (request.header.flags & kWantsResponse) != 0;
  request.header.seal();
  request.out.header = request.header.as_bytes();
  if (is_lost(request.out.peer)) {
    if (request.pinned != nullptr) unpin(*std::exchange(request.pinned, nullptr));
    complete(request, AQ_GNI_STATUS_PEER_LOST);
    return;
  }
  request.lent = true;
  device_.send(request.out);
}

// The block transfer engine.

gni_return_t Process::post_rdma(gni_ep_handle_t ep, gni_post_descriptor_t* descriptor) {
  const Section section{*this};
  Endpoint* const endpoint = endpoint_of(ep);
  if (endpoint == nullptr || descriptor == nullptr) return GNI_RC_INVALID_PARAM;
  const bool get = descriptor->type == GNI_POST_RDMA_GET;
  if (!get && descriptor->type != GNI_POST_RDMA_PUT) return GNI_RC_INVALID_PARAM;
  Queue* queue = endpoint->source;
  if (descriptor->src_cq_hndl != nullptr) {
    queue = queue_of(descriptor->src_cq_hndl);
    if (queue == nullptr || queue->domain != endpoint->domain || !queue->claim(Queue::Use::kSource))
      return GNI_RC_INVALID_PARAM;
  }
  gni_return_t code = check_modes(*endpoint, queue, *descriptor);
  if (code != GNI_RC_SUCCESS) return code;
  if (descriptor->length == 0) return GNI_RC_INVALID_PARAM;
  if ((descriptor->rdma_mode & GNI_RDMAMODE_PHYS_ADDR) != 0) return GNI_RC_PERMISSION_ERROR;
  if (get) code = check_get(*descriptor);
  Registration* local = nullptr;
  if (code == GNI_RC_SUCCESS) code = check_local(*endpoint, *descriptor, get, &local);
  Request* request = nullptr;
  if (code == GNI_RC_SUCCESS) code = take_request(*endpoint, queue, *descriptor, &request);
  if (code != GNI_RC_SUCCESS) return code;

  fill_header(*request, get ? MessageKind::kGet : MessageKind::kPut, *descriptor);
  // Each gets a response, as in the real network, because fences wait for it.
  request->header.flags |= kWantsResponse;
  request->out.engine = Engine::kBte;
  request->out.single_channel = endpoint->domain->has(GNI_CDM_MODE_BTE_SINGLE_CHANNEL);
  request->is_rdma = true;
  request->is_fence = (descriptor->rdma_mode & GNI_RDMAMODE_FENCE) != 0;
  if (get) {
    request->local_when_sent = false;
    request->local_memory = descriptor->local_mem_hndl;
    request->result_address = descriptor->local_addr;
  } else {
    request->out.payload = {reinterpret_cast<void*>(descriptor->local_addr), descriptor->length};
    request->pinned = local;
    ++local->under_way;
  }
  request->unanswered = true;
  endpoint->domain->behind_fence.push_back(request);
  launch_behind_fence(*endpoint->domain);
  return GNI_RC_SUCCESS;
}

void Process::launch_behind_fence(Domain& domain) {
  while (!domain.fenced && !domain.behind_fence.empty()) {
    Request& request = *domain.behind_fence.front();
    domain.behind_fence.pop_front();
    ++domain.rdma_unanswered;
    domain.fenced = request.is_fence;
    launch(request);
  }
}

// The FMA window.

void Process::prepare_fma(Request& request, const gni_post_descriptor_t& descriptor) {
  WireHeader& header = request.header;
  if (fetches(descriptor)) {
    header.flags |= kWantsResponse;
    request.local_when_sent = false;
    request.local_memory = descriptor.local_mem_hndl;
    request.result_address = descriptor.local_addr;
  }
  if (descriptor.type == GNI_POST_AMO) {
    header.command = static_cast<std::uint16_t>(descriptor.amo_cmd);
    header.first = descriptor.first_operand;
    header.second = descriptor.second_operand;
  } else if (!is_get(descriptor.type)) {
    copy_payload(request, {reinterpret_cast<const std::byte*>(descriptor.local_addr), descriptor.length});
    if (descriptor.type == GNI_POST_FMA_PUT_W_SYNCFLAG) {
      header.flags |= kHasSyncFlag;
      header.first = descriptor.sync_flag_addr;
      header.second = descriptor.sync_flag_value;
    }
  }
}

namespace {

MessageKind fma_kind(gni_post_type_t type) {
  if (type == GNI_POST_AMO) return MessageKind::kAmo;
  return is_get(type) ? MessageKind::kGet : MessageKind::kPut;
}

}  // namespace

gni_return_t Process::post_fma(gni_ep_handle_t ep, gni_post_descriptor_t* descriptor) {
  const Section section{*this};
  Endpoint* const endpoint = endpoint_of(ep);
  if (endpoint == nullptr || descriptor == nullptr) return GNI_RC_INVALID_PARAM;
  gni_return_t code = check_fma(*endpoint, *descriptor);
  Request* request = nullptr;
  if (code == GNI_RC_SUCCESS) code = take_request(*endpoint, endpoint->source, *descriptor, &request);
  if (code != GNI_RC_SUCCESS) return code;
  fill_header(*request, fma_kind(descriptor->type), *descriptor);
  prepare_fma(*request, *descriptor);
  launch(*request);
  return GNI_RC_SUCCESS;
}

namespace {

void fill_cq_write(WireHeader& header, std::uint64_t value) {
  header.bytes = 0;
  header.flags |= kWantsEvent;
  header.first = AQ_GNI_FIELD_(value, 0, AQ_GNI_DATA_BITS_);
}

}  // namespace

gni_return_t Process::post_cq_write(gni_ep_handle_t ep, gni_post_descriptor_t* descriptor) {
  const Section section{*this};
  Endpoint* const endpoint = endpoint_of(ep);
  if (endpoint == nullptr || descriptor == nullptr || descriptor->type != GNI_POST_CQWRITE)
    return GNI_RC_INVALID_PARAM;
  gni_return_t code = check_modes(*endpoint, endpoint->source, *descriptor);
  Request* request = nullptr;
  if (code == GNI_RC_SUCCESS) code = take_request(*endpoint, endpoint->source, *descriptor, &request);
  if (code != GNI_RC_SUCCESS) return code;
  fill_header(*request, MessageKind::kCqWrite, *descriptor);
  fill_cq_write(request->header, descriptor->cqwrite_value);
  launch(*request);
  return GNI_RC_SUCCESS;
}

// Chains. The first part has the events; it is over when all are.

gni_return_t Process::start_chain(Endpoint& endpoint, gni_post_descriptor_t& first,
                                  const std::vector<gni_post_descriptor_t>& parts,
                                  const std::vector<Endpoint*>& targets) {
  Request* head = nullptr;
  if (requests_.live() + parts.size() + 1 > kMaxRequestIndex) return GNI_RC_ERROR_RESOURCE;
  const gni_return_t code = take_request(endpoint, endpoint.source, first, &head);
  if (code != GNI_RC_SUCCESS) return code;
  const auto start = [&](Request& request, const gni_post_descriptor_t& part) {
    if (part.type == GNI_POST_CQWRITE) {
      fill_header(request, MessageKind::kCqWrite, part);
      fill_cq_write(request.header, part.cqwrite_value);
    } else {
      fill_header(request, fma_kind(part.type), part);
      prepare_fma(request, part);
    }
    request.header.flags |= kWantsResponse;
    request.local_when_sent = false;
    request.chain = head;
    launch(request);
  };
  head->parts = static_cast<std::uint32_t>(parts.size()) + 1;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Request* const request = fresh_request(*targets[i], nullptr);
    if (request == nullptr) return GNI_RC_ERROR_RESOURCE;
    start(*request, parts[i]);
  }
  start(*head, first);
  return GNI_RC_SUCCESS;
}

gni_return_t Process::post_fma_chain(gni_ep_handle_t ep, gni_post_descriptor_t* descriptor) {
  const Section section{*this};
  Endpoint* const endpoint = endpoint_of(ep);
  if (endpoint == nullptr || descriptor == nullptr) return GNI_RC_INVALID_PARAM;
  const bool get = descriptor->type == GNI_POST_FMA_GET;
  if (!get && descriptor->type != GNI_POST_FMA_PUT) return GNI_RC_INVALID_PARAM;
  gni_return_t code = check_fma(*endpoint, *descriptor);
  std::vector<gni_post_descriptor_t> parts;
  std::vector<Endpoint*> targets;
  for (const void* next = descriptor->next_descr; next != nullptr && code == GNI_RC_SUCCESS;) {
    gni_post_descriptor_t part = *descriptor;
    const auto take = [&](const auto& from) {
      part.remote_addr = from.remote_addr;
      part.remote_mem_hndl = from.remote_mem_hndl;
      part.local_addr = from.local_addr;
      part.length = from.length;
      targets.push_back(endpoint_of(from.ep_hndl));
      next = from.next_descr;
    };
    if (get) {
      const auto& from = *static_cast<const gni_ct_get_post_descriptor_t*>(next);
      part.local_mem_hndl = from.local_mem_hndl;
      take(from);
    } else {
      take(*static_cast<const gni_ct_put_post_descriptor_t*>(next));
    }
    code = targets.back() == nullptr || targets.back()->domain != endpoint->domain
               ? GNI_RC_INVALID_PARAM
               : check_fma(*targets.back(), part);
    parts.push_back(part);
  }
  return code == GNI_RC_SUCCESS ? start_chain(*endpoint, *descriptor, parts, targets) : code;
}

gni_return_t Process::post_cq_write_chain(gni_ep_handle_t ep, gni_post_descriptor_t* descriptor) {
  const Section section{*this};
  Endpoint* const endpoint = endpoint_of(ep);
  if (endpoint == nullptr || descriptor == nullptr || descriptor->type != GNI_POST_CQWRITE)
    return GNI_RC_INVALID_PARAM;
  gni_return_t code = check_modes(*endpoint, endpoint->source, *descriptor);
  std::vector<gni_post_descriptor_t> parts;
  std::vector<Endpoint*> targets;
  for (const void* next = descriptor->next_descr; next != nullptr && code == GNI_RC_SUCCESS;) {
    const auto& from = *static_cast<const gni_ct_cqw_post_descriptor_t*>(next);
    gni_post_descriptor_t part = *descriptor;
    part.remote_mem_hndl = from.remote_mem_hndl;
    part.cqwrite_value = from.cqwrite_value;
    next = from.next_descr;
    targets.push_back(endpoint_of(from.ep_hndl));
    if (targets.back() == nullptr || !targets.back()->bound || targets.back()->domain != endpoint->domain)
      code = GNI_RC_INVALID_PARAM;
    parts.push_back(part);
  }
  return code == GNI_RC_SUCCESS ? start_chain(*endpoint, *descriptor, parts, targets) : code;
}

}  // namespace aqueduct::ugni
