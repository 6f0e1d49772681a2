// A processor of a simulated node: it runs fibers, charges their work and takes interrupts.
//
// Work takes virtual time only where it is charged, by the name of its cost (network_model.hpp), and the time
// is accounted under that name. An interrupt takes the processor away from what runs there: charged work that
// is under way ends later by the same time, and a fiber that wakes up meanwhile goes on afterwards. A
// processor serves interrupts one after the other.
//
// A fiber that waits for its node's interface rests until notify():
//
//   std::uint64_t seen = host.activity();
//   while (!condition()) { host.rest(seen, "an event"); seen = host.activity(); }
//
// Because `seen` is read before the condition, the fiber misses nothing that happens in between, also while
// the test itself is charged.
//
// Hosts of a machine with fewer cores than ranks share a core (core.hpp): work waits for the core, and a
// fiber that waits looks for Sharing::turn before it yields the core, and after Sharing::patience sleeps
// until there is activity.
//
// A slow node stretches all its charges and interrupts; on a frozen one nothing begins before the freeze is
// over; on a crashed one nothing begins any more.
#pragma once
#include <algorithm>
#include <vector>

#include "fabric/fabric.hpp"
#include "sim/core.hpp"
#include "sim/engine/engine.hpp"
#include "sim/fiber.hpp"
#include "sim/network_model.hpp"

namespace aqueduct::sim {

/// Time spent under one name, over all hosts.
struct Account {
  std::uint64_t times = 0;
  Time total = 0;
};

class Accounts {
 public:
  explicit Accounts(const NetworkModel& model) : model_(model), accounts_(model.costs().size()) {}

  const NetworkModel& model() const { return model_; }
  void add(CostId cost, Time duration) {
    ++accounts_[cost.index].times;
    accounts_[cost.index].total += duration;
  }
  const Account& operator[](CostId cost) const { return accounts_[cost.index]; }
  /// Becomes what it was when that copy was made.
  void restore(const Accounts& copy) { accounts_ = copy.accounts_; }

 private:
  const NetworkModel& model_;
  std::vector<Account> accounts_;
};

class Host {
 public:
  Host(Engine& engine, Accounts& accounts, fabric::NodeId node)
      : engine_(engine), accounts_(accounts), node_(node) {}
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  fabric::NodeId node() const { return node_; }
  Engine& engine() const { return engine_; }
  const NetworkModel& model() const { return accounts_.model(); }

  /// By a fiber: does work that costs `cost` plus its price for each of `bytes`, and that `times` over;
  /// returns when it is done.
  void charge(CostId cost, std::size_t bytes = 0, unsigned times = 1);
  /// By a fiber: computes for `duration`; accounted nowhere.
  void compute(Time duration);

  /// By anybody: interrupts the processor; `handler` runs at the end of the interrupt's time. That does not
  /// wake fibers that rest here: the handler calls notify() if it has news.
  void interrupt(CostId cost, std::size_t bytes, const Action& handler);

  /// Counts notify().
  std::uint64_t activity() const { return activity_; }
  /// By anybody: something has happened that fibers of this processor may wait for.
  void notify();
  /// By a fiber: waits until activity() differs from `seen`. `why` is a literal.
  void rest(std::uint64_t seen, const char* why);
  /// The same, at most until `deadline`; true if there was activity.
  bool rest_until(std::uint64_t seen, Time deadline, const char* why);

  /// How the ranks of a crowded machine wait.
  struct Sharing {
    Time turn = 0;      ///< a waiting rank's look, and the switch to the next rank
    Time patience = 0;  ///< before it sleeps
  };
  /// This processor is the same as those of other hosts: `core` outlives it.
  void share(Core& core, const Sharing& sharing) {
    core_ = &core;
    sharing_ = sharing;
  }
  /// By a fiber that ends.
  void leave_core() {
    if (core_) core_->give_up();
  }

  // Faults.
  void slow_down(std::uint32_t percent) { percent_ = percent; }  ///< 100 is normal, 300 three times slower
  void freeze_until(Time when);                                  ///< from now on
  void crash();
  bool crashed() const { return crashed_; }

  /// When a fiber that could go on at `when` really does: after interrupts that are served, after a freeze.
  Time can_run_at(Time when) const { return std::max({when, interrupts_until_, frozen_until_}); }

 private:
  Time stretched(Time duration) const { return percent_ == 100 ? duration : duration * percent_ / 100; }
  void work(Time duration);
  void rest_in_turns(std::uint64_t seen, Time deadline, const char* why);

  Engine& engine_;
  Accounts& accounts_;
  fabric::NodeId node_;
  std::uint32_t percent_ = 100;
  bool crashed_ = false;
  Time interrupts_until_ = 0;
  Time frozen_until_ = 0;
  Time stolen_ = 0;       // all time that interrupts and freezes have taken, ever
  Core* core_ = nullptr;  // null: its own
  Sharing sharing_;
  std::uint64_t activity_ = 0;
  std::vector<Fiber*> resting_;
  std::vector<Fiber*> woken_;  // during notify(); kept for its memory
};

}  // namespace aqueduct::sim
