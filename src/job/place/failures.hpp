// Which ranks of a job have died while the others go on (AQUEDUCT_ON_FAILURE=report).
//
// A list in the memory that the ranks of a host share, in the order in which deaths became known there. The
// host's supervisor alone writes it, a rank's number before the count; ranks read it. Nobody is woken: a rank
// that waits looks there by itself, as no sleep is long.
#pragma once
#include <atomic>
#include <cstdint>

#include "base/types.hpp"

namespace aqueduct::job {

/// By the supervisor: `rank` is the next after `already` others. It does not map the memory: whatever ranks
/// do to it harms nobody there. False with errno if it cannot be written.
bool append_failure(int memory_fd, RankId already, RankId rank);

/// As a rank sees it. Any thread.
class FailureList {
 public:
  /// Of a job of `size` ranks. What is mapped stays until the end of the process.
  FailureList(int memory_fd, RankId size);

  RankId count() const { return static_cast<RankId>(lines_->count.load(std::memory_order_acquire)); }
  /// The number-th that died, below count().
  RankId operator[](RankId number) const { return lines_->ranks[number].load(std::memory_order_relaxed); }

 private:
  friend bool append_failure(int memory_fd, RankId already, RankId rank);
  struct Lines {
    std::atomic<std::uint64_t> count;
    std::atomic<RankId> ranks[1];  // as many as the job has
  };

  const Lines* lines_;
};

}  // namespace aqueduct::job
