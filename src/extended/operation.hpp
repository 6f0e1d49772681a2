// Operations in flight: what an explicit event names, and what a thread's implicit operations are counted in.
//
// An operation has one counter per category; a part that is started adds one, its completion (often a reply
// handler, on any thread of this rank) subtracts one, and the operation is done when all counters are zero.
// An operation whose completion is computed instead (a barrier) carries a test.
//
// Local completion is counted likewise (am::Unreleased): of messages whose payload is still being read in
// operations of their own, of puts in that of the put, or either in the thread's implicit ones. A put has two
// events, which share an operation: the root, and the leaf of its local completion, which says only whether
// kPutSource is zero. Whoever completes a leaf gives nothing back, so it may be asked again until the root is
// completed.
//
// Ownership: operations come from a pool of the thread that starts them. Whoever completes the event gives it
// back, on any thread; pools live as long as the rank.
#pragma once
#include <atomic>
#include <cstdint>

#include "base/types.hpp"
#include "extended/return_pool.hpp"
#include "gasnetex.h"

namespace aqueduct::extended {

/// A count of unfinished parts. Passed by address through messages.
using Pending = std::atomic<std::uint32_t>;

/// What an operation is, for those who ask what its event is waited for.
enum class OpNature : std::uint8_t { kTransfers, kBarrier, kCollective };

/// The last two: memory that messages (GEX_EC_AM) and puts (GEX_EC_LC) still read.
enum class OpKind : unsigned { kPut, kGet, kRmw, kMessageSource, kPutSource };
inline constexpr unsigned kOpKinds = 5;

struct alignas(kCacheLine) Operation {
  Pending pending[kOpKinds]{};
  std::atomic<bool> live{false};     ///< between its start and the completion of its event
  std::atomic<std::uint8_t> use{0};  ///< counts the operations that this record has been, modulo kUses
  OpNature nature = OpNature::kTransfers;
  std::uint8_t team_slot = 0;                    ///< of a barrier or collective: core::OwnRecord::team()
  bool (*test)(Operation& operation) = nullptr;  ///< if set, decides instead of the counters
  union {
    void* test_subject = nullptr;
    std::uint64_t peer;  ///< of transfers: the rank that the first of them was for, plus one; 0: not known
  };
  std::uint64_t test_detail = 0;
  ReturnPool<Operation>* home = nullptr;
  Operation* next_free = nullptr;

  Pending& count(OpKind kind) { return pending[static_cast<unsigned>(kind)]; }

  bool done() {
    if (test) return test(*this);
    for (Pending& count : pending) {
      if (count.load(std::memory_order_acquire) != 0) return false;
    }
    return true;
  }
};

static_assert(sizeof(Operation) == kCacheLine);

class OperationPool {
 public:
  /// By the owning thread.
  Operation* take();
  /// By any thread.
  static void give_back(Operation* operation);
  /// Whether there is an operation at that address, which may be any. By any thread.
  bool holds(const Operation* operation) const { return records_.holds(operation); }

 private:
  ReturnPool<Operation> records_;
};

/// An event is the address of its operation and, in the bits that the alignment leaves free, which use of the
/// record it names: an event that is completed twice shows even if the record has been taken again since. One
/// bit marks leaves.
inline constexpr std::uintptr_t kUses = kCacheLine / 2;
inline constexpr std::uintptr_t kLeafBit = kUses;

inline gex_Event_t to_event(Operation* operation) {
  return reinterpret_cast<gex_Event_t>(reinterpret_cast<std::uintptr_t>(operation) |
                                       operation->use.load(std::memory_order_relaxed));
}
inline Operation* from_event(gex_Event_t event) {
  return reinterpret_cast<Operation*>(reinterpret_cast<std::uintptr_t>(event) & ~(kUses | (kUses - 1)));
}
inline bool is_leaf(gex_Event_t event) { return (reinterpret_cast<std::uintptr_t>(event) & kLeafBit) != 0; }
/// The event of a put's local completion; INVALID if its source is free.
inline gex_Event_t leaf_of(Operation& put, gex_Event_t root) {
  if (put.count(OpKind::kPutSource).load(std::memory_order_acquire) == 0) return GEX_EVENT_INVALID;
  return reinterpret_cast<gex_Event_t>(reinterpret_cast<std::uintptr_t>(root) | kLeafBit);
}
/// The event of the put itself.
inline gex_Event_t root_of(gex_Event_t leaf) {
  return reinterpret_cast<gex_Event_t>(reinterpret_cast<std::uintptr_t>(leaf) & ~kLeafBit);
}
/// Whether the event has not been completed yet.
inline bool is_live(const Operation& operation, gex_Event_t event) {
  return operation.live.load(std::memory_order_relaxed) &&
         operation.use.load(std::memory_order_relaxed) ==
             (reinterpret_cast<std::uintptr_t>(event) & (kUses - 1));
}

}  // namespace aqueduct::extended
