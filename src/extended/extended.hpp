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
namespace collectives {
class TeamCollectives;
}

using core::Rank;
using core::Scope;
using core::Thread;

/// An operation of the conduit's own that is under way, as its completion must count it.
struct NativeOperation {
  Pending* pending = nullptr;
  RankId target = 0;
  observe::Transfer what = observe::Transfer::kNone;
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

/// Per rank.
class RankOps final : public core::RankExtension {
 public:
  /// Registers the handlers of the reference implementations and opens the barriers of the world, which must
  /// be known. Before the first message.
  explicit RankOps(Rank& rank);
  ~RankOps() override;

  DeferredTasks deferred_tasks;
  collectives::BoardPlaces board_places;
  const vis::Settings vis = vis::Settings::from_environment();
  std::unique_ptr<Barrier> named_barrier;  ///< gasnet_barrier_*
  collectives::Hosts hosts;                ///< which ranks lie together, for collectives

  // The split-phase barrier's state, as the client drives it.
  std::uint64_t named_ticket = 0;
  bool named_notified = false;
  BarrierValue named_result;
};

inline RankOps& ops(Rank& rank) { return static_cast<RankOps&>(*rank.extension); }

/// Per team, made with it.
class TeamOps final : public core::TeamExtension {
 public:
  /// `hosts` as in RankOps, `board_place` as in collectives/boards.hpp.
  TeamOps(Rank& rank, DeferredTasks& deferred_tasks, const core::Team& team,
          std::unique_ptr<Barrier> own_barrier, const collectives::Hosts& hosts, unsigned board_place);
  ~TeamOps() override;

  std::uint8_t progress_slot;  ///< where this rank says how far it has come: core::OwnRecord::team()
  TeamGather gather;
  std::unique_ptr<Barrier> barrier;  ///< gex_Coll_Barrier*
  std::unique_ptr<collectives::TeamCollectives> collectives;
};

inline TeamOps& ops(core::Team& team) { return static_cast<TeamOps&>(*team.extension); }

}  // namespace aqueduct::extended
