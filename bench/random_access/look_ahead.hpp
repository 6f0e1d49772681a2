// How many updates a rank holds that were made and are not applied, against the most that the rules allow.
//
// Both ends count: what the source has collected or started and not handed over, and what the target has
// received and not applied because its word is still on the way from memory. The table's part is fixed
// (held_at_table), so a version has the rest to itself.
#pragma once
#include <algorithm>
#include <cstdint>

namespace aqueduct::bench::random_access {

class LookAhead {
 public:
  explicit LookAhead(unsigned limit) : room_(limit - held_at_table(limit)), limit_(limit) {}

  /// Updates that a table holds back while their words come; 0 where the limit is small.
  static constexpr unsigned held_at_table(unsigned limit) {
    constexpr unsigned kHeldBack = 32;
    return limit >= 4 * kHeldBack ? kHeldBack : 0;
  }

  /// How many the version may hold.
  unsigned room() const { return room_; }
  bool is_full() const { return held_ == room_; }
  void hold() { ++held_; }
  void release(unsigned count) {
    most_ = std::max(most_, held_);
    held_ -= count;
  }

  /// The most that were held at one time before any were released, with those at the table.
  unsigned most() const { return most_ + held_at_table(limit_); }

 private:
  unsigned room_;
  unsigned limit_;
  unsigned held_ = 0;
  unsigned most_ = 0;
};

}  // namespace aqueduct::bench::random_access
