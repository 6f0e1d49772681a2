// Peers from which an answer is missing: as many as conduits probe, and reports name, at once.
#pragma once
#include <algorithm>
#include <array>

#include "base/types.hpp"

namespace aqueduct::parts {

class ProbeList {
 public:
  static constexpr unsigned kMost = 8;

  void add(RankId peer) {
    if (!is_full() && !contains(peer)) peers_[count_++] = peer;
  }
  bool contains(RankId peer) const { return std::find(begin(), end(), peer) != end(); }
  bool is_full() const { return count_ == kMost; }
  const RankId* begin() const { return peers_.data(); }
  const RankId* end() const { return peers_.data() + count_; }

 private:
  std::array<RankId, kMost> peers_{};
  unsigned count_ = 0;
};

}  // namespace aqueduct::parts
