// The boards of a team, and where they lie: each rank has a few places in shared memory, of which every team
// of neighbours takes the same one on all its members.
//
// Small collectives use cells (board.hpp), larger ones slots and the segments of members (shared_blocks.hpp).
// What lies where: place.hpp. How members agree on a place: board_places.hpp.
#pragma once
#include <cstdint>
#include <memory>

#include "core/rank.hpp"
#include "extended/board_places.hpp"
#include "extended/collectives/board.hpp"
#include "extended/collectives/shared_blocks.hpp"

namespace aqueduct::extended::collectives {

class Boards {
 public:
  /// Null if this team cannot have boards: members that share no memory, one member alone, or too many.
  /// `place` is the same on all members. Every member clears what is its own; somebody must see to it that
  /// all have done so before the first collective.
  static std::unique_ptr<Boards> open(core::Rank& rank, const core::Team& team, unsigned place);

  /// What serves a request; null if that is done by messages. The same on all members.
  SharedCollective* choose(const Request& request);

  /// True if all that was started on any board is complete.
  bool advance() {
    const bool compact = compact_.passed(compact_.started());
    const bool wide = wide_.passed(wide_.started());
    const bool blocks = blocks_.passed(blocks_.started());
    return compact && wide && blocks;
  }
  std::uint64_t completed() const { return compact_.completed() + wide_.completed() + blocks_.completed(); }

 private:
  Boards(core::Rank& rank, const core::Team& team, unsigned place);

  // The segments that gex_Segment_Attach made, which all neighbours have mapped.
  class AttachedSegments final : public SharedSegments {
   public:
    AttachedSegments(core::Rank& rank, const core::Team& team) : rank_(rank), team_(team) {}
    std::size_t offset_of(const void* address, std::size_t bytes) const override;
    std::byte* find(gex_Rank_t member, std::size_t offset, std::size_t bytes) const override;

   private:
    core::Rank& rank_;
    const core::Team& team_;
  };

  const core::Team& team_;
  const AttachedSegments segments_;
  Board compact_;
  Board wide_;
  SharedBlocks blocks_;
};

}  // namespace aqueduct::extended::collectives
