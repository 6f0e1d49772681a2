// Which ranks of a job have died while the others go on (AQUEDUCT_ON_FAILURE=report).
//
// A list in the memory that the ranks of a host share, in the order in which deaths became known there. Only
// the host's supervisor writes it, first a rank's number, then the count; ranks read it. It wakes nobody:
// ranks that wait read it regularly, because no sleep is long.
#pragma once
#include <atomic>
#include <cstdint>

#include "base/types.hpp"

namespace aqueduct::job {

/// The supervisor adds `rank` after `already` others. It writes to the file without mapping it, so that ranks
/// that damage the memory cannot harm it. False with errno if the file cannot be written.
bool append_failure(int memory_fd, RankId already, RankId rank);

/// The list as ranks read it. Any thread.
class FailureList {
 public:
  /// Of a job of `size` ranks. The mapping stays until the process ends.
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
