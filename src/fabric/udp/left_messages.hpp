// Small messages that were left for whoever holds a peer's lock (peer_lock.hpp), in the order in which they
// were left. Any thread adds; the holder of the peer's lock takes.
//
// Those that are added lie in one buffer, and those that are being taken in another; the two change places.
// So the lock in here is held for the copy of one small message, or for that exchange, and a holder takes
// many messages at once.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "base/spin_lock.hpp"
#include "base/types.hpp"
#include "fabric/fabric.hpp"
#include "fabric/pieces.hpp"

namespace aqueduct::fabric::udp {

class LeftMessages {
 public:
  /// Of a message that is left, header and payload.
  static constexpr std::size_t kMostMessage = 512;
  /// Of what waits to be taken; there may be as much again that is being taken.
  static constexpr std::size_t kMostBytes = std::size_t{32} << 10;
  static constexpr std::size_t most_bytes() { return sizeof(LeftMessages) + 2 * kMostBytes; }

  static bool is_small(std::span<const std::byte> header, std::size_t payload_bytes) {
    return header.size() + payload_bytes <= kMostMessage;
  }

  /// A copy of a small message. False: there is no room now.
  bool add(std::span<const std::byte> header, std::span<const Piece> payload, std::size_t payload_bytes,
           const Place* place, std::uint64_t cookie) {
    const Head head{.cookie = cookie,
                    .place = place ? *place : Place{},
                    .header_bytes = static_cast<std::uint16_t>(header.size()),
                    .payload_bytes = static_cast<std::uint16_t>(payload_bytes),
                    .is_placed = place != nullptr};
    const std::lock_guard guard(lock_);
    if (added_bytes_ + head.whole() > kMostBytes) return false;
    if (!added_) added_ = std::make_unique_for_overwrite<std::byte[]>(kMostBytes);
    std::byte* at = added_.get() + added_bytes_;
    std::memcpy(at, &head, sizeof head);
    std::memcpy(at + sizeof head, header.data(), header.size());
    at += sizeof head + header.size();
    for (const Piece& piece : payload) {
      std::memcpy(at, piece.base, piece.bytes);
      at += piece.bytes;
    }
    added_bytes_ += head.whole();
    return true;
  }

  // By the holder of the peer's lock.
  /// Gives each message that was left before the call to `send(header, payload, place, cookie)`, until that
  /// refuses one. False: some are left, which come first the next time.
  template <class Send>
  bool take(Send&& send) {
    if (!take_those_at_hand(send)) return false;
    exchange();
    return take_those_at_hand(send);
  }
  /// Whether take() has been refused one that it has not given away since.
  bool has_refused() const { return taken_ != taking_bytes_; }
  /// Where nothing waits here gives the memory back.
  void release_memory() {
    if (has_refused()) return;
    taking_.reset();
    const std::lock_guard guard(lock_);
    if (added_bytes_ == 0) added_.reset();
  }
  std::size_t memory_bytes() {
    const std::lock_guard guard(lock_);
    return sizeof(LeftMessages) + (added_ ? kMostBytes : 0) + (taking_ ? kMostBytes : 0);
  }

 private:
  struct Head {
    std::uint64_t cookie = 0;
    Place place;
    std::uint16_t header_bytes = 0;
    std::uint16_t payload_bytes = 0;
    bool is_placed = false;

    std::size_t whole() const { return sizeof(Head) + header_bytes + payload_bytes; }
  };

  template <class Send>
  bool take_those_at_hand(Send& send) {
    while (taken_ != taking_bytes_) {
      Head head;
      std::byte* const at = taking_.get() + taken_;
      std::memcpy(&head, at, sizeof head);
      const std::span<const std::byte> header(at + sizeof head, head.header_bytes);
      const Piece payload{at + sizeof head + head.header_bytes, head.payload_bytes};
      if (!send(header, std::span<const Piece>(&payload, head.payload_bytes != 0 ? 1 : 0),
                head.is_placed ? &head.place : nullptr, head.cookie))
        return false;
      taken_ += head.whole();
    }
    return true;
  }

  void exchange() {
    taken_ = taking_bytes_ = 0;
    const std::lock_guard guard(lock_);
    std::swap(added_, taking_);
    std::swap(added_bytes_, taking_bytes_);
  }

  SpinLock lock_;  // of the next two
  std::size_t added_bytes_ = 0;
  std::unique_ptr<std::byte[]> added_;

  alignas(kCacheLine) std::size_t taking_bytes_ = 0;
  std::size_t taken_ = 0;
  std::unique_ptr<std::byte[]> taking_;
};

}  // namespace aqueduct::fabric::udp
