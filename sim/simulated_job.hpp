// A job of simulated ranks: each rank is a fiber with its own World (world/world.hpp) and runs the same
// library code as a live process.
//
// Rank r has port and processor r, at the node where the simulation's setup has that port. The
// bootstrap is memory of this process and takes no virtual time. Ranks of a node are neighbours: they share
// memory, and its use costs time (world/work.hpp). Everything else goes over the network, whose gates they
// share as well.
//
// Audit. When the mains of all ranks have returned with code 0 and no node has crashed, ranks take what is
// still under way, without handlers of their clients, until each holds for messages and operations what it
// held at its start (observe/resources.hpp), and what ranks have of each other is what they have lent. If
// that does not come about the job has failed: a line names the rank, the resource, what was expected and
// what was found. The audit takes no part of the results (Simulation::run_aside()).
//
// A rank ends when its main returns or when it calls gasnet_exit(); the job when all have, or when one has
// left with a code other than zero. A rank on a node that crashes just stops.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/types.hpp"
#include "job/place/layout.hpp"
#include "sim/common_room.hpp"
#include "sim/engine/sparse_memory.hpp"
#include "sim/machine.hpp"
#include "sim/simulation.hpp"
#include "world/work.hpp"

namespace aqueduct::sim {

class RankWorld;

struct JobOptions {
  std::size_t max_segment_bytes = std::size_t{64} << 20;
  Time time_limit = kNever;  ///< virtual; a job that takes longer has failed
  /// Called when the job is over, before the audit: for what must be read without it.
  std::function<void()> at_end{};
  /// What is exchanged with the fiber of each rank; null: nothing.
  std::function<Fiber::Surroundings*(RankId)> surroundings{};
  /// The interfaces through which ranks reach the network; null: the bare fabric. Outlives the job.
  Machine* machine = nullptr;
};

struct JobResult {
  enum class Kind : std::uint8_t { kDone, kExited, kStuck, kTimeLimit, kLost, kHeld } kind = Kind::kDone;
  int code = 0;           ///< the first code other than zero with which a rank left, otherwise 0
  RankId rank = kNoRank;  ///< which that was; of kLost and kStuck, the first that was lost with its node
  std::string stuck;      ///< what ranks wait for, one line each
  std::string held;       ///< what ranks hold after the end, one line

  bool ok() const { return kind == Kind::kDone || (kind == Kind::kExited && code == 0); }
};

class SimulatedJob {
 public:
  /// `simulation` outlives the job, and must have reports_wait if ranks use their ports themselves (a conduit
  /// on the bare fabric).
  SimulatedJob(Simulation& simulation, JobOptions options);
  ~SimulatedJob();
  SimulatedJob(const SimulatedJob&) = delete;
  SimulatedJob& operator=(const SimulatedJob&) = delete;

  /// Runs `main` in every rank until the job is over. Once.
  JobResult run(const std::function<int(RankId)>& main);

  RankId ranks() const { return simulation_.ports(); }

 private:
  friend class RankWorld;

  /// The costs of the software above the interface, as far as the network's file has them. The part of a copy
  /// that exceeds the caches (nic.cached_bytes) has its own cost, `copy_far`.
  struct WorkCosts {
    explicit WorkCosts(const NetworkModel& model);

    std::vector<std::optional<CostId>> of;  // by Work::number()
    std::optional<CostId> far_copy;
    std::size_t cached_bytes = 0;
  };

  void left(RankId rank, int code, bool by_exit);
  /// Empty, or what ranks hold that they should have given back.
  std::string audit();
  void audit_ranks(std::string* wrong);
  /// What the ranks that have not ended wait for, one line each.
  std::string describe_waiting() const;

  Simulation& simulation_;
  JobOptions options_;
  WorkCosts work_costs_;
  job::Layout layout_;                     // which ranks share a node
  std::optional<RankId> most_neighbours_;  // of a node (job/place/membership.hpp)
  JobResult result_;
  RankId running_ = 0;
  CommonRoom room_;
  SparseMemory memory_;  // segments and tables of all ranks
  void* job_table_ = nullptr;
  void* job_zeros_ = nullptr;
  std::unordered_map<job::HostId, void*> neighbourhoods_;  // their memory
  std::vector<std::unique_ptr<RankWorld>> worlds_;
  std::vector<const Fiber*> fibers_;                       // by rank
  std::unordered_map<const Doorbell*, Host*> waiting_at_;  // looked up, never walked
  // Of ranks that look again and again (RankWorld::look_again_after): those that wait for their next look,
  // and looks in a row, of all ranks, at which nothing else was left to happen.
  std::size_t looking_in_vain_ = 0;
  std::uint64_t vain_looks_ = 0;
};

}  // namespace aqueduct::sim
