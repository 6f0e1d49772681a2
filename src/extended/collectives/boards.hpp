// The boards of a team, and where they lie: each rank has a few places in shared memory, of which every team
// of neighbours takes the same one on all its members.
//
// A place of a rank holds its cells of the wide board, and, for the first member of a team, all cells of the
// compact one. How members agree on a place: board_places.hpp.
#pragma once
#include <cstdint>
#include <memory>

#include "extended/collectives/board.hpp"
#include "extended/collectives/board_places.hpp"

namespace aqueduct::extended::collectives {

class Boards {
 public:
  /// Null if this team cannot have boards: members that share no memory, one member alone, or too many.
  /// `place` is the same on all members. Every member clears what is its own; somebody must see to it that
  /// all have done so before the first collective.
  static std::unique_ptr<Boards> open(core::Rank& rank, const core::Team& team, unsigned place);

  /// The board that serves a request; null if it is none for boards. The same on all members.
  Board* choose(const Request& request);

  /// True if all that was started on any board is complete.
  bool advance() {
    const bool compact = compact_.passed(compact_.started());
    const bool wide = wide_.passed(wide_.started());
    return compact && wide;
  }
  bool idle() const { return compact_.idle() && wide_.idle(); }
  std::uint64_t completed() const { return compact_.completed() + wide_.completed(); }

 private:
  Boards(core::Rank& rank, const core::Team& team, unsigned place);

  const core::Team& team_;
  Board compact_;
  Board wide_;
};

}  // namespace aqueduct::extended::collectives
