// The same addresses of code, libraries and static memory in all ranks of a host.
//
// Each rank runs the program anew, and the system gives every run random addresses. (Forks of one process,
// with AQUEDUCT_RANKS, have the same addresses anyway.) If a job asks for it, the supervisor sets its
// personality so that the system starts its ranks without randomization. Containers may forbid that; then the
// ranks start at different addresses.
#pragma once
#include <string>

namespace aqueduct::job {

/// While it lives, programs that this process or its forks run get the same addresses each time; the
/// destructor puts the personality back. For the one thread that starts ranks.
class SameAddresses {
 public:
  explicit SameAddresses(bool is_wanted);
  ~SameAddresses();
  SameAddresses(const SameAddresses&) = delete;
  SameAddresses& operator=(const SameAddresses&) = delete;

  /// Whether it was wanted and the system has refused.
  bool is_refused() const { return is_refused_; }

 private:
  int before_ = -1;  ///< the personality to put back; -1: it was not changed
  bool is_refused_ = false;
};

/// The warning about a refusal, with its newline; `host` is empty if there is no other. Empty if the user
/// wants no warnings.
std::string warning_of_different_addresses(const std::string& host);

}  // namespace aqueduct::job
