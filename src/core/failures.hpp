// Ranks that have died while this one goes on (AQUEDUCT_ON_FAILURE=report; include/aqueduct/failure.h is the
// contract with clients). A rank has one of these only in such a job; everything else asks for it with one
// look at a pointer.
//
// The job layer keeps a list (job/place/failures.hpp). Whoever waits, sends or asks takes in what is new
// there: what the dead rank has not answered counts as answered, messages to it are dropped from then on, and
// teams that it was a member of are broken: their collectives are over, whatever has come of them.
//
// Operations over messages are known here while they are under way: by the peer and by the counter that the
// answer counts down. Each is given up
// once, or answered, never both: what had come from the dead rank is handled before it is taken for dead, and
// an answer that is late all the same is ignored.
//
// Threads: any. One lock; nothing is sent with it held.
#pragma once
#include <atomic>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/spin_lock.hpp"
#include "core/team.hpp"
#include "job/place/failures.hpp"

namespace aqueduct::core {

class Failures {
 public:
  using Counter = std::atomic<std::uint32_t>;

  Failures(int memory_fd, RankId size) : list_(memory_fd, size), is_dead_(size) {}

  bool has_news() const { return list_.count() > known_.load(std::memory_order_acquire); }
  /// May be called only when everything that has come has been handled: see core::take_in_failures().
  void take_in_news();

  bool is_dead(RankId rank) const { return is_dead_[rank].load(std::memory_order_acquire); }
  /// The ranks that are known to be dead, in the order of their deaths: [0, count()).
  RankId count() const { return known_.load(std::memory_order_acquire); }
  RankId operator[](RankId number) const { return list_[number]; }
  /// Whether a member of the team has died.
  bool breaks(const Team& team) const;

  /// An operation is sent to `peer`, whose answer will count down `pending`. If the peer is dead, it is
  /// counted down here and the message is dropped by whoever sends it.
  void started(RankId peer, Counter& pending, std::uint32_t parts = 1);
  /// `peer` has answered. False if the operation has been given up: then nothing is to be counted down.
  bool answered(RankId peer, Counter& pending) { return remove(peer, pending, 1); }
  /// Nothing was sent after all. False if the operation has been given up already, because the peer has died.
  bool withdrawn(RankId peer, Counter& pending, std::uint32_t parts) { return remove(peer, pending, parts); }

  /// Counts operations that were not done because a rank has died.
  void count_lost(std::uint64_t many = 1) { lost_.fetch_add(many, std::memory_order_relaxed); }
  /// The number of these since the last call.
  std::uint64_t take_lost() { return lost_.exchange(0, std::memory_order_relaxed); }

 private:
  using UnderWay = std::unordered_map<Counter*, std::uint32_t>;

  void give_up(UnderWay& operations);
  bool remove(RankId peer, Counter& pending, std::uint32_t parts);

  job::FailureList list_;
  std::vector<std::atomic<bool>> is_dead_;
  std::atomic<RankId> known_{0};
  std::atomic<std::uint64_t> lost_{0};
  SpinLock lock_;
  std::unordered_map<RankId, UnderWay> under_way_;
};

}  // namespace aqueduct::core
