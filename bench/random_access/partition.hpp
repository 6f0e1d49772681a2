// Divides the words among ranks in equal runs, in the order of ranks. If the number of ranks does not divide
// the words, the first ranks have one more.
#pragma once
#include <bit>
#include <cstdint>

namespace aqueduct::bench::random_access {

class Partition {
 public:
  /// `words` is a power of two, and at least `ranks`.
  Partition(std::uint64_t words, std::uint32_t ranks)
      : words_(words),
        least_(words / ranks),
        longer_(words % ranks),
        shift_(std::has_single_bit(ranks) ? std::countr_zero(least_) : kNoShift) {}

  std::uint64_t words() const { return words_; }
  std::uint64_t index(std::uint64_t value) const { return value & (words_ - 1); }

  std::uint32_t owner(std::uint64_t value) const {
    const std::uint64_t at = index(value);
    if (shift_ != kNoShift) return static_cast<std::uint32_t>(at >> shift_);
    const std::uint64_t in_longer = longer_ * (least_ + 1);
    return static_cast<std::uint32_t>(at < in_longer ? at / (least_ + 1) : (at - longer_) / least_);
  }

  std::uint64_t first(std::uint32_t rank) const { return rank * least_ + (rank < longer_ ? rank : longer_); }
  std::uint64_t count(std::uint32_t rank) const { return least_ + (rank < longer_ ? 1 : 0); }

 private:
  static constexpr int kNoShift = -1;
  std::uint64_t words_, least_, longer_;
  int shift_;  // from the number of a word to its rank, if both counts are powers of two
};

}  // namespace aqueduct::bench::random_access
