// A table by peer of which only those take memory that were ever asked for: some of very many ranks.
//
// Open addressing in one block of memory: at most three of four places are used. What at() returns stays
// where it is until at() meets a new peer. Not thread-safe.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace aqueduct {

template <class Value>
class PeerMap {
 public:
  /// The value of `peer`, made if there is none. `peer` is a rank, not kNoRank.
  Value& at(RankId peer) {
    if (!places_.empty()) [[likely]] {
      Place& place = places_[place_of(peer)];
      if (place.peer == peer) [[likely]]
        return place.value;
    }
    return add(peer);
  }

  /// Null if it was never asked for.
  const Value* find(RankId peer) const {
    if (places_.empty()) return nullptr;
    const Place& place = places_[place_of(peer)];
    return place.peer == peer ? &place.value : nullptr;
  }

  std::size_t size() const { return used_; }

  /// Calls `visit(value)` for each that was asked for, in no particular order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (const Place& place : places_) {
      if (place.peer != kNoRank) visit(place.value);
    }
  }

  /// The peers whose values fulfil `condition`, in the order of ranks.
  template <class Condition>
  std::vector<RankId> peers_with(Condition&& condition) const {
    std::vector<RankId> peers;
    for (const Place& place : places_) {
      if (place.peer != kNoRank && condition(place.value)) peers.push_back(place.peer);
    }
    std::ranges::sort(peers);
    return peers;
  }

 private:
  static constexpr std::size_t kFirst = 8;
  struct Place {
    RankId peer = kNoRank;
    Value value{};
  };

  // Where the peer is, or would be.
  std::size_t place_of(RankId peer) const {
    constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;
    const std::size_t last = places_.size() - 1;
    std::size_t at = peer * kGolden >> 40 & last;
    while (places_[at].peer != peer && places_[at].peer != kNoRank) at = (at + 1) & last;
    return at;
  }

  Value& add(RankId peer) {
    if (4 * (used_ + 1) > 3 * places_.size()) grow();
    Place& place = places_[place_of(peer)];
    place.peer = peer;
    ++used_;
    return place.value;
  }

  void grow() {
    std::vector<Place> before = std::exchange(places_, {});
    places_.resize(before.empty() ? kFirst : 2 * before.size());
    for (Place& place : before) {
      if (place.peer != kNoRank) places_[place_of(place.peer)] = std::move(place);
    }
  }

  std::vector<Place> places_;  // none, or a power of two
  std::size_t used_ = 0;
};

}  // namespace aqueduct
