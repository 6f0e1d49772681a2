// The boards of a team, and where they lie: each rank has a few places in shared memory, of which every team
// of neighbours takes the same one on all its members.
//
// A place of a rank holds its cells of the wide board, and, for the first member of a team, all cells of the
// compact one. Members agree on a place when they make a team (teams.cpp): each offers those that it has, and
// the first that all have offered is taken; where there is none the team does without boards.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>

#include "extended/collectives/board.hpp"

namespace aqueduct::extended::collectives {

inline constexpr unsigned kBoardPlaces = core::kRankBoardPlaces;
inline constexpr unsigned kNoBoard = ~0u;
inline constexpr unsigned kWorldBoard = 0;

/// Which places of this rank are free. Any thread.
class BoardPlaces {
 public:
  /// A set, one bit for each free place; these are not offered to others until settle().
  std::uint32_t offer() {
    const std::lock_guard guard(lock_);
    const std::uint32_t offered = free_;
    free_ = 0;
    return offered;
  }
  /// What was offered is free again, except for `taken`, which may be kNoBoard.
  void settle(std::uint32_t offered, unsigned taken) {
    const std::lock_guard guard(lock_);
    if (taken != kNoBoard) offered &= ~(1u << taken);
    free_ |= offered;
  }
  void give_back(unsigned place) {
    const std::lock_guard guard(lock_);
    if (place != kNoBoard) free_ |= 1u << place;
  }

 private:
  SpinLock lock_;
  std::uint32_t free_ = ((1u << kBoardPlaces) - 1) & ~(1u << kWorldBoard);
};

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
