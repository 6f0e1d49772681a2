// Names of operations in flight: 32 bits that fit beside other things in a message or in the match bits of
// a network, and that lead back to what has to be done when the operation is over.
//
// A name is an index and the number of times that its place has been used; a name that is stale, forged or
// comes twice leads nowhere. Names are never 0. Any thread; one short lock. Records do not move; places are
// added when all are in use, never taken away.
#pragma once
#include <cstdint>
#include <deque>
#include <mutex>

#include "base/spin_lock.hpp"

namespace aqueduct::parts {

template <class Record>
class OperationNames {
 public:
  /// A fresh record, which the caller fills before the name leaves its hands.
  Record& create(std::uint32_t* name) {
    const std::lock_guard guard(lock_);
    std::uint32_t index = free_;
    if (index == kNone) {
      index = static_cast<std::uint32_t>(places_.size());
      places_.emplace_back();
    } else {
      free_ = places_[index].next;
    }
    Place& place = places_[index];
    place.in_use = true;
    ++in_use_;
    *name = (index + 1) << kUseBits | place.use;
    return place.record;
  }

  /// The record of an operation in flight; null if the name means nothing (any more).
  Record* find(std::uint32_t name) {
    const std::lock_guard guard(lock_);
    Place* place = at(name);
    return place ? &place->record : nullptr;
  }

  /// The operation is over. False if the name means nothing.
  bool retire(std::uint32_t name) {
    const std::lock_guard guard(lock_);
    Place* place = at(name);
    if (!place) return false;
    place->in_use = false;
    ++place->use;
    place->record = Record{};
    place->next = free_;
    free_ = (name >> kUseBits) - 1;
    --in_use_;
    return true;
  }

  /// Calls `visit(record)` for each operation in flight, under the lock.
  template <class Visit>
  void for_each(Visit&& visit) {
    const std::lock_guard guard(lock_);
    for (Place& place : places_) {
      if (place.in_use) visit(place.record);
    }
  }

  std::size_t in_use() const {
    const std::lock_guard guard(lock_);
    return in_use_;
  }

 private:
  static constexpr unsigned kUseBits = 8;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Place {
    Record record{};
    std::uint8_t use = 0;
    bool in_use = false;
    std::uint32_t next = kNone;
  };

  Place* at(std::uint32_t name) {
    const std::uint32_t index = (name >> kUseBits) - 1;
    if (index >= places_.size()) return nullptr;
    Place& place = places_[index];
    return place.in_use && place.use == static_cast<std::uint8_t>(name) ? &place : nullptr;
  }

  mutable SpinLock lock_;
  std::deque<Place> places_;
  std::uint32_t free_ = kNone;
  std::size_t in_use_ = 0;
};

}  // namespace aqueduct::parts
