// The RMA objects of a process, and its commands under way. They belong to the Process and are used under its
// lock.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <unordered_map>

#include "papers/nic/extoll/velo.hpp"
#include "rma2.h"

namespace aqueduct::extoll {

struct RmaPort;

/// Registered memory.
struct RmaRegion : nic::TableSlot {
  RmaPort* port = nullptr;
  std::byte* start = nullptr;
  std::uint64_t size = 0;
  RMA2_NLA nla = 0;
  std::uint32_t under_way = 0;  ///< transfers that the network makes from or to it

  bool holds(RMA2_NLA first, std::uint64_t bytes) const {
    return first >= nla && first - nla <= size && bytes <= size - (first - nla);
  }
  std::byte* at(RMA2_NLA address) const { return start + (address - nla); }
};

/// What a port knows about a port that it posts to.
struct RmaLine {
  std::uint32_t outstanding = 0;  ///< commands whose notification is not known to be in the target's queue
};

/// The credits that a port owes to a port that posts to it.
struct RmaReturn {
  std::uint32_t generation = 0;
  std::uint32_t due = 0;
};

/// The port that a waiting notification limits: a remote one, or one of this process.
struct NotificationSource {
  bool is_local = true;
  NodeId node = 0;
  std::uint8_t vpid = 0;
  std::uint32_t generation = 0;
};

struct RmaHandle : nic::TableSlot {
  RmaPort* port = nullptr;
  RmaLine* line = nullptr;
  NodeId node = 0;
  std::uint8_t vpid = 0;
};

using Notifications = std::list<RMA2_Notification>;

struct RmaPort : nic::TableSlot {
  /// Notifications move between these lists without changing their address: found ones belong to the user
  /// until they are freed.
  Notifications queue, found, unused;
  Notifications waiting;                                 ///< for room in the queue
  std::deque<NotificationSource> waiting_sources;        ///< of each
  std::uint32_t waiting_local = 0;                       ///< of these, those of this process's commands
  std::unordered_map<std::uint32_t, RmaLine> lines;      ///< by target, VELO2_ADDR_PACK
  std::unordered_map<std::uint32_t, RmaReturn> returns;  ///< by source, likewise
  std::uint32_t queue_limit = 0;                         ///< entries
  std::uint32_t requests = 0;                            ///< commands under way
  std::array<std::unique_ptr<std::int32_t[]>, 2> locks;  ///< by unit; made when first used

  std::uint8_t vpid() const { return static_cast<std::uint8_t>(index); }
};

/// A command that is under way.
struct RmaRequest : nic::TableSlot {
  RmaRequest() {
    out.owner = Lent::Owner::kRequest;
    out.object = this;
  }
  RmaRequest(const RmaRequest&) = delete;
  RmaRequest& operator=(const RmaRequest&) = delete;

  Lent out;
  WireHeader header;
  RmaPort* port = nullptr;
  RmaRegion* region = nullptr;  ///< local memory; null: none
  RMA2_NLA local = 0;
  bool lent = false;
  bool is_told = false;     ///< the requester's notification was posted, if it is wanted
  bool unanswered = false;  ///< of gets and locks
};

/// Data of a put or a get that arrive.
struct RmaLanding {
  RmaLanding() {
    in.owner = Lent::Owner::kRmaLanding;
    in.object = this;
  }
  RmaLanding(const RmaLanding&) = delete;
  RmaLanding& operator=(const RmaLanding&) = delete;

  Lent in;
  WireHeader header;
  RmaRegion* region = nullptr;
  RmaLanding* next = nullptr;
};

/// A message that the card sends by itself.
struct RmaAnswer {
  RmaAnswer() {
    out.owner = Lent::Owner::kAnswer;
    out.object = this;
  }
  RmaAnswer(const RmaAnswer&) = delete;
  RmaAnswer& operator=(const RmaAnswer&) = delete;

  Lent out;
  WireHeader header;
  RmaRegion* region = nullptr;  ///< the source of a get's data; it stays until they are sent
  RmaAnswer* next = nullptr;
};

/// The arguments of a post; each kind uses some of them.
struct RmaPost {
  MessageKind kind = MessageKind::kPut;
  RMA2_Command command = RMA2_BT_PUT;
  RMA2_Region* region = nullptr;  ///< local memory: a region and an offset, or
  std::uint32_t offset = 0;
  RMA2_NLA local = 0;  ///< an NLA
  bool is_direct = false;
  std::uint32_t size = 0;
  RMA2_NLA remote = 0;
  std::uint64_t value = 0;
  std::uint8_t noti_class = 0;
  std::uint32_t lock_unit = 0, lock = 0;
  std::uint32_t notifications = 0, modifier = 0;

  bool is_put_like() const { return kind != MessageKind::kGet && kind != MessageKind::kLock; }
  bool moves_memory() const { return kind == MessageKind::kPut || kind == MessageKind::kGet; }
  /// Whether a unit of the target notifies.
  bool tells_target() const {
    const unsigned unit = is_put_like() ? RMA2_COMPLETER_NOTIFICATION : RMA2_RESPONDER_NOTIFICATION;
    return (notifications & unit) != 0;
  }
  bool is_quadwords() const { return command == RMA2_QW_PUT || command == RMA2_QW_GET; }
};

inline constexpr std::uint32_t kMaxRequests = (1u << 16) - 1;
using RmaPortTable = nic::Table<RmaPort, kMaxPorts, nic::kHandleGenerationMask>;
using RmaHandleTable = nic::Table<RmaHandle, nic::kMaxHandleIndex, nic::kHandleGenerationMask>;
using RmaRegionTable = nic::Table<RmaRegion, nic::kMaxHandleIndex, nic::kHandleGenerationMask>;
using RmaRequestTable = nic::Table<RmaRequest, kMaxRequests, ~0u>;

}  // namespace aqueduct::extoll
