// Puts that are under way to images beyond the neighbourhood: which bytes they write, and the packed copies
// that they read from.
#pragma once
#include <cstddef>

#include "clients/caf/job.hpp"

namespace aqueduct::caf {

class PendingPuts {
 public:
  bool any() const { return any_; }
  bool overlaps(gex_Rank_t rank, std::size_t low, std::size_t high) const;
  /// There is another one. Completes all when there are too many.
  void add(gex_Rank_t rank, std::size_t low, std::size_t high);
  /// Memory for a packed copy that stays until all puts are complete. Ends the job if there is none.
  char* take_copy(std::size_t bytes);
  void complete();

 private:
  static constexpr std::size_t kRanges = 32;
  static constexpr std::size_t kMostCopied = std::size_t{8} << 20;
  struct Range {
    gex_Rank_t rank;
    std::size_t low, high;
  };
  struct Copy {
    Copy* next;
    alignas(16) char memory[1];
  };
  bool any_ = false;
  std::size_t count_ = 0, copied_ = 0;
  Copy* copies_ = nullptr;
  Range ranges_[kRanges];
};

extern PendingPuts pending_puts;

}  // namespace aqueduct::caf
