// The lock of a peer, which also says that something was left for whoever holds it.
//
// A thread that wants to send to a peer and finds the lock taken leaves its message (left_messages.hpp) and
// says so by leave(), in the same word that says that the lock is held. So one of two things happens: the
// word said that the lock was held, and then its holder finds the mark when it unlocks, since it gives the
// lock back by unlock_unless_left() alone, an exchange that fails where there is a mark; or it was free, and
// then the thread that left something takes the lock itself. No message is overlooked, and nobody waits.
#pragma once
#include <atomic>
#include <cstdint>

#include "base/spin_lock.hpp"

namespace aqueduct::fabric::udp {

class PeerLock {
 public:
  bool try_lock() {
    return !(state_.load(std::memory_order_relaxed) & kHeld) &&
           !(state_.fetch_or(kHeld, std::memory_order_acquire) & kHeld);
  }
  void lock() {
    while (!try_lock()) spin_until([this] { return !(state_.load(std::memory_order_relaxed) & kHeld); });
  }
  /// False, and the lock is still held: something was left.
  bool unlock_unless_left() {
    std::uint8_t held = kHeld;
    return state_.compare_exchange_strong(held, 0, std::memory_order_release, std::memory_order_relaxed);
  }
  /// Whatever was left stays marked.
  void unlock() { state_.fetch_and(static_cast<std::uint8_t>(~kHeld), std::memory_order_release); }

  /// By a thread that has left something; true: nobody holds the lock.
  bool leave() { return !(state_.fetch_or(kLeft, std::memory_order_acq_rel) & kHeld); }
  bool is_marked() const { return (state_.load(std::memory_order_relaxed) & kLeft) != 0; }
  /// By the holder, before it takes what was left: what is left later has a new mark.
  void unmark() { state_.fetch_and(static_cast<std::uint8_t>(~kLeft), std::memory_order_acquire); }

 private:
  static constexpr std::uint8_t kHeld = 1, kLeft = 2;

  std::atomic<std::uint8_t> state_{0};
};

}  // namespace aqueduct::fabric::udp
