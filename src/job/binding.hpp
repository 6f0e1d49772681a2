// Which cores a rank may run on.
//
//   auto     every rank gets an equal share of the cores, side by side; with more ranks than cores, or one
//   rank, nobody
//            is bound
//   none     ranks run where the supervisor may run
//   compact  rank r on the r-th core, one core each, starting again at the first when they run out
//   spread   one core each, as far apart as possible
//   0,2,4-7  rank r on the r-th hardware thread of the list, starting again at the first when they run out
//
// A core stands for all of its hardware threads that we may use. Cores are ordered by package, so that
// neighbours in rank are neighbours in the machine.
#pragma once
#include <string>
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

/// How many hardware threads these are.
unsigned count_cpus(const std::vector<Core>& cores);

struct BindingPlan {
  std::vector<CpuSet> of_rank;  ///< indexed by rank
  unsigned cpus_shared = 0;     ///< hardware threads that the ranks share
  std::string error;            ///< if not empty: why there is no plan, in one line
};
BindingPlan plan_binding(const std::string& how, RankId ranks, const std::vector<Core>& cores);

/// Binds the calling process; an empty set changes nothing.
void bind_self(const CpuSet& cpus);

}  // namespace aqueduct::job
