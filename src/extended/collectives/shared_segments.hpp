// How the members of a team of neighbours find each other's segments.
#pragma once
#include <cstddef>

#include "gasnetex.h"

namespace aqueduct::extended::collectives {

class SharedSegments {
 public:
  /// How far the memory is from the start of this member's segment, if it lies there and all members have it
  /// mapped. Else kNowhere.
  virtual std::size_t offset_of(const void* address, std::size_t bytes) const = 0;
  /// The same memory of `member`, as it is mapped here; null if it is not.
  virtual std::byte* find(gex_Rank_t member, std::size_t offset, std::size_t bytes) const = 0;

  static constexpr std::size_t kNowhere = ~std::size_t{0};

 protected:
  ~SharedSegments() = default;
};

}  // namespace aqueduct::extended::collectives
