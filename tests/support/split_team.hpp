// A team of all ranks in another order: what is done through it must not take team ranks for job ranks.
#pragma once
#include "support/spmd.hpp"

namespace aqueduct::test {

/// All ranks, in reverse. Collective, to make and to destroy.
class ReversedTeam {
 public:
  ReversedTeam() {
    gex_TM_Split(&tm_, job().tm, 0, static_cast<int>(job().size - job().rank), nullptr, 0,
                 GEX_FLAG_TM_NO_SCRATCH);
  }
  ~ReversedTeam() { gex_TM_Destroy(tm_, nullptr, 0); }
  ReversedTeam(const ReversedTeam&) = delete;
  ReversedTeam& operator=(const ReversedTeam&) = delete;

  operator gex_TM_t() const { return tm_; }
  gex_Rank_t rank_of(gex_Rank_t job_rank) const { return job().size - 1 - job_rank; }

 private:
  gex_TM_t tm_ = GEX_TM_INVALID;
};

}  // namespace aqueduct::test
