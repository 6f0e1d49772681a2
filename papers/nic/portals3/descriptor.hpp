// A memory descriptor and the match entry that it may hang on. The caller holds the interface's lock.
#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "papers/nic/portals3/event_queue.hpp"
#include "papers/nic/portals3/nal.hpp"

namespace aqueduct::portals3 {

struct Descriptor;

struct MatchEntry : TableSlot {
  ptl_process_id_t match_id{};
  ptl_match_bits_t match_bits = 0;
  ptl_match_bits_t ignore_bits = 0;
  bool unlinks = false;  ///< goes together with its descriptor
  ptl_pt_index_t pt_index = 0;
  MatchEntry* before = nullptr;
  MatchEntry* after = nullptr;
  Descriptor* descriptor = nullptr;

  bool matches(const ptl_process_id_t& source, ptl_match_bits_t bits) const {
    return (match_id.nid == PTL_NID_ANY || match_id.nid == source.nid) &&
           (match_id.pid == PTL_PID_ANY || match_id.pid == source.pid) &&
           ((match_bits ^ bits) & ~ignore_bits) == 0;
  }
};

/// The pieces of a descriptor: one of its own, or a copy of the user's list.
class Region {
 public:
  /// PTL_OK, or PTL_MD_ILLEGAL for impossible memory, or PTL_NO_SPACE.
  int assign(const ptl_md_t& md, std::uint64_t max_pieces);
  std::span<const Piece> pieces() const {
    return list_ ? std::span<const Piece>{list_.get(), count_} : std::span<const Piece>{&one_, count_};
  }
  std::uint64_t bytes() const { return bytes_; }
  /// Whether both are made of the same pieces.
  bool same_as(const Region& other) const;

 private:
  Piece one_;
  std::unique_ptr<Piece[]> list_;
  std::size_t count_ = 0;
  std::uint64_t bytes_ = 0;
};

struct Acceptance {
  bool accepted = false;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

struct Descriptor : TableSlot {
  ptl_md_t user{};  ///< as given; its threshold is counted down
  Region region;
  MemoryKey memory = 0;
  bool validated = false;  ///< `memory` is to be invalidated
  bool active = false;
  bool unlinks = false;
  std::uint64_t local_offset = 0;
  std::uint32_t pending = 0;  ///< transfers that use it
  MatchEntry* entry = nullptr;
  EventQueue* queue = nullptr;

  bool has(unsigned option) const { return (user.options & option) != 0; }

  /// Sets it up as the user says; drops the old state.
  void begin(const ptl_md_t& md, Region&& memory_region, EventQueue* event_queue);

  /// Whether a request fits, and where; changes nothing.
  Acceptance examine(unsigned operations, std::uint64_t remote_offset, std::uint64_t bytes) const;
  /// Counts an accepted request: advances the offset and lowers the threshold; the descriptor may become
  /// inactive.
  void accept(const Acceptance& acceptance);
  /// Counts one operation.
  void consume();
  /// Whether it must be unlinked automatically now.
  bool finished() const { return unlinks && !active && pending == 0; }
};

}  // namespace aqueduct::portals3
