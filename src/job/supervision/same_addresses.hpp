// The same addresses of code, libraries and static memory in all ranks of a host.
//
// Each rank runs the program anew, and the system gives every run random addresses. Ranks that are forks of
// one process (AQUEDUCT_RANKS) have the same ones without this. Where a job asks for it, the supervisor runs
// its ranks without randomization, which the system does for processes whose personality says so. Containers
// may forbid that; then ranks start all the same, at different addresses.
#pragma once
#include <string>

namespace aqueduct::job {

/// While it lives, programs that this process or its forks run get the same addresses each time. What this
/// process had before is put back. For the one thread that starts ranks.
class SameAddresses {
 public:
  explicit SameAddresses(bool is_wanted);
  ~SameAddresses();
  SameAddresses(const SameAddresses&) = delete;
  SameAddresses& operator=(const SameAddresses&) = delete;

  /// Wanted, and the system refuses.
  bool is_refused() const { return is_refused_; }

 private:
  int before_ = -1;  ///< the personality to put back; -1: it was not changed
  bool is_refused_ = false;
};

/// The line that says of a refusal, with its newline, for a person; `host` is empty where there is no other.
/// Nothing where the user wants no warnings.
std::string warning_of_different_addresses(const std::string& host);

}  // namespace aqueduct::job
