// Notifications as the card writes them (rma2.h has the fields), and the criteria of a search for one.
#pragma once
#include "papers/nic/extoll/rma.hpp"

namespace aqueduct::extoll {

/// The notification of a command by one of its units. `error`: the units that failed.
RMA2_Notification make_notification(const WireHeader& command, RMA2_NLA local, NodeId remote,
                                    std::uint8_t remote_vpid, std::uint8_t unit, std::uint8_t error = 0);
/// The first word of a lock's notification.
std::uint64_t lock_word(std::uint32_t number, bool passed, std::int32_t value);

struct NotificationMatch {
  std::uint32_t command = RMA2_ANY;
  RMA2_Nodeid node = RMA2_NODEID_ANY;
  RMA2_VPID vpid = RMA2_VPID_ANY;
  std::uint32_t units = RMA2_ALL_NOTIFICATIONS;
  RMA2_NLA nla = RMA2_ANY_NLA;
  bool nla_is_last = false;
  bool is_class_wanted = false, is_lock_wanted = false;  ///< notification puts, or locks, alone
  RMA2_Class noti_class = RMA2_CLASS_ANY;
  std::uint32_t lock = RMA2_LOCK_ANY;

  bool fits(const RMA2_Notification& notification) const;
};

}  // namespace aqueduct::extoll
