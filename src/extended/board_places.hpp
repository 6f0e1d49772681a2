// Which of a rank's places for boards are free, and how the members of a new team agree on one.
//
// Each member offers its free places when the team is made; the first that all have offered is taken, and
// where there is none the team does without boards. What is offered is not offered to a second team
// meanwhile.
#pragma once
#include <bit>
#include <cstdint>
#include <mutex>

#include "base/spin_lock.hpp"
#include "core/neighbourhood.hpp"

namespace aqueduct::extended {

inline constexpr unsigned kNoBoard = ~0u;
inline constexpr unsigned kWorldBoard = 0;
inline constexpr unsigned kBarrierBoard = 1;  // of rank 0: see extended/board_barrier.hpp

/// The places of one rank. Any thread may call. Sets of places have one bit for each.
class BoardPlaces {
 public:
  std::uint32_t withdraw_all() {
    const std::lock_guard guard(lock_);
    const std::uint32_t offered = free_;
    free_ = 0;
    return offered;
  }
  void give_back_set(std::uint32_t places) {
    const std::lock_guard guard(lock_);
    free_ |= places;
  }
  void give_back(unsigned place) {
    if (place != kNoBoard) give_back_set(1u << place);
  }

 private:
  SpinLock lock_;
  std::uint32_t free_ = ((1u << core::kRankBoardPlaces) - 1) & ~(1u << kWorldBoard | 1u << kBarrierBoard);
};

/// What this rank offers while a team is being made.
class BoardOffer {
 public:
  explicit BoardOffer(BoardPlaces& places)
      : home_(places), places_(places.withdraw_all()), common_(places_) {}
  ~BoardOffer() { home_.give_back_set(places_); }
  BoardOffer(const BoardOffer&) = delete;
  BoardOffer& operator=(const BoardOffer&) = delete;

  /// What this rank offers.
  std::uint32_t places() const { return places_; }
  /// What another member has offered.
  void meet(std::uint32_t others) { common_ &= others; }
  /// The place that all have chosen, given what meet() was told, or kNoBoard.
  unsigned take() {
    if (common_ == 0) return kNoBoard;
    const auto taken = static_cast<unsigned>(std::countr_zero(common_));
    places_ &= ~(1u << taken);
    return taken;
  }

 private:
  BoardPlaces& home_;
  std::uint32_t places_;
  std::uint32_t common_;
};

}  // namespace aqueduct::extended
