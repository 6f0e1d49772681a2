// Counts the updates that a rank holds, made but not applied, and limits them as the rules demand.
//
// Both ends count: updates that the source has collected or started and not sent, and updates that the target
// has received and not applied because their words are still on the way from memory. The table's part is
// fixed (held_at_table); a version may hold the rest.
#pragma once
#include <algorithm>
#include <cstdint>

namespace aqueduct::bench::random_access {

class LookAhead {
 public:
  explicit LookAhead(unsigned limit) : room_(limit - held_at_table(limit)), limit_(limit) {}

  /// Updates that a table holds back while their words come; 0 if the limit is small.
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
