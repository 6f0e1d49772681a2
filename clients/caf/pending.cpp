#include "clients/caf/pending.hpp"

#include <algorithm>
#include <cstdlib>

#include "clients/caf/error.hpp"

namespace aqueduct::caf {

PendingPuts pending_puts;

bool PendingPuts::overlaps(gex_Rank_t rank, std::size_t low, std::size_t high) const {
  return std::any_of(ranges_, ranges_ + count_,
                     [&](const Range& r) { return r.rank == rank && r.low < high && low < r.high; });
}

void PendingPuts::add(gex_Rank_t rank, std::size_t low, std::size_t high) {
  any_ = true;
  if (count_ > 0) {
    Range& last = ranges_[count_ - 1];
    if (last.rank == rank && low <= last.high && last.low <= high) {
      last.low = std::min(last.low, low);
      last.high = std::max(last.high, high);
      return;
    }
  }
  if (count_ == kRanges) {
    // The oldest ranges may be complete; nothing says so but a wait for all.
    complete();
    return;
  }
  ranges_[count_++] = {rank, low, high};
}

char* PendingPuts::take_copy(std::size_t bytes) {
  if (copied_ + bytes > kMostCopied) complete();
  auto* const copy = static_cast<Copy*>(std::malloc(offsetof(Copy, memory) + bytes));
  if (!copy) fatal("a transfer", "no memory for %zu bytes", bytes);
  copy->next = copies_;
  copies_ = copy;
  copied_ += bytes;
  any_ = true;
  return copy->memory;
}

void PendingPuts::complete() {
  gex_NBI_Wait(GEX_EC_PUT, 0);
  while (copies_) {
    Copy* const next = copies_->next;
    std::free(copies_);
    copies_ = next;
  }
  any_ = false;
  count_ = copied_ = 0;
}

}  // namespace aqueduct::caf
