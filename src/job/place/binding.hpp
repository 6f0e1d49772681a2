// Which cores a rank may run on.
//
// clang-format off
//   auto     every rank gets an equal share of the cores, side by side; with more ranks than cores, or one rank,
//            nobody is bound. A share of one core is for one thread: a rank with more may use all cores
//   none     ranks run where the supervisor may run
//   compact  rank r on the r-th core, one core each, starting again at the first when they run out
//   spread   one core each, as far apart as possible
//   0,2,4-7  rank r on the r-th hardware thread of the list, starting again at the first when they run out
// clang-format on
//
// Ranks are bound when they are started, before it is known whether they have threads: a rank that turns out
// to have threads gives up its binding (NarrowBinding), unless the user has asked for it.
//
// A core stands for all of its hardware threads that we may use. Cores are ordered by package, so that
// consecutive ranks are close to each other in the machine.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace aqueduct::job {

using CpuSet = std::vector<int>;  ///< numbers of hardware threads, ascending; empty: not bound

struct Core {
  int package = 0;
  CpuSet cpus;
};

/// The cores that this process may use, ordered by package and number.
std::vector<Core> usable_cores();

/// How many hardware threads these cores have.
unsigned count_cpus(const std::vector<Core>& cores);

struct BindingPlan {
  std::vector<CpuSet> of_rank;           ///< indexed by rank
  std::vector<CpuSet> of_threaded_rank;  ///< the same for a rank that has threads
  unsigned cpus_shared = 0;              ///< hardware threads that the ranks share
  std::string error;                     ///< if not empty: why there is no plan, in one line
};
BindingPlan plan_binding(const std::string& how, RankId ranks, const std::vector<Core>& cores);

/// Binds the calling thread, and so the threads that it starts; an empty set changes nothing.
void bind_self(const CpuSet& cpus);

/// The binding that a rank was started with, if it is for one thread only.
class NarrowBinding {
 public:
  NarrowBinding() = default;
  NarrowBinding(CpuSet bound, CpuSet with_threads)
      : bound_(std::move(bound)), with_threads_(std::move(with_threads)) {}

  /// Whether there is such a binding, and it is narrower than it would be for threads.
  explicit operator bool() const { return bound_ != with_threads_; }

  /// "0/0-7", for the rank's environment.
  std::string text() const;
  static std::optional<NarrowBinding> parse(std::string_view text);

  /// Gives the wider binding to all threads of this process that still have its first one; threads that they
  /// start inherit it. Threads that the program has bound itself stay bound. A second call does nothing.
  void give_up();

 private:
  CpuSet bound_;
  CpuSet with_threads_;
};

/// Whether this process has never had a second thread.
bool has_one_thread();

}  // namespace aqueduct::job
