#include "papers/nic/extoll/card/costs.hpp"

namespace aqueduct::extoll::card {

Costs::Costs(const NetworkModel& network)
    : model(network),
      call_send(network.cost("call_send")),
      call_look(network.cost("call_look")),
      call_receive(network.cost("call_receive")),
      call_commit(network.cost("call_commit")),
      call_post(network.cost("call_post")),
      call_other(network.cost("call_other")),
      register_memory(network.cost("register")),
      send_velo(network.cost("send_velo")),
      send_requester(network.cost("send_requester")),
      send_responder(network.cost("send_responder")),
      take_velo(network.cost("take_velo")),
      take_completer(network.cost("take_completer")),
      take_responder(network.cost("take_responder")),
      take_control(network.cost("take_control")),
      crossing(network.nic("crossing", sim::Dimension::kTime)) {
  const auto count = [&](const char* name) {
    return static_cast<std::uint32_t>(network.nic(name, sim::Dimension::kCount));
  };
  limits = {.message_bytes = static_cast<std::uint32_t>(network.nic("message_bytes", sim::Dimension::kBytes)),
            .mailbox_slots = count("mailbox_slots"),
            .send_credits = count("send_credits"),
            .notifications = count("notifications"),
            .requests = count("requests")};
}

CostId Costs::of(Call call) const {
  switch (call) {
    case Call::kSend:
      return call_send;
    case Call::kLook:
      return call_look;
    case Call::kReceive:
      return call_receive;
    case Call::kCommit:
      return call_commit;
    case Call::kPost:
      return call_post;
    case Call::kRegister:
      return register_memory;
    case Call::kOther:
      break;
  }
  return call_other;
}

CostId Costs::of(Unit unit) const {
  switch (unit) {
    case Unit::kVelo:
      return send_velo;
    case Unit::kRequester:
      return send_requester;
    case Unit::kResponder:
      break;
  }
  return send_responder;
}

CostId Costs::of(MessageKind kind) const {
  switch (kind) {
    case MessageKind::kVelo:
      return take_velo;
    case MessageKind::kPut:
    case MessageKind::kImmediate:
    case MessageKind::kNotificationPut:
    case MessageKind::kGetReply:
    case MessageKind::kLockReply:
      return take_completer;
    case MessageKind::kGet:
    case MessageKind::kLock:
      return take_responder;
    default:
      return take_control;
  }
}

}  // namespace aqueduct::extoll::card
