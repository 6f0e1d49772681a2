#include "observe/resources.hpp"

#include <algorithm>

namespace aqueduct::observe {

void ResourceCounts::add(const ResourceCounts& other) {
  held_.resize(std::max(held_.size(), other.held_.size()));
  lent_.resize(std::max(lent_.size(), other.lent_.size()));
  for (std::size_t i = 0; i < other.held_.size(); ++i) {
    held_[i].name = other.held_[i].name;
    held_[i].count += other.held_[i].count;
  }
  for (std::size_t i = 0; i < other.lent_.size(); ++i) {
    lent_[i].name = other.lent_[i].name;
    lent_[i].taken += other.lent_[i].taken;
    lent_[i].given += other.lent_[i].given;
  }
}

std::string ResourceCounts::difference(const ResourceCounts& before) const {
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const std::uint64_t expected = i < before.held_.size() ? before.held_[i].count : 0;
    if (held_[i].count != expected)
      return std::string(held_[i].name) + ": " + std::to_string(held_[i].count) + " are held, and " +
             std::to_string(expected) + " were at the start";
  }
  return "";
}

std::string ResourceCounts::imbalance() const {
  for (const Lent& each : lent_) {
    if (each.taken != each.given)
      return std::string(each.name) + ": ranks have " + std::to_string(each.taken) +
             " of each other, and have lent " + std::to_string(each.given);
  }
  return "";
}

}  // namespace aqueduct::observe
