// Datagrams: exchanges of a few bytes, by which processes meet.
//
//   a bound endpoint posts      its bytes go to the instance that it is bound to
//   bytes come                  for an endpoint that is bound to where they come from and has posted; else for an
//                               unbound one that has posted, which sends its own back; else they wait for one
//   a bound endpoint cancels    its bytes are forgotten where they wait
//
// Both sides of an exchange send, so an exchange is complete for each side when the other's bytes are here.
#include <algorithm>
#include <cstring>

#include "papers/nic/ugni/process.hpp"

namespace aqueduct::ugni {
namespace {

constexpr std::uint64_t kNoId = ~std::uint64_t{0};

std::uint32_t sender_of(const WireHeader& header) { return static_cast<std::uint32_t>(header.first); }
std::uint32_t receiver_of(const WireHeader& header) { return static_cast<std::uint32_t>(header.first >> 32); }

}  // namespace

gni_return_t Process::post_datagram(gni_ep_handle_t ep, const void* in, std::uint16_t in_bytes, void* out,
                                    std::uint16_t out_bytes, const std::uint64_t* id) {
  const Section section{*this};
  Endpoint* const endpoint = endpoint_of(ep);
  if (endpoint == nullptr || (id != nullptr && *id == kNoId)) return GNI_RC_INVALID_PARAM;
  if ((in_bytes != 0 && in == nullptr) || (out_bytes != 0 && out == nullptr)) return GNI_RC_INVALID_PARAM;
  if (in_bytes > GNI_DATAGRAM_MAXSIZE || out_bytes > GNI_DATAGRAM_MAXSIZE) return GNI_RC_SIZE_ERROR;
  if (!endpoint->datagram) endpoint->datagram = std::make_unique<Datagram>();
  Datagram& datagram = *endpoint->datagram;
  if (datagram.active) return GNI_RC_ERROR_RESOURCE;
  datagram.active = true;
  datagram.has_id = id != nullptr;
  datagram.id = id != nullptr ? *id : kNoId;
  datagram.too_small = false;
  datagram.state = GNI_POST_PENDING;
  datagram.out = out;
  datagram.out_bytes = out_bytes;
  datagram.in_bytes = in_bytes;
  if (in_bytes != 0) std::memcpy(datagram.in.data(), in, in_bytes);
  if (endpoint->bound) {
    if (is_lost(endpoint->peer)) {
      datagram.state = GNI_POST_ERROR;
      changed();
      return GNI_RC_SUCCESS;
    }
    send_datagram(*endpoint, endpoint->peer, endpoint->remote_id, MessageKind::kDatagram);
  }
  match_datagram(*endpoint);
  return GNI_RC_SUCCESS;
}

void Process::send_datagram(const Endpoint& endpoint, NodeId target, std::uint32_t target_id,
                            MessageKind kind) {
  const Domain& domain = *endpoint.domain;
  const Datagram& datagram = *endpoint.datagram;
  Answer& answer = answers_.take();
  answer.header = {};
  answer.header.kind = kind;
  answer.header.first = static_cast<std::uint64_t>(target_id) << 32 | domain.inst_id;
  answer.header.cookie = domain.cookie;
  answer.header.ptag = domain.ptag;
  answer.memory = nullptr;
  answer.out.payload = {};
  if (kind == MessageKind::kDatagram) {
    answer.header.bytes = datagram.in_bytes;
    answer.buffer = datagram.in;
    answer.out.payload = {answer.buffer.data(), datagram.in_bytes};
  }
  send_answer(answer, target, Engine::kDriver);
}

/// Whether an endpoint that has posted would take this datagram.
bool Process::is_for(const Endpoint& endpoint, const WireHeader& header, NodeId source) const {
  const Domain& domain = *endpoint.domain;
  if (!endpoint.datagram || !endpoint.datagram->active || endpoint.datagram->state != GNI_POST_PENDING)
    return false;
  if (domain.cookie != header.cookie || domain.ptag != header.ptag || domain.inst_id != receiver_of(header))
    return false;
  return !endpoint.bound || (endpoint.peer == source && endpoint.remote_id == sender_of(header));
}

void Process::exchange(Endpoint& endpoint, const WireHeader& header, NodeId source, const std::byte* data) {
  Datagram& datagram = *endpoint.datagram;
  datagram.remote_address = source;
  datagram.remote_id = sender_of(header);
  datagram.too_small = header.bytes > datagram.out_bytes;
  const std::size_t bytes = std::min<std::size_t>(header.bytes, datagram.out_bytes);
  if (bytes != 0) std::memcpy(datagram.out, data, bytes);
  datagram.state = GNI_POST_COMPLETED;
  if (!endpoint.bound) send_datagram(endpoint, source, datagram.remote_id, MessageKind::kDatagram);
  changed();
}

void Process::finish_datagram(const Landing& landing) {
  Endpoint* taker = nullptr;
  endpoints_.for_each_live([&](Endpoint& each) {
    const bool better = taker == nullptr || (each.bound && !taker->bound);
    if (better && is_for(each, landing.header, landing.source)) taker = &each;
  });
  if (taker != nullptr) return exchange(*taker, landing.header, landing.source, landing.buffer.data());
  Unmatched& unmatched = unmatched_.emplace_back();
  unmatched.source = landing.source;
  unmatched.header = landing.header;
  std::copy(landing.buffer.begin(), landing.buffer.end(), unmatched.data.begin());
}

void Process::match_datagram(Endpoint& endpoint) {
  const auto found = std::ranges::find_if(
      unmatched_, [&](const Unmatched& each) { return is_for(endpoint, each.header, each.source); });
  if (found == unmatched_.end()) return;
  exchange(endpoint, found->header, found->source, found->data.data());
  unmatched_.erase(found);
}

void Process::cancel_unmatched(const WireHeader& header, NodeId source) {
  const auto found = std::ranges::find_if(unmatched_, [&](const Unmatched& each) {
    return each.source == source && each.header.first == header.first &&
           each.header.cookie == header.cookie && each.header.ptag == header.ptag;
  });
  if (found != unmatched_.end()) unmatched_.erase(found);
}

Datagram* Process::datagram_of(gni_ep_handle_t ep, const std::uint64_t* id, gni_return_t* code) {
  Endpoint* const endpoint = endpoint_of(ep);
  *code = endpoint == nullptr || (id != nullptr && *id == kNoId) ? GNI_RC_INVALID_PARAM : GNI_RC_NO_MATCH;
  if (*code == GNI_RC_INVALID_PARAM || !endpoint->datagram || !endpoint->datagram->active) return nullptr;
  Datagram& datagram = *endpoint->datagram;
  if (datagram.has_id != (id != nullptr) || (id != nullptr && datagram.id != *id)) return nullptr;
  *code = GNI_RC_SUCCESS;
  return &datagram;
}

gni_return_t Process::test_datagram(gni_ep_handle_t ep, const std::uint64_t* id, gni_post_state_t* state,
                                    std::uint32_t* address, std::uint32_t* remote_id) {
  const Section section{*this};
  gni_return_t code;
  Datagram* const datagram = datagram_of(ep, id, &code);
  if (datagram == nullptr) return code;
  *state = datagram->state;
  if (!datagram->is_over()) return GNI_RC_SUCCESS;
  datagram->active = false;
  if (datagram->state == GNI_POST_COMPLETED) {
    *address = datagram->remote_address;
    *remote_id = datagram->remote_id;
  }
  return datagram->too_small ? GNI_RC_SIZE_ERROR : GNI_RC_SUCCESS;
}

gni_return_t Process::cancel_datagram(gni_ep_handle_t ep, const std::uint64_t* id) {
  const Section section{*this};
  gni_return_t code;
  Datagram* const datagram = datagram_of(ep, id, &code);
  if (datagram == nullptr) return code;
  if (datagram->is_over()) return GNI_RC_NO_MATCH;
  datagram->state = GNI_POST_TERMINATED;
  const Endpoint& endpoint = *endpoint_of(ep);
  if (endpoint.bound)
    send_datagram(endpoint, endpoint.peer, endpoint.remote_id, MessageKind::kDatagramCancel);
  changed();
  return GNI_RC_SUCCESS;
}

gni_return_t Process::probe_datagram(gni_nic_handle_t nic, std::uint32_t* address, std::uint32_t* remote_id,
                                     std::uint64_t* id) {
  const Section section{*this};
  const Domain* const domain = nic_of(nic);
  if (domain == nullptr) return GNI_RC_INVALID_PARAM;
  const Endpoint* found = nullptr;
  endpoints_.for_each_live([&](const Endpoint& each) {
    if (found != nullptr || each.domain != domain || !each.datagram || !each.datagram->is_over()) return;
    if (each.datagram->has_id == (id != nullptr)) found = &each;
  });
  if (found == nullptr) return GNI_RC_NO_MATCH;
  const bool complete = found->datagram->state == GNI_POST_COMPLETED;
  if (id != nullptr) {
    *id = found->datagram->id;
  } else {
    *address = complete ? found->datagram->remote_address : found->peer;
    *remote_id = complete ? found->datagram->remote_id : found->remote_id;
  }
  return GNI_RC_SUCCESS;
}

void Process::fail_datagrams(NodeId peer) {
  endpoints_.for_each_live([&](Endpoint& each) {
    if (!each.bound || each.peer != peer || !each.datagram || !each.datagram->active) return;
    if (each.datagram->state == GNI_POST_PENDING) each.datagram->state = GNI_POST_ERROR;
    changed();
  });
}

}  // namespace aqueduct::ugni
