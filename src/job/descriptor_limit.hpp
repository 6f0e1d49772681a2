// A supervisor needs more descriptors than a process may open by default: four for each rank.
#pragma once
#include <sys/resource.h>

#include <algorithm>

namespace aqueduct::job {

/// Raises this process's limit while it lives.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(rlim_t needed = kNeeded) {
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
