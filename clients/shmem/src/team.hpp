// Teams: a set of PEs with a team of the library below, by which they synchronise, broadcast and reduce.
#pragma once
#include <vector>

#include "job.hpp"

/// What a handle points to.
struct shmem_team_ {
  int me = -1;
  int size = 0;
  const int* members = nullptr;  ///< the PEs in the job
  gex_TM_t tm = nullptr;
  bool all_here = false;  ///< all members share memory with this PE
  int contexts = 0;
  std::vector<int>* storage = nullptr;
};

namespace aqshmem {

void start_teams();

/// `team` if it may be used, else the end of the job with one line.
shmem_team_& checked_team(const char* call, shmem_team_t team);

}  // namespace aqshmem
