// Leaving no process behind.
//
// While it supervises, the supervisor adopts the orphans among its descendants, so that whatever a rank
// started, and what that started in turn, ends up as its child when the rank is gone and can be found and
// ended.
#pragma once
#include <sys/types.h>

#include <vector>

namespace aqueduct::job {

class Adoption {
 public:
  /// From here on orphaned descendants become children of this process.
  Adoption();
  ~Adoption();
  Adoption(const Adoption&) = delete;
  Adoption& operator=(const Adoption&) = delete;

  /// Kills and reaps all children, and theirs, except those that this process had before.
  void end_all();

 private:
  std::vector<pid_t> earlier_children_;
  int was_subreaper_ = 0;
};

}  // namespace aqueduct::job
