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

  gex_Rank_t size() const { return size_; }
  gex_Rank_t me() const { return me_; }
  /// The rank in the team of the member at `place`.
  gex_Rank_t operator[](gex_Rank_t place) const { return list_ ? list_[place] : place; }

  /// The place `distance` after ours, around the end.
  gex_Rank_t after(gex_Rank_t distance) const {
    return static_cast<gex_Rank_t>((std::uint64_t{me_} + distance) % size_);
  }
  gex_Rank_t before(gex_Rank_t distance) const { return after(size_ - distance % size_); }

 private:
  const gex_Rank_t* list_ = nullptr;
  gex_Rank_t size_;
  gex_Rank_t me_;
};

}  // namespace aqueduct::extended::collectives
