// A message in flight: one record that both ends of the simulated wire use, and a pool of records.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "fabric/fabric.hpp"
#include "sim/faults.hpp"

namespace aqueduct::sim {

struct Lane;

struct NetworkMessage {
  // Fixed when it is sent.
  fabric::NodeId source = 0;
  fabric::NodeId target = 0;
  std::uint64_t cookie = 0;
  Lane* lane = nullptr;
  std::uint32_t sequence = 0;  // in its lane
  std::uint32_t header_bytes = 0;
  std::size_t payload_bytes = 0;
  bool in_order = false;       // its sender asked for order; on ordered networks all messages have it
  bool is_background = false;  // a packet that is nobody's message (hot_spot.hpp)
  std::array<std::byte, fabric::kMaxHeader> header;
  std::vector<fabric::Piece> pieces;  // the sender's memory, until it is captured

  // The sending side.
  std::vector<std::byte> payload;  // a copy, made when it has left the sender's memory
  std::uint32_t header_crc = 0;
  std::uint32_t payload_crc = 0;
  std::uint32_t tries = 0;
  std::size_t injected_bytes = 0;  // of the payload, in this try
  Faults::Draw draw;               // what happens to this try
  bool captured = false;
  bool in_queue = false;  // of the injection gate
  bool retry_planned = false;
  std::uint32_t flights = 0;  // bursts of this try's payload that go packet by packet and have not arrived
  bool part_lost = false;     // a cut cable has swallowed some of this try
  Time left_at = 0;           // when this try had left the gate
  bool payload_out = false;   // the last burst of the payload has left
  Time payload_arrival = 0;   // of what has left, as far as known
  Time retry_wanted = 0;      // the time of the retry, if the failure was found during the injection
  bool sender_done = false;   // the target has or refuses the message, or the sender has given up

  // The receiving side.
  enum class State : std::uint8_t {
    kUnseen,   // its header has not arrived
    kHeld,     // its header waits for earlier ones
    kArrived,  // reported, not answered
    kAccepted,
    kDiscarded,
    kOver,
  };
  State state = State::kUnseen;
  bool abandoned = false;     // the sender has given up
  bool payload_here = false;  // whole and intact
  std::size_t room = 0;       // taken at the target by payload that is not accepted yet
  std::vector<fabric::Piece> where;
  std::size_t keep_bytes = 0;
  std::uint64_t landing_cookie = 0;
  Time accepted_at = 0;

  // The record.
  std::uint32_t holders =
      0;  // events and reports under way that will look at it, and each side that is not done
  std::uint32_t index = 0;
  std::uint32_t generation = 0;
  NetworkMessage* next = nullptr;       // in the queue of the injection gate
  NetworkMessage* next_held = nullptr;  // in its lane

  std::uint64_t id() const { return std::uint64_t{generation} << 32 | index; }
};

/// Records do not move, and keep the memory of their buffers unless it is large.
class MessagePool {
 public:
  NetworkMessage& take() {
    if (free_.empty()) {
      records_.emplace_back();
      records_.back().index = static_cast<std::uint32_t>(records_.size() - 1);
      return records_.back();
    }
    NetworkMessage& message = records_[free_.back()];
    free_.pop_back();
    return message;
  }

  void give_back(NetworkMessage& message) {
    const std::uint32_t index = message.index;
    const std::uint32_t generation = message.generation + 1;
    std::vector<fabric::Piece> pieces = std::move(message.pieces), where = std::move(message.where);
    std::vector<std::byte> payload = std::move(message.payload);
    pieces.clear();
    where.clear();
    payload.clear();
    message = NetworkMessage{};
    message.index = index;
    message.generation = generation;
    message.pieces = std::move(pieces);
    message.where = std::move(where);
    if (payload.capacity() <= kKeepBytes) message.payload = std::move(payload);
    free_.push_back(index);
  }

  /// Null if `id` names no message that is in flight.
  NetworkMessage* find(std::uint64_t id) {
    const std::uint64_t index = id & 0xffffffffu;
    if (index >= records_.size() || records_[index].id() != id) return nullptr;
    return &records_[index];
  }

 private:
  static constexpr std::size_t kKeepBytes = std::size_t{64} << 10;
  std::deque<NetworkMessage> records_;
  std::vector<std::uint32_t> free_;
};

}  // namespace aqueduct::sim
