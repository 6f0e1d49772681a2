// What Extended keeps beside a rank, beside each of its threads and beside each of its teams.
#pragma once
#include "core/progress.hpp"
#include "extended/barrier.hpp"
#include "extended/board_places.hpp"
#include "extended/deferred_tasks.hpp"
#include "extended/hosts.hpp"
#include "extended/operation.hpp"
#include "extended/team_gather.hpp"
#include "extended/vis_settings.hpp"

namespace aqueduct::extended {

using core::Rank;
using core::Scope;
using core::Thread;

/// An operation of the conduit's own that is under way, as its completion must count it.
struct NativeOperation {
  Pending* pending = nullptr;
  RankId target = 0;
  observe::TransferKind what = observe::TransferKind::kNone;
  ReturnPool<NativeOperation>* home = nullptr;
  NativeOperation* next_free = nullptr;
};

/// Per thread: its pools, its implicit operations, and the access region that is open, if any.
class ThreadOps final : public core::ThreadExtension {
 public:
  OperationPool pool;
  ReturnPool<NativeOperation> natives;
  Operation implicit;
  Operation* region = nullptr;
  std::unique_ptr<core::ThreadExtension> vis;  ///< vis/state.hpp; made on first use

  /// Where an implicit operation started now is counted.
  Operation& current() { return region ? *region : implicit; }
};

inline ThreadOps& ops(Thread& thread) { return static_cast<ThreadOps&>(*thread.extension); }

/// Per rank; teams/start.hpp makes it.
class RankOps final : public core::RankExtension {
 public:
  explicit RankOps(Rank& rank) : deferred_tasks(rank) {}

  DeferredTasks deferred_tasks;
  BoardPlaces board_places;
  const VisSettings vis = VisSettings::from_environment();
  std::unique_ptr<Barrier> named_barrier;             ///< gasnet_barrier_*
  Hosts hosts;                                        ///< which ranks lie together, for collectives
  std::atomic<core::RankExtension*> device{nullptr};  ///< device/transfers.hpp; made on first use
  std::unique_ptr<core::RankExtension> own_device;
  SpinLock device_lock;

  // The split-phase barrier's state, as the client drives it.
  std::uint64_t named_ticket = 0;
  bool named_notified = false;
  BarrierValue named_result;
};

inline RankOps& ops(Rank& rank) { return static_cast<RankOps&>(*rank.extension); }

/// Per team, made with it by teams/start.hpp.
class TeamOps final : public core::TeamExtension {
 public:
  TeamOps(Rank& rank, const core::Team& team, std::unique_ptr<Barrier> own_barrier,
          std::unique_ptr<core::TeamExtension> own_collectives);

  std::uint8_t progress_slot;  ///< where this rank says how far it has come: core::OwnRecord::team()
  TeamGather gather;
  std::unique_ptr<Barrier> barrier;                  ///< gex_Coll_Barrier*
  std::unique_ptr<core::TeamExtension> collectives;  ///< collectives/team_collectives.hpp
};

inline TeamOps& ops(core::Team& team) { return static_cast<TeamOps&>(*team.extension); }

}  // namespace aqueduct::extended
