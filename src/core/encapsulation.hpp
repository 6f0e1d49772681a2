// Messages that the conduits cannot address: they travel as the payload of a medium message to the process
// and are unpacked there.
//
// Conduits and mailboxes know one endpoint per process, and put long payloads into attached segments only.
// Messages from or to any other endpoint, and long ones to a segment that was created (not attached) or,
// where all memory can be reached, to none, are carried: an Encapsulation says which endpoints, handler and
// arguments are meant, and the payload follows it. At the target the core copies a long payload to its place
// and runs the endpoint's handler as if the message had come by itself; its reply is carried back the same
// way.
//
// A long payload that does not fit one medium message goes in pieces, in any order; the handler runs when the
// last has arrived, on that piece's token. A neighbour's shared segment is written directly, and the
// encapsulation only says so. A reply is one message, so a carried long reply is limited to one piece.
#pragma once
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "am/message.hpp"
#include "base/spin_lock.hpp"
#include "core/objects.hpp"

namespace aqueduct::core {

struct Thread;
struct Token;

struct alignas(am::kEncapsulationBytes) Encapsulation {
  Category category;
  std::uint8_t handler;
  std::uint8_t nargs;
  bool is_in_place;  ///< the whole long payload is at its destination already
  std::uint16_t source_endpoint;
  std::uint16_t target_endpoint;
  std::uint32_t number;  ///< tells long messages of a sender apart that travel in pieces
  std::uint64_t destination;
  std::uint64_t total_bytes;
  std::uint64_t offset;  ///< of this piece
  std::int32_t args[am::kMaxArgs];
};
static_assert(sizeof(Encapsulation) == am::kEncapsulationBytes);

/// Whether a message between these endpoints must be carried.
inline bool needs_encapsulation(const Objects& objects, const Peer& peer, const Message& message) {
  if (!peer.is_primordial()) return true;
  if (message.category != Category::kLong || message.payload_bytes == 0) return false;
  return !objects.attached ||
         (objects.segment_everything &&
          !objects.bounds[peer.rank].contains(reinterpret_cast<std::uintptr_t>(message.destination),
                                              message.payload_bytes));
}

/// As send_request() and send_reply() (core/am.hpp), whose checks have been made.
int send_carried_request(const char* where, Thread& thread, const Peer& peer, const Message& message,
                         gex_Flags_t flags);
int send_carried_reply(const char* where, Thread& thread, Token& token, const Message& message,
                       gex_Flags_t flags);

void register_encapsulation(HandlerTable& handlers);

/// Buffers of a thread in which messages are packed: one for each that is being sent, since a send may poll
/// and so send another.
class PackingRoom {
 public:
  std::unique_ptr<std::byte[]> take(std::size_t bytes);
  void give_back(std::unique_ptr<std::byte[]> buffer) { free_.push_back(std::move(buffer)); }

 private:
  std::vector<std::unique_ptr<std::byte[]>> free_;  // all of the size that is always asked for
};

/// What has arrived of long messages in pieces.
class Reassembly {
 public:
  /// Counts a piece; true if it was the last.
  bool complete(RankId source, std::uint32_t number, std::uint64_t piece_bytes, std::uint64_t total_bytes);
  std::uint32_t next_number() { return numbers_.fetch_add(1, std::memory_order_relaxed); }

 private:
  SpinLock lock_;
  std::atomic<std::uint32_t> numbers_{0};
  std::map<std::pair<RankId, std::uint32_t>, std::uint64_t> arrived_;
};

}  // namespace aqueduct::core
