// Datagrams that are about to be sent: they are put together here and handed to the socket in one call, those
// of one size to one peer in one burst.
//
// Without a seal, parts of payloads are gathered from where they lie. With one, a datagram is copied together
// and sealed. Not thread-safe.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "fabric/udp/datagram_socket.hpp"
#include "fabric/udp/link.hpp"
#include "fabric/udp/seal.hpp"

namespace aqueduct::fabric::udp {

class SendBatch {
 public:
  static constexpr std::size_t kArenaBytes = std::size_t{1} << 20;
  /// Sealed datagrams are sent in batches of this size, while they are still in the cache.
  static constexpr std::size_t kSealedBytes = std::size_t{192} << 10;
  static constexpr std::size_t kMostDatagrams = 256;
  static constexpr std::size_t kLargestDatagram = 0xffff;

  /// `seal` may be null, and outlives the batch.
  explicit SendBatch(const Seal* seal)
      : seal_(seal), arena_(std::make_unique_for_overwrite<std::byte[]>(kArenaBytes)) {}

  bool is_empty() const { return datagrams_ == 0; }
  /// No further datagram may be added now.
  bool is_full() const {
    return datagrams_ == kMostDatagrams || used_ + kLargestDatagram > (seal_ ? kSealedBytes : kArenaBytes) ||
           parts_.size() + Burst::kMostParts > parts_.capacity();
  }
  /// Where the next one is to be written; room for kLargestDatagram.
  std::byte* room() { return arena_.get() + used_; }
  /// What was written there is a datagram to `peer`.
  void add(const net::Address& to, const PacketName& name, const BuiltDatagram& built);

  /// Sends as much as the socket takes. False: there is more.
  bool flush(DatagramSocket& socket);
  /// Forgets what was not sent.
  void clear();

 private:
  void gather(const BuiltDatagram& built);

  const Seal* seal_;
  std::unique_ptr<std::byte[]> arena_;
  std::size_t used_ = 0;
  std::size_t datagrams_ = 0;
  std::vector<iovec> parts_ = reserved();
  std::vector<Burst> bursts_;
  std::vector<std::size_t> first_parts_;  // of each burst, in parts_
  std::size_t last_bytes_ = 0;            // of the last datagram
  std::size_t sent_bursts_ = 0;

  static std::vector<iovec> reserved() {
    std::vector<iovec> parts;
    parts.reserve(std::size_t{2048});
    return parts;
  }
};

}  // namespace aqueduct::fabric::udp
