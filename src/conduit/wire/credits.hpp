// Who may send how many requests to whom. Not thread-safe.
//
// Peers are kept in blocks that are made when one of them is first heard of: a rank of a very large job knows
// only those that it talks to.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/types.hpp"

namespace aqueduct::conduit::wire {

inline constexpr std::uint16_t kCredits = 32;
/// So many are given back by a message of their own; fewer wait for one that goes there anyway.
inline constexpr std::uint16_t kCreditsDue = kCredits / 2;

struct Peer {
  std::uint16_t outstanding = 0;  ///< requests to it whose credit has not come back
  std::uint16_t owed = 0;         ///< credits that we have not given back to it
};

class Peers {
 public:
  explicit Peers(RankId ranks) : blocks_((ranks + kBlock - 1) / kBlock) {}

  Peer& operator[](RankId rank) {
    std::unique_ptr<Block>& block = blocks_[rank / kBlock];
    if (!block) block = std::make_unique<Block>();
    return (*block)[rank % kBlock];
  }

 private:
  static constexpr RankId kBlock = 64;
  using Block = std::array<Peer, kBlock>;

  std::vector<std::unique_ptr<Block>> blocks_;
};

}  // namespace aqueduct::conduit::wire
