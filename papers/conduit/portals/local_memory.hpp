// Chooses the descriptor for the local side of a put, a get or a Long's payload.
//
//   in our segment                 RARSRC, which always covers it
//   small, and a chunk is free     a bounce buffer: the caller's memory is free at once (not for payloads)
//   stage firehose                 a cached descriptor, maybe of the first part only
//   otherwise                      a temporary descriptor for exactly this memory
//
// The descriptor is held until release(). Any thread. Never waits: kRetry means that a chunk, a temporary or
// a cached descriptor must become free first.
#pragma once
#include <atomic>
#include <cstddef>
#include <optional>

#include "conduit/conduit.hpp"
#include "papers/conduit/portals/interface.hpp"
#include "papers/conduit/portals/settings.hpp"
#include "papers/parts/memory/chunk_pool.hpp"
#include "papers/parts/send_tokens.hpp"
#include "parts/firehose.hpp"

namespace aqueduct::conduit::portals {

/// A range of local memory under a descriptor.
struct HeldMemory {
  ptl_handle_md_t md = PTL_INVALID_HANDLE;
  std::size_t offset = 0;
  std::size_t bytes = 0;  ///< may be less than was asked for
  parts::ChunkPool::Offset chunk = parts::ChunkPool::kNone;
  bool temporary = false;
  parts::Firehose::Request pin;
};

class LocalMemory final : private parts::Firehose::Client {
 public:
  /// `chunks` lends bounce buffers, which lie under `chunks_md`; `handler` handles the events of the other
  /// descriptors.
  LocalMemory(InterfaceClient& interface, const PortalsSettings& settings, parts::ChunkPool& chunks,
              ptl_handle_md_t chunks_md, void* handler);
  ~LocalMemory();

  void set_segment(const SegmentBounds& segment, ptl_handle_md_t md);

  enum class Extent : std::uint8_t { kWhole, kPart };
  /// Finds a descriptor for a whole range of at most max_at_once(), or for a part from its beginning. Ranges
  /// up to `bounce_bytes` go through a chunk.
  Post hold(const void* address, std::size_t bytes, Extent extent, std::size_t bounce_bytes,
            HeldMemory* held);
  void release(HeldMemory& held);

  /// Registrations that operations hold now, and their bounce buffers.
  std::size_t held() const { return held_.load(std::memory_order_relaxed); }
  const parts::Firehose* firehose() const { return firehose_ ? &*firehose_ : nullptr; }
  /// The longest payload that one descriptor always covers.
  static std::size_t max_at_once(const PortalsSettings& settings);

 private:
  parts::Firehose::Moved move(std::span<parts::Firehose::Region> unpin,
                              parts::Firehose::Region& pin) override;
  void unpin(std::span<parts::Firehose::Region> regions) override;
  bool bind(const void* address, std::size_t bytes, ptl_handle_md_t* md);

  InterfaceClient& interface_;
  parts::ChunkPool& chunks_;
  ptl_handle_md_t chunks_md_;
  void* handler_;
  SegmentBounds segment_;
  ptl_handle_md_t segment_md_ = PTL_INVALID_HANDLE;
  parts::SendTokens temporaries_;
  std::atomic<std::size_t> held_{0};
  bool closing_ = false;
  std::optional<parts::Firehose> firehose_;
};

}  // namespace aqueduct::conduit::portals
