// Endpoints: made, bound to a peer, closed.
#include "papers/nic/ugni/process.hpp"

namespace aqueduct::ugni {

gni_return_t Process::create_endpoint(gni_nic_handle_t nic, gni_cq_handle_t source, gni_ep_handle_t* ep) {
  const Section section{*this};
  Domain* const domain = nic_of(nic);
  if (domain == nullptr) return GNI_RC_INVALID_PARAM;
  Queue* queue = nullptr;
  if (source != nullptr) {
    queue = queue_of(source);
    if (queue == nullptr || queue->domain != domain || !queue->claim(Queue::Use::kSource))
      return GNI_RC_INVALID_PARAM;
  }
  Endpoint* const endpoint = endpoints_.take(nic::kMaxHandleIndex);
  if (endpoint == nullptr) return GNI_RC_ERROR_NOMEM;
  endpoint->domain = domain;
  endpoint->source = queue;
  endpoint->bound = false;
  endpoint->has_event_data = false;
  endpoint->requests = 0;
  if (queue != nullptr) ++queue->users;
  *ep = make_handle<gni_ep_handle_t>(HandleKind::kEndpoint, self_, *endpoint);
  return GNI_RC_SUCCESS;
}

gni_return_t Process::set_event_data(gni_ep_handle_t ep, std::uint32_t local_event,
                                     std::uint32_t remote_event) {
  const Section section{*this};
  Endpoint* const endpoint = endpoint_of(ep);
  if (endpoint == nullptr) return GNI_RC_INVALID_PARAM;
  endpoint->has_event_data = true;
  endpoint->local_event = local_event;
  endpoint->remote_event = remote_event;
  return GNI_RC_SUCCESS;
}

gni_return_t Process::bind(gni_ep_handle_t ep, std::uint32_t address, std::uint32_t remote_id) {
  const Section section{*this};
  Endpoint* const endpoint = endpoint_of(ep);
  if (endpoint == nullptr || endpoint->bound || address >= device_.nodes()) return GNI_RC_INVALID_PARAM;
  if (endpoint->datagram && endpoint->datagram->active) return GNI_RC_INVALID_PARAM;
  endpoint->bound = true;
  endpoint->peer = address;
  endpoint->remote_id = remote_id;
  return GNI_RC_SUCCESS;
}

/// An endpoint with posts under way or datagrams to fetch cannot be closed.
gni_return_t Process::busy_code(const Endpoint& endpoint) const {
  const bool exchanges = endpoint.datagram && endpoint.datagram->active;
  return endpoint.requests != 0 || exchanges ? GNI_RC_NOT_DONE : GNI_RC_SUCCESS;
}

gni_return_t Process::is_idle(gni_ep_handle_t ep) {
  const Section section{*this};
  const Endpoint* const endpoint = endpoint_of(ep);
  return endpoint == nullptr ? GNI_RC_INVALID_PARAM : busy_code(*endpoint);
}

gni_return_t Process::unbind(gni_ep_handle_t ep) {
  const Section section{*this};
  Endpoint* const endpoint = endpoint_of(ep);
  if (endpoint == nullptr || !endpoint->bound) return GNI_RC_INVALID_PARAM;
  const gni_return_t code = busy_code(*endpoint);
  if (code != GNI_RC_SUCCESS) return code;
  endpoint->bound = false;
  endpoint->mailbox.reset();
  return GNI_RC_SUCCESS;
}

gni_return_t Process::destroy_endpoint(gni_ep_handle_t ep) {
  const Section section{*this};
  Endpoint* const endpoint = endpoint_of(ep);
  if (endpoint == nullptr) return GNI_RC_INVALID_PARAM;
  const gni_return_t code = busy_code(*endpoint);
  if (code == GNI_RC_SUCCESS) close_endpoint(*endpoint);
  return code;
}

void Process::close_endpoint(Endpoint& endpoint) {
  if (endpoint.source != nullptr) --endpoint.source->users;
  endpoint.datagram.reset();
  endpoint.mailbox.reset();
  endpoints_.give_back(endpoint);
}

}  // namespace aqueduct::ugni
