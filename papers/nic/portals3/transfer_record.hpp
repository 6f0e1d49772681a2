// The library's record of a transfer, from send() or parse() to finalize(), and the pool of such records. The
// caller holds the interface's lock.
#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "papers/nic/portals3/descriptor.hpp"
#include "papers/nic/portals3/wire_header.hpp"

namespace aqueduct::portals3 {

class Interface;

/// What finalize() does for a message.
enum class Phase : std::uint8_t {
  kPut,         ///< this process's put has left: SEND_END
  kRequest,     ///< this process's get or getput has left; the answer is another message
  kDeposit,     ///< a put is in this process's memory: PUT_END, acknowledge
  kSwap,        ///< the new contents of a getput have come: exchange, send the old ones back
  kGetReturn,   ///< the answer to a get has left: GET_END
  kSwapReturn,  ///< the answer to a getput has left: GETPUT_END
  kReply,       ///< the reply is in this process's memory: REPLY_END
  kAck,         ///< an acknowledgement has left: no event
};

struct TransferRecord : NicTransfer {
  Interface* owner = nullptr;
  Phase phase = Phase::kPut;
  bool doomed = false;  ///< not to be sent: finalize as failed
  Descriptor* descriptor =
      nullptr;  ///< whose pending count includes this; null for kAck and the request of a get
  TransferRecord* link = nullptr;  ///< in a pool, or among those to be sent
  WireHeader wire;
  ptl_event_t event{};  ///< the START event, for the END event
  std::array<std::byte, kMaxSwap> swap;

  /// Makes a part of a region the payload. False: no memory for the list of its pieces.
  bool aim(const Region& region, std::uint64_t offset, std::uint64_t length);
  /// Makes `swap` the payload.
  void aim_at_swap(std::uint64_t length);
  /// Makes the payload empty.
  void aim_at_nothing();

 private:
  Piece one_;
  std::unique_ptr<Piece[]> list_;  ///< kept for the next time
  std::size_t list_room_ = 0;
};

class TransferPool {
 public:
  /// Null: no memory.
  TransferRecord* take();
  void give_back(TransferRecord& message);
  std::size_t taken() const { return taken_; }

 private:
  std::vector<std::unique_ptr<TransferRecord[]>> chunks_;
  TransferRecord* free_ = nullptr;
  std::size_t taken_ = 0;
};

/// Copies between a part of a region and plain memory.
void gather(const Region& region, std::uint64_t offset, std::span<std::byte> to);
void scatter(std::span<const std::byte> from, const Region& region, std::uint64_t offset);

}  // namespace aqueduct::portals3
