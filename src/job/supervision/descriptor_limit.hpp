// A supervisor needs more descriptors than a process may open by default.
#pragma once
#include <sys/resource.h>

#include <algorithm>

namespace aqueduct::job {

/// For each rank: its output, its errors, its control socket, its process.
inline constexpr rlim_t kDescriptorsOfRank = 4;
/// The rest: standard streams, shared memory, events, signals, guards, the other ends while a rank is
/// started, inquiries (16 at once), and some that a shell or a batch system hands down.
inline constexpr rlim_t kOtherDescriptors = 64;

/// What the supervisor of so many ranks of one host needs; tests/commands/doctor_test.cpp counts its
/// descriptors.
constexpr rlim_t descriptors_for(rlim_t ranks) { return kOtherDescriptors + kDescriptorsOfRank * ranks; }

/// Raises this process's limit while it lives.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(rlim_t needed = 0) {
    needed = std::max(needed, kNeeded);
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit raised = before_;
    raised.rlim_cur = std::max(raised.rlim_cur, std::min(raised.rlim_max, needed));
    setrlimit(RLIMIT_NOFILE, &raised);
  }
  ~DescriptorLimit() { restore(); }
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;

  /// In a rank: the limit that its program would have without a supervisor.
  void restore() const { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  static constexpr rlim_t kNeeded = 2048;
  rlimit before_ = {};
};

}  // namespace aqueduct::job
