// Datagrams that are about to be sent: they are put together here and handed to the socket in one call, those
// of one size to one peer in one burst.
//
// Large parts of payloads are gathered from where they lie, and sealed there where the seal takes parts.
// Another one copies a datagram together and seals the copy. Small parts are always copied: the kernel and
// the seal take one piece sooner than three. Not thread-safe.
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
  /// Sealed datagrams are sent in batches of this size, while what was sealed is still in the cache.
  static constexpr std::size_t kSealedBytes = std::size_t{192} << 10;
  static constexpr std::size_t kMostDatagrams = 256;
  /// A part of at most this size counts as small.
  static constexpr std::size_t kSmallPart = std::size_t{4} << 10;
  static constexpr std::size_t kLargestDatagram = 0xffff;

  /// `seal` may be null, and outlives the batch.
  explicit SendBatch(const Seal* seal)
      : seal_(seal), arena_(std::make_unique_for_overwrite<std::byte[]>(kArenaBytes)) {}

  bool is_empty() const { return datagrams_ == 0; }
  /// No further datagram may be added now.
  bool is_full() const {
    return datagrams_ == kMostDatagrams || used_ + kLargestDatagram > kArenaBytes ||
           (seal_ && sealed_bytes_ + kLargestDatagram > kSealedBytes) ||
           parts_.size() + Burst::kMostParts > parts_.capacity();
  }
  /// Where the next one is to be written; room for kLargestDatagram.
  std::byte* room() { return arena_.get() + used_; }
  /// What was written there is a datagram to `to`.
  void add(const net::Address& to, const PacketName& name, const BuiltDatagram& built);
  /// So many datagrams of this size may be added one after the other: at least one if is_full() says no.
  unsigned room_for(std::size_t datagram_bytes) const;
  /// Adds `count` datagrams that are alike, for which there is room, behind one of their size to the same
  /// address. `name` is that of the first.
  void add_alike(const net::Address& to, PacketName name, const BuiltDatagram& first, unsigned count);

  /// Sends as much as the socket takes. False: there is more.
  bool flush(DatagramSocket& socket, unsigned lane);
  /// What datagrams here take from `from` lies at `to` from now on.
  void moved(const Piece& from, std::byte* to);
  /// Forgets what was not sent.
  void clear();

 private:
  /// Of one datagram, in their order.
  struct Parts {
    static constexpr std::size_t kMostGathered = 16;
    static constexpr std::size_t kMost = kMostGathered + 2;  // its beginning, those of the payload, the tag
    std::array<iovec, kMost> at;
    std::size_t count = 0;
    void add(void* begin, std::size_t bytes) { at[count++] = {begin, bytes}; }
    std::span<const iovec> all() const { return {at.data(), count}; }
  };

  std::size_t tag_bytes() const { return seal_ ? seal_->tag_bytes() : 0; }
  /// Whether a datagram with a part of this size lies here as a whole.
  bool copies(std::size_t part_bytes) const {
    return part_bytes <= kSmallPart && (!seal_ || seal_->takes_parts());
  }
  /// Writes what has to be here behind what is in room(), with the tag, and says where all of it is. `part`
  /// is what the datagram carries of its pieces.
  Parts put_together(const PacketName& name, const BuiltDatagram& built, const Range& part);
  void append(const net::Address& to, const Parts& parts, std::size_t bytes);
  void copy_alike(PacketName name, const BuiltDatagram& first, unsigned count, const std::byte* from);

  const Seal* seal_;
  std::unique_ptr<std::byte[]> arena_;
  std::size_t used_ = 0;
  std::size_t datagrams_ = 0;
  std::size_t sealed_bytes_ = 0;
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
