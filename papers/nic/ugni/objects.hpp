// The uGNI objects of a process, and its operations under way. They belong to the Process and are used under
// its lock.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "gni_pub.h"
#include "papers/nic/pool.hpp"
#include "papers/nic/ugni/handle.hpp"
#include "papers/nic/ugni/wire_header.hpp"

namespace aqueduct::ugni {

struct Request;
struct MessageQueue;

/// A communication domain, and the NIC that it is attached to.
struct Domain : TableSlot {
  std::uint32_t inst_id = 0, cookie = 0, modes = 0;
  std::uint8_t ptag = 0;
  bool attached = false;
  bool has_fma_descriptor = false;
  std::uint16_t smsg_delivery = GNI_DLVMODE_PERFORMANCE;
  MessageQueue* message_queue = nullptr;
  // The number of RDMA posts without answer, and the posts that wait behind a fence.
  std::uint32_t rdma_unanswered = 0;
  bool fenced = false;
  std::deque<Request*> behind_fence;

  bool has(std::uint32_t mode) const { return (modes & mode) != 0; }
};

/// A completion queue: a ring of entries.
struct Queue : TableSlot {
  enum class Use : std::uint8_t { kNone, kSource, kTarget };

  Domain* domain = nullptr;
  gni_cq_mode_t mode = GNI_CQ_NOBLOCK;
  Use use = Use::kNone;
  std::uint32_t users = 0;     ///< endpoints, registrations, message queues
  std::uint32_t requests = 0;  ///< transfer requests in use
  bool overrun = false;
  std::uint32_t entries = 0;  ///< that it may hold
  std::uint32_t first = 0, count = 0;
  std::vector<gni_cq_entry_t> ring;  ///< grows up to `entries`, so that a queue costs only what it uses

  std::uint32_t request_limit() const {
    return domain->has(GNI_CDM_MODE_DUAL_EVENTS) ? entries / 2 : entries;
  }
  /// A queue serves only the side of its first use. False: it serves the other side.
  bool claim(Use wanted) {
    if (use == Use::kNone) use = wanted;
    return use == wanted;
  }
};

struct Datagram {
  bool active = false, has_id = false, too_small = false;
  gni_post_state_t state = GNI_POST_PENDING;
  std::uint64_t id = 0;
  void* out = nullptr;
  std::uint16_t out_bytes = 0, in_bytes = 0;
  NodeId remote_address = 0;
  std::uint32_t remote_id = 0;
  std::array<std::byte, GNI_DATAGRAM_MAXSIZE> in{};

  bool is_over() const { return active && state != GNI_POST_PENDING; }
};

/// One side of a pair's mailboxes; smsg.cpp says how they lie in memory.
struct Mailbox {
  gni_smsg_attr_t local{}, remote{};
  std::uint64_t sent = 0;      ///< messages in all
  std::uint64_t received = 0;  ///< released messages in all
  bool held = false;           ///< the next one was handed to the user and not released
};

struct Endpoint : TableSlot {
  Domain* domain = nullptr;
  Queue* source = nullptr;
  bool bound = false;
  bool has_event_data = false;
  NodeId peer = 0;
  std::uint32_t remote_id = 0;
  std::uint32_t local_event = 0, remote_event = 0;
  std::uint32_t requests = 0;  ///< that are not over
  std::unique_ptr<Datagram> datagram;
  std::unique_ptr<Mailbox> mailbox;

  std::uint32_t local_event_data() const { return has_event_data ? local_event : remote_id; }
  std::uint32_t remote_event_data() const { return has_event_data ? remote_event : domain->inst_id; }
};

/// Registered memory.
struct Registration : TableSlot {
  Domain* domain = nullptr;
  Queue* queue = nullptr;
  std::uint32_t flags = 0;
  bool dedicated = false;
  bool closing = false;         ///< it is being deregistered, and nothing new may begin
  std::uint32_t under_way = 0;  ///< transfers that the network makes from or to it
  std::vector<gni_mem_segment_t> segments;

  bool holds(std::uint64_t address, std::uint64_t bytes) const {
    for (const gni_mem_segment_t& segment : segments) {
      if (address >= segment.address && address - segment.address <= segment.length &&
          bytes <= segment.length - (address - segment.address))
        return true;
    }
    return false;
  }
};

/// A transfer that is lent to the device, with its owner.
struct Lent : NicTransfer {
  enum class Owner : std::uint8_t { kRequest, kLanding, kAnswer } owner = Owner::kRequest;
  void* object = nullptr;
};

/// A post that is under way: a transfer request.
struct Request : TableSlot {
  Request() {
    out.owner = Lent::Owner::kRequest;
    out.object = this;
  }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;

  Lent out;
  WireHeader header;
  std::vector<std::byte> buffer;  ///< the bytes that an FMA put has stored
  Endpoint* endpoint = nullptr;
  Queue* queue = nullptr;           ///< null: there are no events
  gni_mem_handle_t local_memory{};  ///< where a get or fetching AMO lands
  Registration* pinned = nullptr;   ///< the source of an RDMA put while it is lent
  gni_post_descriptor_t* descriptor = nullptr;
  Request* chain = nullptr;          ///< of a part of a chain: the first, which has the events
  std::uint32_t parts = 0;           ///< of the first: parts that are not over, and itself
  std::uint64_t result_address = 0;  ///< of a fetching AMO or get
  std::uint32_t local_data = 0;      ///< of events, as it was when it was posted
  std::uint32_t global_data = 0;
  std::uint8_t due = 0;  ///< LOCAL and GLOBAL events that are still to be posted
  std::uint8_t status = 0;
  std::uint8_t posted = 0;              ///< events in the queue that were not taken
  std::array<std::uint8_t, 2> which{};  ///< of these, in order
  std::uint64_t event_type = GNI_CQ_EVENT_TYPE_POST;
  bool lent = false;
  bool unanswered = false;
  bool is_rdma = false;
  bool is_fence = false;
  bool local_when_sent = false;  ///< its LOCAL event is due when it was sent, otherwise when it is complete
  bool remote_overrun = false;

  bool is_over() const { return !lent && !unanswered && due == 0 && posted == 0 && parts == 0; }
};

/// A message from a peer whose payload arrives, or that waits for its turn.
struct Landing {
  Landing() {
    in.owner = Lent::Owner::kLanding;
    in.object = this;
  }
  Landing(const Landing&) = delete;
  Landing& operator=(const Landing&) = delete;

  Lent in;
  WireHeader header;
  NodeId source = 0;
  Registration* memory = nullptr;  ///< where it lands; it stays until then
  std::byte* place = nullptr;      ///< likewise
  std::vector<std::byte> buffer;   ///< used while other messages must come first
  bool is_aside = false;           ///< the buffer is copied to `place` at its turn
  bool ready = false, whole = true;
  Landing* next = nullptr;
};

/// A message other than a post: an answer or a datagram.
struct Answer {
  Answer() {
    out.owner = Lent::Owner::kAnswer;
    out.object = this;
  }
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;

  Lent out;
  WireHeader header;
  Registration* memory = nullptr;  ///< the source of a get reply; it stays until that is sent
  std::array<std::byte, GNI_DATAGRAM_MAXSIZE> buffer;
  Answer* next = nullptr;
};

using nic::Pool;

/// Requests are named by the 24 bits that a queue entry has for them.
inline constexpr std::uint32_t kMaxRequestIndex = (1u << 16) - 1;
inline constexpr std::uint32_t kRequestGenerationMask = (1u << 8) - 1;
using RequestTable = nic::Table<Request, kMaxRequestIndex, kRequestGenerationMask>;

/// Registrations are named by 16 bits of a memory handle, and 16 of generation.
inline constexpr std::uint32_t kMaxRegistrationIndex = (1u << 16) - 1;
inline constexpr std::uint32_t kRegistrationGenerationMask = (1u << 16) - 1;
using RegistrationTable = nic::Table<Registration, kMaxRegistrationIndex, kRegistrationGenerationMask>;

}  // namespace aqueduct::ugni
