#include "sim/simulated_job.hpp"

#include <algorithm>

#include "base/env.hpp"
#include "observe/hang_report.hpp"
#include "sim/network.hpp"
#include "sim/rank_world.hpp"
#include "trace/timeline.hpp"

namespace aqueduct::sim {

SimulatedJob::WorkCosts::WorkCosts(const NetworkModel& model) : far_copy(model.find_cost("copy_far")) {
  for (const char* name : world::Work::names()) of.push_back(model.find_cost(name));
  if (far_copy) cached_bytes = model.nic("cached_bytes", Dimension::kBytes);
}

SimulatedJob::SimulatedJob(Simulation& simulation, JobOptions options)
    : simulation_(simulation),
      options_(options),
      work_costs_(*simulation.setup().model),
      layout_(simulation.setup().placement.empty()
                  ? job::Layout::blocks(simulation.ports(), simulation.setup().ports_per_node)
                  : job::Layout::of(simulation.setup().placement)) {
  if (const auto most = env::integer({"GASNET_SUPERNODE_MAXSIZE"}, 0, job::kMaxRanks))
    most_neighbours_ = static_cast<RankId>(*most);
  worlds_.reserve(ranks());
  for (RankId rank = 0; rank < ranks(); ++rank) worlds_.push_back(std::make_unique<RankWorld>(*this, rank));
}

// Destroys ranks before their memory. A rank that has not ended stands in the middle of a call, with locks
// that it will never give back and that its destructor would wait for; it is kept, but for its stack.
SimulatedJob::~SimulatedJob() {
  static auto& broken_off = *new std::vector<std::unique_ptr<RankWorld>>;
  for (RankId rank = 0; rank < fibers_.size(); ++rank)
    if (!fibers_[rank]->ended()) broken_off.push_back(std::move(worlds_[rank]));
  worlds_.clear();
}

JobResult SimulatedJob::run(const std::function<int(RankId)>& main) {
  running_ = ranks();
  for (RankId rank = 0; rank < ranks(); ++rank) {
    const std::string name = "rank " + std::to_string(rank);
    const auto run_rank = [this, &main, rank] {
      current_context.world = static_cast<world::World*>(worlds_[rank].get());
      current_context.reporting_rank = static_cast<std::int32_t>(rank);
      if (options_.machine) options_.machine->enter(rank);
      worlds_[rank]->nic = current_context.nic;
      const int code = main(rank);
      world::Resident* const resident = worlds_[rank]->resident.get();
      if (code == 0 && resident) resident->is_leaving();
      left(rank, code, false);
    };
    fibers_.push_back(
        &simulation_.fibers().start(simulation_.host(rank), name, run_rank,
                                    options_.surroundings ? options_.surroundings(rank) : nullptr));
  }
  simulation_.engine().set_limit(options_.time_limit);
  const bool all_ended = simulation_.run();
  trace::timeline::end_simulation();
  if (result_.kind == JobResult::Kind::kDone && !all_ended) {
    result_.kind =
        simulation_.engine().limit_reached() ? JobResult::Kind::kTimeLimit : JobResult::Kind::kStuck;
    result_.stuck = describe_waiting();
    const auto lost = std::ranges::find_if(
        fibers_, [](const Fiber* fiber) { return !fiber->ended() && fiber->host().crashed(); });
    if (lost != fibers_.end()) result_.rank = static_cast<RankId>(lost - fibers_.begin());
  } else if (result_.ok() && running_ != 0) {
    const auto lost = std::ranges::find_if(fibers_, [](const Fiber* fiber) { return !fiber->ended(); });
    result_.kind = JobResult::Kind::kLost;
    result_.rank = static_cast<RankId>(lost - fibers_.begin());
  }
  if (options_.at_end) options_.at_end();
  if (result_.kind == JobResult::Kind::kDone && result_.code == 0) {
    result_.held = audit();
    if (!result_.held.empty()) result_.kind = JobResult::Kind::kHeld;
  }
  return result_;
}

std::string SimulatedJob::audit() {
  for (RankId rank = 0; rank < ranks(); ++rank) {
    if (simulation_.host(rank).crashed()) return "";
  }
  std::string wrong;
  simulation_.run_aside([&] { audit_ranks(&wrong); });
  return wrong;
}

// Looks as long as anything can still happen, at growing intervals: a leak is then found in a few hundred
// looks, and usually the first one finds nothing.
void SimulatedJob::audit_ranks(std::string* wrong) {
  constexpr Time kShortest = kMicrosecond, kLongest = 100 * kMillisecond, kPatience = 10 * kSecond;
  const Time until = simulation_.engine().now() + kPatience;
  // In the place of each rank.
  const auto for_each_rank = [this](auto&& act) {
    for (RankId rank = 0; rank < ranks(); ++rank) {
      RankWorld& world = *worlds_[rank];
      if (!world.resident) continue;
      current_context.world = static_cast<world::World*>(&world);
      current_context.nic = world.nic;
      current_context.reporting_rank = static_cast<std::int32_t>(rank);
      act(rank, *world.resident);
    }
  };
  for (Time pause = kShortest;; pause = std::min(2 * pause, kLongest)) {
    wrong->clear();
    observe::ResourceCounts all;
    for_each_rank([&](RankId rank, world::Resident& resident) {
      const std::string held = resident.audit(all);
      if (!held.empty() && wrong->empty()) *wrong = "rank " + std::to_string(rank) + ": " + held;
    });
    if (wrong->empty()) *wrong = all.imbalance();
    if (wrong->empty() || simulation_.engine().now() >= until) return;
    for_each_rank([](RankId, world::Resident& resident) { resident.settle(); });
    Fiber::current()->sleep_until(simulation_.engine().now() + pause);
  }
}

std::string SimulatedJob::describe_waiting() const {
  constexpr unsigned kMostLines = 16;
  std::vector<observe::RankState> states;
  states.reserve(ranks());
  for (RankId rank = 0; rank < ranks(); ++rank) {
    const Fiber& fiber = *fibers_[rank];
    observe::RankState& state = states.emplace_back();
    state.rank = rank;
    state.where = "node " + std::to_string(fiber.host().node());
    const world::World& world = *worlds_[rank];
    if (world.resident) world.resident->describe(state);
    state.process = fiber.ended()            ? observe::ProcessState::kGone
                    : fiber.host().crashed() ? observe::ProcessState::kCrashed
                                             : observe::ProcessState::kSleeps;
    state.resting = fiber.waits_for() ? fiber.waits_for() : "its turn";
    if (!worlds_[rank]->has_threads) continue;
    for (const auto& other : simulation_.fibers().all()) {
      if (other.get() == &fiber || &other->host() != &fiber.host() || other->ended()) continue;
      const std::size_t comma = other->name().find(", thread ");
      if (comma == std::string::npos) continue;
      state.resting +=
          other->name().substr(comma) + " for " + (other->waits_for() ? other->waits_for() : "its turn");
    }
  }
  return observe::hang_report(states, {.with_stacks = false, .shows_gone = false, .most_ranks = kMostLines});
}

void SimulatedJob::left(RankId rank, int code, bool by_exit) {
  --running_;
  simulation_.host(rank).leave_core();
  if (simulation_.setup().reports_wait) {
    by_exit || code != 0 ? simulation_.network().close(rank) : simulation_.network().report_at_once(rank);
  }
  if (code != 0 && result_.code == 0) {
    result_.code = code;
    result_.rank = rank;
  }
  if (by_exit || code != 0) result_.kind = JobResult::Kind::kExited;
  if (code != 0 || running_ == 0) simulation_.engine().stop();
}

}  // namespace aqueduct::sim
