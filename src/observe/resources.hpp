// Named counts of what a rank holds for messages and operations under way: records, descriptors, buffers,
// tokens, registrations, credits. Conduits report them (Conduit::count_resources()), and at the end of a job
// they are compared with what they were when the rank began (core/rank.hpp).
//
// A count must come back to where it began as soon as nothing is under way, whatever the rank has done
// before: what a cache keeps or a pool has made is not counted.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace aqueduct::observe {

class ResourceCounts {
 public:
  struct Held {
    const char* name;
    std::uint64_t count;
  };
  struct Lent {
    const char* name;
    std::uint64_t taken;
    std::uint64_t given;
  };

  // By who reports: each time the same names, in the same order. Names are literals.
  /// So many are held here.
  void holds(const char* name, std::uint64_t count) { held_.push_back({name, count}); }
  /// Of what ranks lend each other: how many of others' this rank has, and how many of its own others have,
  /// or may keep, as this rank knows. When nothing is under way both sums over all ranks are equal.
  void lends(const char* name, std::uint64_t taken, std::uint64_t given) {
    lent_.push_back({name, taken, given});
  }

  const std::vector<Held>& held() const { return held_; }
  const std::vector<Lent>& lent() const { return lent_; }
  void clear() {
    held_.clear();
    lent_.clear();
  }
  /// Adds the counts of another rank, or of the same rank at another time, to this sum.
  void add(const ResourceCounts& other);
  /// What is held here and was not held `before`, in words: "2 descriptors are held, not 0"; empty if
  /// nothing.
  std::string difference(const ResourceCounts& before) const;
  /// What is lent and not equal, in the same way.
  std::string imbalance() const;

 private:
  std::vector<Held> held_;
  std::vector<Lent> lent_;
};

}  // namespace aqueduct::observe
