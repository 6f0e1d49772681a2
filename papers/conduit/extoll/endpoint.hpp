// What the parts of the extoll conduit share: EXTOLL objects, local memory for commands, and the addresses of
// peers and their segments.
//
// Threads: everything but construction and segments with `lock` held.
#pragma once
#include <array>
#include <memory>
#include <vector>

#include "base/spin_lock.hpp"
#include "papers/conduit/extoll/nic.hpp"
#include "parts/long/long_protocol.hpp"

namespace aqueduct::conduit::extoll {

/// The addresses of a segment, which is registered twice.
struct SegmentKey {
  std::uint64_t start = 0;
  RMA2_NLA puts = 0, longs = 0;
};

struct Endpoint {
  Endpoint(const ExtollSettings& how, parts::LongProtocolKind longs, const Opening& opening);

  // Segments, as Conduit has them.
  std::vector<std::byte> export_segment(const SegmentBounds& mine);
  void withdraw_segment();
  void segments_attached(std::span<const SegmentBounds> segments);
  SegmentKey segment_of(RankId rank) const;

  /// Of a peer that was talked with.
  static constexpr std::size_t peer_bytes() { return sizeof(PeerLine); }
  PeerLine& line(RankId rank) {
    std::unique_ptr<LineBlock>& block = lines_[rank / kLineBlock];
    if (!block) block = std::make_unique<LineBlock>();
    return (*block)[rank % kLineBlock];
  }
  void release(RmaCommand& command) {
    local.release(command.held);
    nic.give_back(command);
  }

  const ExtollSettings settings;
  const RankId self;
  const RankId ranks;
  const parts::LongProtocolKind long_kind;
  world::World& world;
  Receiver& receiver;
  SegmentBounds segment;
  Registered segment_puts, segment_longs;
  SegmentKeys keys;

  SpinLock lock;  ///< guards what follows, and the parts of the conduit
  Nic nic;
  LocalMemory local;

 private:
  static constexpr RankId kLineBlock = 16;
  using LineBlock = std::array<PeerLine, kLineBlock>;

  std::vector<std::unique_ptr<LineBlock>> lines_;  // of peers that were used
};

}  // namespace aqueduct::conduit::extoll
