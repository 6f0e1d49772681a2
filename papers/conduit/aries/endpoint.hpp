// What the parts of the aries conduit share: uGNI objects, the memory that peers write to, local memory for
// posts, and the addresses of peers and their segments.
//
// Threads: everything but construction and segments with `lock` held.
#pragma once
#include <vector>

#include "base/spin_lock.hpp"
#include "papers/conduit/aries/nic.hpp"
#include "parts/long/long_protocol.hpp"
#include "world/world.hpp"

namespace aqueduct::conduit::aries {

/// Memory that peers write to: pool buffers, immediate and bounce buffers, and for each peer a region for its
/// requests and a ring for its notify words.
class MessageArea {
 public:
  MessageArea(const AriesSettings& settings, RankId ranks);
  ~MessageArea();
  MessageArea(const MessageArea&) = delete;

  std::byte* base() const { return base_; }
  std::size_t bytes() const { return bytes_; }
  std::size_t buffer(std::size_t slot) const { return slot * buffer_bytes_; }
  std::size_t immediate() const { return immediate_; }
  std::size_t rendezvous_buffer(std::size_t i) const { return rendezvous_ + i * buffer_bytes_; }
  std::size_t region(RankId peer) const { return regions_ + peer * peer_bytes_; }
  std::size_t ring(RankId peer) const { return region(peer) + region_bytes_; }
  std::byte* at(std::size_t offset) const { return base_ + offset; }
  std::size_t peer_bytes() const { return peer_bytes_; }

 private:
  std::size_t buffer_bytes_, immediate_, rendezvous_, regions_, region_bytes_, peer_bytes_, bytes_;
  std::byte* base_;
};

/// What each rank sends to all others when the conduit opens.
struct AriesCard {
  std::uint64_t base = 0;
  gni_mem_handle_t memory{};
  std::uint32_t address = 0;
  std::uint32_t depth = 0;
  std::uint64_t slot_bytes = 0;
  std::uint64_t buffer_bytes = 0;
  std::uint64_t first_region = 0;
};

/// What of a peer's card is kept: how its message area is reached.
struct PeerArea {
  std::uint64_t base = 0;
  gni_mem_handle_t memory{};
};

struct Endpoint {
  Endpoint(const AriesSettings& how, parts::LongProtocolKind longs, const Opening& opening);

  // Segments, as Conduit has them.
  std::vector<std::byte> export_segment(const SegmentBounds& mine);
  void withdraw_segment();
  void segments_attached(std::span<const SegmentBounds> segments);
  gni_mem_handle_t segment_of(RankId rank) const;

  /// Finds a registration for one post: the segment's, one from the cache, or a new one. `*bytes` receives
  /// how much of the memory it covers; all of it if `is_whole`. False: there is none now.
  bool hold(std::uintptr_t address, bool is_whole, PostDescriptor& descriptor, std::size_t* bytes);
  /// Takes a registered buffer of at least `bytes` instead; null: there is none now.
  std::byte* take_buffer(PostDescriptor& descriptor, std::size_t bytes);
  void give_back(PostDescriptor& descriptor) {
    local.release(descriptor.held);
    nic.give_back(descriptor);
  }

  std::uint64_t remote_area(RankId peer) const { return areas[peer].base; }
  /// Of every peer: its area, and the address of its NIC.
  static constexpr std::size_t peer_bytes() { return sizeof(PeerArea) + sizeof(std::uint32_t); }

  const AriesSettings settings;
  const RankId self;
  const RankId ranks;
  const parts::LongProtocolKind long_kind;
  const bool is_rendezvous;
  world::World& world;
  Receiver& receiver;
  MessageArea area;
  gni_mem_handle_t area_memory{};
  SegmentBounds segment;
  gni_mem_handle_t segment_memory{};
  SegmentKeys keys;

  SpinLock lock;  ///< guards what follows, and the parts of the conduit
  Nic nic;
  LocalMemory local;
  std::vector<PeerArea> areas;

 private:
  void exchange_cards(job::Bootstrap& bootstrap);
};

}  // namespace aqueduct::conduit::aries
