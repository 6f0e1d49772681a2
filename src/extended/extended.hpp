// What Extended keeps beside a rank and beside each of its threads.
#pragma once
#include "core/progress.hpp"
#include "extended/barrier.hpp"
#include "extended/operation.hpp"

namespace aqueduct::extended {

using core::Rank;
using core::Scope;
using core::Thread;

/// Per thread: its pool, its implicit operations, and the access region that is open, if any.
class ThreadOps final : public core::ThreadExtension {
 public:
  OperationPool pool;
  Operation implicit;
  Operation* region = nullptr;

  /// Where an implicit operation started now is counted.
  Operation& current() { return region ? *region : implicit; }
};

inline ThreadOps& ops(Thread& thread) { return static_cast<ThreadOps&>(*thread.extension); }

/// Per rank.
class RankOps final : public core::RankExtension {
 public:
  /// Registers the handlers of the reference implementations and opens the barriers. Before the first
  /// message.
  explicit RankOps(Rank& rank);
  ~RankOps() override;

  std::unique_ptr<Barrier> named_barrier;  ///< gasnet_barrier_*
  std::unique_ptr<Barrier> team_barrier;   ///< gex_Coll_Barrier*

  // The split-phase barrier's state, as the client drives it.
  std::uint64_t named_ticket = 0;
  bool named_notified = false;
  BarrierValue named_result;
};

inline RankOps& ops(Rank& rank) { return static_cast<RankOps&>(*rank.extension); }

}  // namespace aqueduct::extended
