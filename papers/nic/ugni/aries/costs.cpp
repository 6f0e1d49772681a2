#include "papers/nic/ugni/aries/costs.hpp"

namespace aqueduct::ugni::aries {

using sim::Dimension;

namespace {

std::uint32_t count_of(const NetworkModel& network, const char* name) {
  return static_cast<std::uint32_t>(network.nic(name, Dimension::kCount));
}

}  // namespace

Costs::Costs(const NetworkModel& network)
    : model(network),
      call_fma(network.cost("call_fma")),
      call_rdma(network.cost("call_rdma")),
      call_event(network.cost("call_event")),
      call_completed(network.cost("call_completed")),
      call_message(network.cost("call_message")),
      call_datagram(network.cost("call_datagram")),
      call_other(network.cost("call_other")),
      register_memory(network.cost("register")),
      deregister_memory(network.cost("deregister")),
      send_fma(network.cost("send_fma")),
      send_bte(network.cost("send_bte")),
      send_response(network.cost("send_response")),
      take_request(network.cost("take_request")),
      take_amo(network.cost("take_amo")),
      take_response(network.cost("take_response")),
      crossing(network.nic("crossing", Dimension::kTime)),
      bte_channels(count_of(network, "bte_channels")),
      limits{.fma_descriptors = count_of(network, "fma_descriptors"),
             .dedicated_mdds = count_of(network, "dedicated_mdds"),
             .shared_mdds = count_of(network, "shared_mdds"),
             .page_bytes = network.nic("page_bytes", Dimension::kBytes)} {}

CostId Costs::of(Call call) const {
  switch (call) {
    case Call::kPostFma:
      return call_fma;
    case Call::kPostRdma:
      return call_rdma;
    case Call::kEvent:
      return call_event;
    case Call::kCompleted:
      return call_completed;
    case Call::kMessage:
      return call_message;
    case Call::kDatagram:
      return call_datagram;
    case Call::kRegister:
      return register_memory;
    case Call::kDeregister:
      return deregister_memory;
    case Call::kOther:
      break;
  }
  return call_other;
}

CostId Costs::of(MessageKind kind) const {
  switch (kind) {
    case MessageKind::kResponse:
    case MessageKind::kGetReply:
      return take_response;
    case MessageKind::kAmo:
      return take_amo;
    default:
      return take_request;
  }
}

}  // namespace aqueduct::ugni::aries
