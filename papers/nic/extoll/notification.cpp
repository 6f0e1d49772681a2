#include "papers/nic/extoll/notification.hpp"

#include <algorithm>

#include "papers/nic/extoll/process.hpp"

namespace aqueduct::extoll {

std::uint64_t lock_word(std::uint32_t number, bool passed, std::int32_t value) {
  return std::uint64_t{number & 0xffffffu} | static_cast<std::uint64_t>(passed) << 24 |
         static_cast<std::uint64_t>(static_cast<std::uint32_t>(value)) << 32;
}

RMA2_Notification make_notification(const WireHeader& command, RMA2_NLA local, NodeId remote,
                                    std::uint8_t remote_vpid, std::uint8_t unit, std::uint8_t error) {
  const bool is_lock = command.command == RMA2_LOCK_REQ || command.command == RMA2_LOCK_RSP;
  const bool is_put = command.command == RMA2_NOTIFICATION_PUT;
  RMA2_Notification made;
  made.word[0] = is_put ? command.value : local;
  std::uint64_t size = (std::uint64_t{command.bytes} - 1) & 0x7fffffu;
  if (is_put) size = command.tag;
  if (is_lock) {
    // The notification of a requester or of a failure has no result.
    const bool has_result = unit != RMA2_REQUESTER_NOTIFICATION && error == 0;
    made.word[0] = has_result ? command.value : lock_word(command.count & 0xffffffu, false, 0);
    size = command.count >> 24;
  }
  made.word[1] =
      size | static_cast<std::uint64_t>(remote_vpid) << 23 |
      static_cast<std::uint64_t>(remote & 0xffffu) << 32 | static_cast<std::uint64_t>(unit & 7u) << 48 |
      static_cast<std::uint64_t>(command.command & 15u) << 51 |
      static_cast<std::uint64_t>(RMA2_NOTI_TE) << 55 | static_cast<std::uint64_t>(error & 7u) << 61;
  return made;
}

bool NotificationMatch::fits(const RMA2_Notification& notification) const {
  const std::uint32_t found = rma2_noti_get_cmd(&notification);
  const bool is_put = found == RMA2_BT_PUT || found == RMA2_QW_PUT || found == RMA2_IMMEDIATE_PUT;
  const bool is_get =
      found == RMA2_BT_GET || found == RMA2_QW_GET || found == RMA2_GET_BT_RSP || found == RMA2_GET_QW_RSP;
  const bool is_lock = found == RMA2_LOCK_REQ || found == RMA2_LOCK_RSP;
  if (command != RMA2_ANY && command != found && !(command == RMA2_PUTS && is_put) &&
      !(command == RMA2_GETS && is_get))
    return false;
  if (node != RMA2_NODEID_ANY && node != rma2_noti_get_remote_nodeid(&notification)) return false;
  if (vpid != RMA2_VPID_ANY && vpid != rma2_noti_get_remote_vpid(&notification)) return false;
  if ((units & rma2_noti_get_notification_type(&notification)) == 0) return false;
  if (nla != RMA2_ANY_NLA) {
    const RMA2_NLA first = rma2_noti_get_local_address(&notification);
    if (!is_put && !is_get) return false;
    if (nla != (nla_is_last ? first + rma2_noti_get_size(&notification) - 1 : first)) return false;
  }
  if (is_class_wanted &&
      (found != RMA2_NOTIFICATION_PUT ||
       (noti_class != RMA2_CLASS_ANY && noti_class != rma2_noti_get_notiput_class(&notification))))
    return false;
  return !is_lock_wanted ||
         (is_lock && (lock == RMA2_LOCK_ANY || lock == rma2_noti_get_lock_number(&notification)));
}

// The queue. A notification that finds no room waits, and so limits the port that has caused it: a remote
// port may have `send_credits` commands whose notifications are not known to be in this queue, and gets its
// credits back by the half; local commands are refused while as many notifications wait as commands may be
// under way.

void Process::notify(RmaPort& port, const RMA2_Notification& notification, const NotificationSource& source) {
  if (port.unused.empty()) port.unused.emplace_back();
  port.unused.front() = notification;
  const bool has_room = port.queue.size() < port.queue_limit;
  Notifications& list = has_room ? port.queue : port.waiting;
  list.splice(list.end(), port.unused, port.unused.begin());
  if (has_room) {
    in_queue(port, source);
  } else {
    port.waiting_sources.push_back(source);
    if (source.is_local) ++port.waiting_local;
  }
  changed();
}

void Process::notify_of(RmaPort& port, const WireHeader& command, NodeId source, std::uint8_t unit) {
  notify(port, make_notification(command, command.address, source, command.source_vpid, unit),
         {.is_local = false, .node = source, .vpid = command.source_vpid, .generation = command.generation});
}

void Process::in_queue(RmaPort& port, const NotificationSource& source) {
  if (source.is_local) return;
  const std::uint32_t address = VELO2_ADDR_PACK(source.node, source.vpid);
  RmaReturn& owed = port.returns[address];
  if (owed.generation != source.generation) owed = {source.generation, 0};
  if (++owed.due >= std::max(1u, limits_.send_credits / 2)) give_back(port, address, owed);
}

void Process::give_back(RmaPort& port, std::uint32_t source, RmaReturn& owed) {
  if (owed.due == 0) return;
  WireHeader about;
  about.source_vpid = static_cast<std::uint8_t>(VELO2_ADDR_VPID(source));
  about.generation = owed.generation;
  send_control(MessageKind::kNotified, port.vpid(), about, VELO2_ADDR_NODE(source), owed.due);
  owed.due = 0;
}

void Process::take_notified(const WireHeader& header, NodeId source) {
  RmaPort* const port = rma_ports_.find_live(header.target_vpid);
  if (port == nullptr || port->generation != header.generation) return;
  const auto line = port->lines.find(VELO2_ADDR_PACK(source, header.source_vpid));
  if (line == port->lines.end()) return;
  line->second.outstanding -= std::min(header.count, line->second.outstanding);
  changed();
}

/// For a lost answer, the responder has already notified.
void Process::settle_notification(const WireHeader& command, NodeId target) {
  const unsigned unit = is_fetch(command) ? RMA2_RESPONDER_NOTIFICATION : RMA2_COMPLETER_NOTIFICATION;
  if (is_answer(command) || (command.notification & unit) == 0) return;
  WireHeader notified;
  notified.target_vpid = command.source_vpid;
  notified.source_vpid = command.target_vpid;
  notified.generation = command.generation;
  notified.count = 1;
  take_notified(notified, target);
}

RMA2_ERROR Process::find_notification(RMA2_Port port, const NotificationMatch& match,
                                      RMA2_Notification** notification) {
  const Section section{*this};
  RmaPort* const at = rma_port(port);
  if (at == nullptr) return RMA2_ERR_INV_PORT;
  const auto fits = [&](const RMA2_Notification& each) { return match.fits(each); };
  const auto found = std::find_if(at->queue.begin(), at->queue.end(), fits);
  if (found == at->queue.end()) return RMA2_NO_NOTI;
  *notification = &*found;
  at->found.splice(at->found.end(), at->queue, found);
  make_room(*at);
  return RMA2_SUCCESS;
}

void Process::make_room(RmaPort& port) {
  while (!port.waiting.empty() && port.queue.size() < port.queue_limit) {
    port.queue.splice(port.queue.end(), port.waiting, port.waiting.begin());
    const NotificationSource source = port.waiting_sources.front();
    port.waiting_sources.pop_front();
    if (source.is_local) --port.waiting_local;
    in_queue(port, source);
  }
}

RMA2_ERROR Process::free_notification(RMA2_Port port, const RMA2_Notification* notification) {
  const Section section{*this};
  RmaPort* const at = rma_port(port);
  if (at == nullptr) return RMA2_ERR_INV_PORT;
  const auto found = std::find_if(at->found.begin(), at->found.end(),
                                  [&](const RMA2_Notification& each) { return &each == notification; });
  if (found == at->found.end()) return RMA2_ERR_WRONG_ARG;
  at->unused.splice(at->unused.begin(), at->found, found);
  return RMA2_SUCCESS;
}

std::uint32_t Process::queue_limit(RMA2_Port port) {
  const Section section{*this};
  const RmaPort* const at = rma_port(port);
  return at != nullptr ? at->queue_limit : 0;
}

RMA2_ERROR Process::set_queue_limit(RMA2_Port port, std::uint32_t entries) {
  const Section section{*this};
  RmaPort* const at = rma_port(port);
  if (at == nullptr) return RMA2_ERR_INV_PORT;
  if (entries == 0) return RMA2_ERR_INV_VALUE;
  at->queue_limit = entries;
  make_room(*at);
  return RMA2_SUCCESS;
}

}  // namespace aqueduct::extoll
