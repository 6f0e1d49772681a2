// The VELO objects of a process, and its messages under way. They belong to the Process and are used under
// its lock; velo.cpp has the protocol.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>

#include "papers/nic/extoll/mailbox.hpp"
#include "papers/nic/extoll/wire_header.hpp"
#include "papers/nic/handle.hpp"

namespace aqueduct::extoll {

using VeloBytes = std::array<std::byte, VELO2_MAX_MSG_SIZE>;

/// A message that has reached its target but is not yet, or not wholly, in the mailbox.
struct HeldMessage {
  WireHeader header;
  NodeId source = 0;
  std::uint32_t stored = 0;  ///< bytes that are in the mailbox
  VeloBytes bytes{};
};

/// What a port knows about a port that it sends to.
struct VeloLine {
  std::uint32_t outstanding = 0;            ///< messages whose credits have not come back
  velo2_ret_t failure = VELO2_RET_SUCCESS;  ///< of an earlier message, to be reported once
};

/// The credits that a port owes to a port that it receives from.
struct VeloReturn {
  std::uint32_t generation = 0;
  std::uint32_t due = 0;
};

/// The message that is being read out of the mailbox.
struct VeloAssembly {
  VeloStatus status;  ///< of its last part
  std::uint32_t length = 0;
  bool complete = false;
  VeloBytes bytes{};
};

struct VeloPort : nic::TableSlot {
  std::unique_ptr<Mailbox> mailbox;
  std::deque<HeldMessage> held;
  VeloAssembly next;
  std::unordered_map<std::uint32_t, VeloLine> lines;      ///< by target, VELO2_ADDR_PACK
  std::unordered_map<std::uint32_t, VeloReturn> returns;  ///< by source, likewise

  std::uint8_t vpid() const { return static_cast<std::uint8_t>(index); }
};

struct VeloConnection : nic::TableSlot {
  VeloPort* port = nullptr;
  VeloLine* line = nullptr;
  NodeId node = 0;
  std::uint8_t vpid = 0;
};

/// A transfer that is lent to the device, with its owner.
struct Lent : NicTransfer {
  enum class Owner : std::uint8_t {
    kPacket,
    kLanding,
    kRequest,
    kRmaLanding,
    kAnswer
  } owner = Owner::kPacket;
  void* object = nullptr;
};

/// A VELO message that leaves.
struct VeloPacket {
  VeloPacket() { out.object = this; }
  VeloPacket(const VeloPacket&) = delete;
  VeloPacket& operator=(const VeloPacket&) = delete;

  Lent out;
  WireHeader header;
  VeloBytes bytes;
  VeloPacket* next = nullptr;
};

/// A VELO message that arrives.
struct VeloLanding {
  VeloLanding() {
    in.owner = Lent::Owner::kLanding;
    in.object = this;
  }
  VeloLanding(const VeloLanding&) = delete;
  VeloLanding& operator=(const VeloLanding&) = delete;

  Lent in;
  WireHeader header;
  VeloBytes bytes;
  bool ready = false, whole = true;
  VeloLanding* next = nullptr;
};

enum class HandleKind : std::uint64_t { kVeloPort = 1, kVeloConnection, kRmaPort, kRmaHandle, kRmaRegion };

/// The number of virtual process ids for users, in whole chunks of a table.
inline constexpr std::uint32_t kMaxPorts = 240;
static_assert(kMaxPorts - 1 <= VELO2_MAX_VPID);
using VeloPortTable = nic::Table<VeloPort, kMaxPorts, nic::kHandleGenerationMask>;
using VeloConnectionTable = nic::Table<VeloConnection, nic::kMaxHandleIndex, nic::kHandleGenerationMask>;

}  // namespace aqueduct::extoll
