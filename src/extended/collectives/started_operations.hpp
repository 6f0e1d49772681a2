// The operations of one kind that a team has started and this member has not completed: numbered from 1 on,
// alike on all members, completed in that order.
//
// Threads: any. A lock is held while operations advance; only start() waits for it. What an entry holds
// belongs to whoever has the lock; the numbers may be read without.
#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/spin_lock.hpp"

namespace aqueduct::extended::collectives {

template <class Entry>
class StartedOperations {
 public:
  /// Room for `expected` at once, a power of two; it grows.
  explicit StartedOperations(std::size_t expected) : entries_(expected) {}

  /// The number of the last operation that was started, that is complete.
  std::uint64_t started() const { return started_.load(std::memory_order_acquire); }
  std::uint64_t completed() const { return completed_.load(std::memory_order_acquire); }

  /// Starts an operation: `fill(entry, number)` writes its entry, then `advance()` does what can be done.
  template <class Fill, class Advance>
  std::uint64_t start(Fill fill, Advance advance) {
    const std::lock_guard guard(lock_);
    const std::uint64_t number = started_.load(std::memory_order_relaxed) + 1;
    if (number - completed_.load(std::memory_order_relaxed) > entries_.size()) grow();
    fill((*this)[number], number);
    started_.store(number, std::memory_order_release);
    advance();
    return number;
  }

  /// Whether that operation is complete, after an attempt to advance() if nobody else is at it.
  template <class Advance>
  bool passed(std::uint64_t number, Advance advance) {
    if (completed_.load(std::memory_order_acquire) >= number) return true;
    if (!lock_.try_lock()) return false;
    advance();
    lock_.unlock();
    return completed_.load(std::memory_order_relaxed) >= number;
  }

  /// For advance(). The first: the entry of an operation that is started and not complete. The second: the
  /// oldest of these is complete.
  Entry& operator[](std::uint64_t number) { return entries_[number % entries_.size()]; }
  void complete(std::uint64_t number) { completed_.store(number, std::memory_order_release); }

 private:
  void grow() {
    std::vector<Entry> more(entries_.size() * 2);
    const std::uint64_t last = started_.load(std::memory_order_relaxed);
    for (std::uint64_t known = completed_.load(std::memory_order_relaxed) + 1; known <= last; ++known)
      more[known % more.size()] = (*this)[known];
    entries_.swap(more);
  }

  SpinLock lock_;
  std::atomic<std::uint64_t> started_{0};
  std::atomic<std::uint64_t> completed_{0};
  std::vector<Entry> entries_;
};

}  // namespace aqueduct::extended::collectives
