// Packets that were sent to one peer and of which it is not known what became, by their numbers. Not
// thread-safe.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fabric/udp/range_set.hpp"

namespace aqueduct::fabric::udp {

struct SentPacket {
  enum class State : std::uint8_t {
    kSettled,   ///< acknowledged, or nothing that needs an acknowledgement
    kLost,      ///< taken for lost; kept for a while, in case that was wrong
    kInFlight,  ///< nothing is known of it
    kWideProbe  ///< likewise; an attempt at a larger datagram, which carries nothing
  };
  State state = State::kSettled;
  std::uint32_t bytes = 0;
  std::uint64_t sent_ns = 0;
  bool is_in_flight() const { return state == State::kInFlight || state == State::kWideProbe; }

  Range messages;
  Range control;
  Range bulk;
  std::uint32_t transfer = 0;
  bool carries_something() const { return messages.size() + control.size() + bulk.size() != 0; }
};

class SentPackets {
 public:
  /// The first and the last may not be farther apart than this, because the receiver forgets
  /// (received_numbers.hpp).
  static constexpr std::uint64_t kMostSpan = 2048;

  std::uint64_t next_number() const { return next_; }
  /// All before this are settled or lost.
  std::uint64_t base() const { return base_; }
  bool is_full() const { return next_ - base_ >= kMostSpan; }
  bool knows(std::uint64_t number) const { return number >= base_ && number < next_; }
  SentPacket& at(std::uint64_t number) { return ring_[number & (ring_.size() - 1)]; }

  SentPacket& add() {
    if (next_ - base_ == ring_.size()) grow();
    SentPacket& packet = at(next_++);
    packet = {};
    return packet;
  }
  /// Gives its memory back if no packet is remembered.
  void release_memory() {
    if (base_ == next_) ring_ = std::vector<SentPacket>();
  }
  std::size_t memory_bytes() const { return ring_.capacity() * sizeof(SentPacket); }
  /// Forgets from the first on what is settled, and what was lost before `lost_before`.
  void drop_settled(std::uint64_t lost_before) {
    while (base_ != next_) {
      const SentPacket::State state = at(base_).state;
      if (state != SentPacket::State::kSettled && (state != SentPacket::State::kLost || base_ >= lost_before))
        return;
      ++base_;
    }
  }

 private:
  void grow() {
    constexpr std::size_t kFirst = 16;
    std::vector<SentPacket> larger(ring_.empty() ? kFirst : 2 * ring_.size());
    for (std::uint64_t number = base_; number != next_; ++number)
      larger[number & (larger.size() - 1)] = at(number);
    ring_ = std::move(larger);
  }

  std::uint64_t base_ = 0;
  std::uint64_t next_ = 0;
  std::vector<SentPacket> ring_;
};

}  // namespace aqueduct::fabric::udp
