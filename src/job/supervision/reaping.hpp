// Ends all processes that a job leaves behind.
//
// The supervisor adopts the orphans among its descendants: every process that a rank has started, directly or
// not, becomes its child when its parent is gone, so that the supervisor finds and ends it.
#pragma once
#include <sys/types.h>

#include <vector>

namespace aqueduct::job {

class Adoption {
 public:
  /// From now on orphaned descendants become children of this process.
  Adoption();
  ~Adoption();
  Adoption(const Adoption&) = delete;
  Adoption& operator=(const Adoption&) = delete;

  /// Kills and reaps all descendants, except children that this process had before.
  void end_all();

 private:
  std::vector<pid_t> earlier_children_;
  int was_subreaper_ = 0;
};

}  // namespace aqueduct::job
