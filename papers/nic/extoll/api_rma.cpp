// The C interface of RMA.
#include "papers/nic/extoll/api_call.hpp"
#include "papers/nic/extoll/notification.hpp"

namespace aqueduct::extoll {
namespace {

constexpr const char* kWaitsForNotification = "an RMA notification";

template <class Function>
RMA2_ERROR rma_call(Call kind, std::size_t amount, bool given, Function function) {
  return call(kind, amount, given, RMA2_ERR_WRONG_ARG, function);
}

RMA2_ERROR post(RMA2_Port port, RMA2_Handle handle, const RmaPost& wanted) {
  return rma_call(Call::kPost, 0, true, [&](Process& process) {
    return look_twice(process, RMA2_ERR_NO_DESC_MEM, [&] { return process.post(port, handle, wanted); });
  });
}

/// Puts and gets, of a region or an NLA.
RmaPost transfer(RMA2_Command command, std::uint32_t size, RMA2_NLA remote, std::uint32_t notifications,
                 std::uint32_t modifier) {
  RmaPost made;
  made.kind = command == RMA2_BT_PUT || command == RMA2_QW_PUT ? MessageKind::kPut : MessageKind::kGet;
  made.command = command;
  made.size = size;
  made.remote = remote;
  made.notifications = notifications;
  made.modifier = modifier;
  return made;
}

RMA2_ERROR post_region(RMA2_Port port, RMA2_Handle handle, RMA2_Command command, RMA2_Region* region,
                       std::uint32_t offset, std::uint32_t size, RMA2_NLA remote, std::uint32_t notifications,
                       std::uint32_t modifier) {
  RmaPost wanted = transfer(command, size, remote, notifications, modifier);
  wanted.region = region;
  wanted.offset = offset;
  return post(port, handle, wanted);
}

RMA2_ERROR post_direct(RMA2_Port port, RMA2_Handle handle, RMA2_Command command, RMA2_NLA local,
                       std::uint32_t size, RMA2_NLA remote, std::uint32_t notifications,
                       std::uint32_t modifier) {
  RmaPost wanted = transfer(command, size, remote, notifications, modifier);
  wanted.is_direct = true;
  wanted.local = local;
  return post(port, handle, wanted);
}

RMA2_ERROR find(RMA2_Port port, const NotificationMatch& match, bool blocks,
                RMA2_Notification** notification) {
  return rma_call(Call::kLook, 0, notification != nullptr, [&](Process& process) {
    const auto look = [&] { return process.find_notification(port, match, notification); };
    if (!blocks) return look_twice(process, RMA2_NO_NOTI, look);
    return wait_for(process, RMA2_NO_NOTI, look, [] { return kWaitsForNotification; });
  });
}

NotificationMatch match_class(RMA2_Class noti_class, RMA2_Nodeid node, RMA2_VPID vpid) {
  NotificationMatch match;
  match.is_class_wanted = true;
  match.noti_class = noti_class;
  match.node = node;
  match.vpid = vpid;
  return match;
}

NotificationMatch match_lock(std::uint32_t lock, RMA2_Nodeid node, RMA2_VPID vpid) {
  NotificationMatch match;
  match.is_lock_wanted = true;
  match.lock = lock;
  match.node = node;
  match.vpid = vpid;
  return match;
}

/// Calls `function` with the description of a region.
template <class Function>
RMA2_ERROR of_region(RMA2_Region* region, bool given, Function function) {
  return rma_call(Call::kOther, 0, given, [&](Process& process) {
    RmaRegion facts;
    const RMA2_ERROR code = process.describe(region, &facts);
    return code == RMA2_SUCCESS ? function(facts) : code;
  });
}

std::uint64_t field(const RMA2_Notification* notification, unsigned word, unsigned first, unsigned bits) {
  if (notification == nullptr) return 0;
  return notification->word[word] >> first & ((std::uint64_t{1} << bits) - 1);
}

}  // namespace
}  // namespace aqueduct::extoll

namespace extoll = aqueduct::extoll;
using ExtollCall = aqueduct::extoll::Call;
using ExtollProcess = aqueduct::extoll::Process;

const char* rma2_strerror(RMA2_ERROR code) {
  switch (code) {
    case RMA2_SUCCESS:
      return "success";
    case RMA2_ERR_INV_HANDLE:
      return "invalid handle";
    case RMA2_ERR_INV_PORT:
      return "invalid port";
    case RMA2_ERR_INV_VALUE:
      return "invalid value";
    case RMA2_ERR_NO_ROUTE:
      return "no route to the node";
    case RMA2_ERR_PORTS_USED:
      return "no port is left";
    case RMA2_ERR_NO_MEM:
      return "memory cannot be registered";
    case RMA2_NO_NOTI:
      return "no notification";
    case RMA2_ERR_WRONG_ARG:
      return "wrong argument";
    case RMA2_ERR_NOT_YET:
      return "not offered";
    case RMA2_ERR_NO_DESC_MEM:
      return "too many commands are under way: try again";
    case RMA2_ERR_NO_DEVICE:
      return "no device";
    case RMA2_ERR_NOT_FREE:
      return "still in use";
    default:
      return "unknown";
  }
}

// Ports and handles.

RMA2_ERROR rma2_open(RMA2_Port* port) {
  if (ExtollProcess::current() == nullptr && ExtollProcess::live() == nullptr) return RMA2_ERR_NO_DEVICE;
  return extoll::rma_call(ExtollCall::kOther, 0, port != nullptr,
                          [&](ExtollProcess& process) { return process.open_rma(port); });
}

RMA2_ERROR rma2_close(RMA2_Port port) {
  return extoll::rma_call(ExtollCall::kOther, 0, true, [&](ExtollProcess& process) {
    process.device().progress();
    return process.close_rma(port);
  });
}

RMA2_Nodeid rma2_get_nodeid(RMA2_Port port) {
  if (rma2_get_vpid(port) == 0xffff) return 0xffff;
  return static_cast<RMA2_Nodeid>(ExtollProcess::current()->self());
}

RMA2_VPID rma2_get_vpid(RMA2_Port port) {
  ExtollProcess* const process = ExtollProcess::current();
  return process != nullptr ? process->rma_vpid(port) : 0xffff;
}

RMA2_Nodeid rma2_get_node_num(RMA2_Port port) {
  if (rma2_get_vpid(port) == 0xffff) return 0;
  return static_cast<RMA2_Nodeid>(ExtollProcess::current()->device().nodes());
}

RMA2_ERROR rma2_connect(RMA2_Port port, RMA2_Nodeid node, RMA2_VPID vpid, RMA2_Connection_Options options,
                        RMA2_Handle* handle) {
  return extoll::rma_call(ExtollCall::kOther, 0, handle != nullptr, [&](ExtollProcess& process) {
    return process.connect_rma(port, node, vpid, static_cast<std::uint32_t>(options), handle);
  });
}

RMA2_ERROR rma2_disconnect(RMA2_Port port, RMA2_Handle handle) {
  return extoll::rma_call(ExtollCall::kOther, 0, true,
                          [&](ExtollProcess& process) { return process.disconnect_rma(port, handle); });
}

// Memory.

RMA2_ERROR rma2_register(RMA2_Port port, void* address, size_t size, RMA2_Region** region) {
  return extoll::rma_call(
      ExtollCall::kRegister, (size + RMA2_PAGE_SIZE - 1) / RMA2_PAGE_SIZE, region != nullptr,
      [&](ExtollProcess& process) { return process.register_memory(port, address, size, region); });
}

RMA2_ERROR rma2_unregister(RMA2_Port port, RMA2_Region* region) {
  return extoll::rma_call(ExtollCall::kOther, 0, true, [&](ExtollProcess& process) {
    return extoll::look_twice(process, RMA2_ERR_NOT_FREE,
                              [&] { return process.unregister_memory(port, region); });
  });
}

RMA2_ERROR rma2_get_nla(RMA2_Region* region, size_t offset, RMA2_NLA* nla) {
  return extoll::of_region(region, nla != nullptr, [&](const extoll::RmaRegion& facts) {
    if (offset >= facts.size) return RMA2_ERR_INV_VALUE;
    *nla = facts.nla + offset;
    return RMA2_SUCCESS;
  });
}

RMA2_ERROR rma2_get_va(RMA2_Region* region, size_t offset, void** address) {
  return extoll::of_region(region, address != nullptr, [&](const extoll::RmaRegion& facts) {
    if (offset >= facts.size) return RMA2_ERR_INV_VALUE;
    *address = facts.start + offset;
    return RMA2_SUCCESS;
  });
}

RMA2_ERROR rma2_get_size(RMA2_Region* region, size_t* size) {
  return extoll::of_region(region, size != nullptr, [&](const extoll::RmaRegion& facts) {
    *size = facts.size;
    return RMA2_SUCCESS;
  });
}

RMA2_ERROR rma2_get_page_count(RMA2_Region* region, size_t* pages) {
  return extoll::of_region(region, pages != nullptr, [&](const extoll::RmaRegion& facts) {
    *pages = (facts.nla % RMA2_PAGE_SIZE + facts.size + RMA2_PAGE_SIZE - 1) / RMA2_PAGE_SIZE;
    return RMA2_SUCCESS;
  });
}

// Commands.

RMA2_ERROR rma2_post_put_bt(RMA2_Port port, RMA2_Handle handle, RMA2_Region* region, uint32_t offset,
                            uint32_t size, RMA2_NLA remote, RMA2_Notification_Spec notifications,
                            RMA2_Command_Modifier modifier) {
  return extoll::post_region(port, handle, RMA2_BT_PUT, region, offset, size, remote,
                             static_cast<uint32_t>(notifications), static_cast<uint32_t>(modifier));
}

RMA2_ERROR rma2_post_put_bt_direct(RMA2_Port port, RMA2_Handle handle, RMA2_NLA local, uint32_t size,
                                   RMA2_NLA remote, RMA2_Notification_Spec notifications,
                                   RMA2_Command_Modifier modifier) {
  return extoll::post_direct(port, handle, RMA2_BT_PUT, local, size, remote,
                             static_cast<uint32_t>(notifications), static_cast<uint32_t>(modifier));
}

RMA2_ERROR rma2_post_put_qw(RMA2_Port port, RMA2_Handle handle, RMA2_Region* region, uint32_t offset,
                            uint32_t size, RMA2_NLA remote, RMA2_Notification_Spec notifications,
                            RMA2_Command_Modifier modifier) {
  return extoll::post_region(port, handle, RMA2_QW_PUT, region, offset, size, remote,
                             static_cast<uint32_t>(notifications), static_cast<uint32_t>(modifier));
}

RMA2_ERROR rma2_post_put_qw_direct(RMA2_Port port, RMA2_Handle handle, RMA2_NLA local, uint32_t size,
                                   RMA2_NLA remote, RMA2_Notification_Spec notifications,
                                   RMA2_Command_Modifier modifier) {
  return extoll::post_direct(port, handle, RMA2_QW_PUT, local, size, remote,
                             static_cast<uint32_t>(notifications), static_cast<uint32_t>(modifier));
}

RMA2_ERROR rma2_post_get_bt(RMA2_Port port, RMA2_Handle handle, RMA2_Region* region, uint32_t offset,
                            uint32_t size, RMA2_NLA remote, RMA2_Notification_Spec notifications,
                            RMA2_Command_Modifier modifier) {
  return extoll::post_region(port, handle, RMA2_BT_GET, region, offset, size, remote,
                             static_cast<uint32_t>(notifications), static_cast<uint32_t>(modifier));
}

RMA2_ERROR rma2_post_get_bt_direct(RMA2_Port port, RMA2_Handle handle, RMA2_NLA local, uint32_t size,
                                   RMA2_NLA remote, RMA2_Notification_Spec notifications,
                                   RMA2_Command_Modifier modifier) {
  return extoll::post_direct(port, handle, RMA2_BT_GET, local, size, remote,
                             static_cast<uint32_t>(notifications), static_cast<uint32_t>(modifier));
}

RMA2_ERROR rma2_post_get_qw(RMA2_Port port, RMA2_Handle handle, RMA2_Region* region, uint32_t offset,
                            uint32_t size, RMA2_NLA remote, RMA2_Notification_Spec notifications,
                            RMA2_Command_Modifier modifier) {
  return extoll::post_region(port, handle, RMA2_QW_GET, region, offset, size, remote,
                             static_cast<uint32_t>(notifications), static_cast<uint32_t>(modifier));
}

RMA2_ERROR rma2_post_get_qw_direct(RMA2_Port port, RMA2_Handle handle, RMA2_NLA local, uint32_t size,
                                   RMA2_NLA remote, RMA2_Notification_Spec notifications,
                                   RMA2_Command_Modifier modifier) {
  return extoll::post_direct(port, handle, RMA2_QW_GET, local, size, remote,
                             static_cast<uint32_t>(notifications), static_cast<uint32_t>(modifier));
}

RMA2_ERROR rma2_post_immediate_put(RMA2_Port port, RMA2_Handle handle, uint32_t count, uint64_t value,
                                   RMA2_NLA remote, RMA2_Notification_Spec notifications,
                                   RMA2_Command_Modifier modifier) {
  extoll::RmaPost wanted;
  wanted.kind = aqueduct::extoll::MessageKind::kImmediate;
  wanted.command = RMA2_IMMEDIATE_PUT;
  wanted.size = count;
  wanted.value = value;
  wanted.remote = remote;
  wanted.notifications = static_cast<uint32_t>(notifications);
  wanted.modifier = static_cast<uint32_t>(modifier);
  return extoll::post(port, handle, wanted);
}

RMA2_ERROR rma2_post_notification(RMA2_Port port, RMA2_Handle handle, RMA2_Class noti_class, uint64_t value,
                                  RMA2_Notification_Spec notifications, RMA2_Command_Modifier modifier) {
  extoll::RmaPost wanted;
  wanted.kind = aqueduct::extoll::MessageKind::kNotificationPut;
  wanted.command = RMA2_NOTIFICATION_PUT;
  wanted.noti_class = noti_class;
  wanted.value = value;
  wanted.notifications = static_cast<uint32_t>(notifications);
  wanted.modifier = static_cast<uint32_t>(modifier);
  return extoll::post(port, handle, wanted);
}

RMA2_ERROR rma2_post_lock(RMA2_Port port, RMA2_Handle handle, uint32_t unit, uint32_t lock, int32_t compare,
                          int32_t add, RMA2_Notification_Spec notifications, RMA2_Command_Modifier modifier) {
  extoll::RmaPost wanted;
  wanted.kind = aqueduct::extoll::MessageKind::kLock;
  wanted.command = RMA2_LOCK_REQ;
  wanted.lock_unit = unit;
  wanted.lock = lock;
  wanted.value = static_cast<uint64_t>(static_cast<uint32_t>(compare)) << 32 | static_cast<uint32_t>(add);
  wanted.notifications = static_cast<uint32_t>(notifications);
  wanted.modifier = static_cast<uint32_t>(modifier);
  return extoll::post(port, handle, wanted);
}

// Notifications.

RMA2_ERROR rma2_noti_probe(RMA2_Port port, RMA2_Notification** notification) {
  return extoll::find(port, {}, false, notification);
}

RMA2_ERROR rma2_noti_get_block(RMA2_Port port, RMA2_Notification** notification) {
  return extoll::find(port, {}, true, notification);
}

RMA2_ERROR rma2_noti_match(RMA2_Port port, RMA2_Command command, RMA2_Nodeid node, RMA2_VPID vpid,
                           RMA2_Notification_Spec unit, RMA2_NLA nla, int flags,
                           RMA2_Notification** notification) {
  extoll::NotificationMatch match;
  match.command = static_cast<uint32_t>(command);
  match.node = node;
  match.vpid = vpid;
  match.units = static_cast<uint32_t>(unit);
  match.nla = nla;
  match.nla_is_last = (flags & RMA2_MATCH_LAST_NLA_FLAG) != 0;
  return extoll::find(port, match, (flags & RMA2_BLOCK_FLAG) != 0, notification);
}

RMA2_ERROR rma2_noti_noti_match(RMA2_Port port, RMA2_Class noti_class, RMA2_Nodeid node, RMA2_VPID vpid,
                                RMA2_Notification** notification) {
  return extoll::find(port, extoll::match_class(noti_class, node, vpid), false, notification);
}

RMA2_ERROR rma2_noti_noti_match_block(RMA2_Port port, RMA2_Class noti_class, RMA2_Nodeid node, RMA2_VPID vpid,
                                      RMA2_Notification** notification) {
  return extoll::find(port, extoll::match_class(noti_class, node, vpid), true, notification);
}

RMA2_ERROR rma2_noti_lock_match(RMA2_Port port, uint32_t lock, RMA2_Nodeid node, RMA2_VPID vpid,
                                RMA2_Notification** notification) {
  return extoll::find(port, extoll::match_lock(lock, node, vpid), false, notification);
}

RMA2_ERROR rma2_noti_lock_match_block(RMA2_Port port, uint32_t lock, RMA2_Nodeid node, RMA2_VPID vpid,
                                      RMA2_Notification** notification) {
  return extoll::find(port, extoll::match_lock(lock, node, vpid), true, notification);
}

RMA2_ERROR rma2_noti_dup(const RMA2_Notification* input, RMA2_Notification* output) {
  if (input == nullptr || output == nullptr) return RMA2_ERR_WRONG_ARG;
  *output = *input;
  return RMA2_SUCCESS;
}

RMA2_ERROR rma2_noti_free(RMA2_Port port, RMA2_Notification* notification) {
  return extoll::rma_call(ExtollCall::kOther, 0, true, [&](ExtollProcess& process) {
    return process.free_notification(port, notification);
  });
}

uint32_t rma2_get_queue_size(RMA2_Port port) {
  ExtollProcess* const process = ExtollProcess::current();
  return process != nullptr ? process->queue_limit(port) * uint32_t{sizeof(RMA2_Notification)} : 0;
}

RMA2_ERROR rma2_set_queue_size(RMA2_Port port, uint32_t bytes) {
  return extoll::rma_call(ExtollCall::kOther, 0, true, [&](ExtollProcess& process) {
    return process.set_queue_limit(port, bytes / uint32_t{sizeof(RMA2_Notification)});
  });
}

RMA2_Command rma2_noti_get_cmd(const RMA2_Notification* notification) {
  return static_cast<RMA2_Command>(extoll::field(notification, 1, 51, 4));
}

RMA2_Notification_Spec rma2_noti_get_notification_type(const RMA2_Notification* notification) {
  return static_cast<RMA2_Notification_Spec>(extoll::field(notification, 1, 48, 3));
}

RMA2_Notification_Modifier rma2_noti_get_mode(const RMA2_Notification* notification) {
  return static_cast<RMA2_Notification_Modifier>(extoll::field(notification, 1, 55, 6));
}

uint8_t rma2_noti_get_error(const RMA2_Notification* notification) {
  return static_cast<uint8_t>(extoll::field(notification, 1, 61, 3));
}

RMA2_Nodeid rma2_noti_get_remote_nodeid(const RMA2_Notification* notification) {
  return static_cast<RMA2_Nodeid>(extoll::field(notification, 1, 32, 16));
}

RMA2_VPID rma2_noti_get_remote_vpid(const RMA2_Notification* notification) {
  return static_cast<RMA2_VPID>(extoll::field(notification, 1, 23, 8));
}

uint32_t rma2_noti_get_lock_value(const RMA2_Notification* notification) {
  return static_cast<uint32_t>(extoll::field(notification, 0, 32, 32));
}

uint32_t rma2_noti_get_lock_number(const RMA2_Notification* notification) {
  return static_cast<uint32_t>(extoll::field(notification, 0, 0, 24));
}

uint8_t rma2_noti_get_lock_result(const RMA2_Notification* notification) {
  return static_cast<uint8_t>(extoll::field(notification, 0, 24, 8));
}

uint8_t rma2_noti_get_notiput_class(const RMA2_Notification* notification) {
  return static_cast<uint8_t>(extoll::field(notification, 1, 0, 8));
}

uint64_t rma2_noti_get_local_address(const RMA2_Notification* notification) {
  return notification != nullptr ? notification->word[0] : 0;
}

uint64_t rma2_noti_get_notiput_payload(const RMA2_Notification* notification) {
  return notification != nullptr ? notification->word[0] : 0;
}

uint32_t rma2_noti_get_size(const RMA2_Notification* notification) {
  return notification != nullptr ? static_cast<uint32_t>(extoll::field(notification, 1, 0, 23)) + 1 : 0;
}
