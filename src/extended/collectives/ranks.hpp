// A list of members of a team, in order, and this member's place in it: what an algorithm runs over.
#pragma once
#include <cstdint>

#include "gasnetex.h"

namespace aqueduct::extended::collectives {

class Ranks {
 public:
  /// All members of a team.
  Ranks(gex_Rank_t size, gex_Rank_t me) : size_(size), me_(me) {}
  /// Those in `list`, which must stay valid; `me` counts in the list.
  Ranks(const gex_Rank_t* list, gex_Rank_t size, gex_Rank_t me) : list_(list), size_(size), me_(me) {}
  /// `first`, and each that is `stride` after the one before.
  static Ranks spaced(gex_Rank_t first, gex_Rank_t stride, gex_Rank_t size, gex_Rank_t me) {
    Ranks ranks(size, me);
    ranks.first_ = first;
    ranks.stride_ = stride;
    return ranks;
  }
  /// The same with `rank` at `place`.
  Ranks with(gex_Rank_t place, gex_Rank_t rank) const {
    Ranks ranks = *this;
    ranks.other_place_ = place;
    ranks.other_ = rank;
    return ranks;
  }

  gex_Rank_t size() const { return size_; }
  gex_Rank_t me() const { return me_; }
  /// The rank in the team of the member at `place`.
  gex_Rank_t operator[](gex_Rank_t place) const {
    if (place == other_place_) return other_;
    return list_ ? list_[place] : first_ + place * stride_;
  }

  /// The place `distance` after ours, around the end.
  gex_Rank_t after(gex_Rank_t distance) const {
    return static_cast<gex_Rank_t>((std::uint64_t{me_} + distance) % size_);
  }
  gex_Rank_t before(gex_Rank_t distance) const { return after(size_ - distance % size_); }

 private:
  const gex_Rank_t* list_ = nullptr;
  gex_Rank_t size_;
  gex_Rank_t me_;
  gex_Rank_t first_ = 0;
  gex_Rank_t stride_ = 1;
  gex_Rank_t other_place_ = GEX_RANK_INVALID;
  gex_Rank_t other_ = 0;
};

}  // namespace aqueduct::extended::collectives
