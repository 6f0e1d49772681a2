// The supervisor's view of who waits (job/place/activity.hpp).
#pragma once
#include <vector>

#include "base/types.hpp"
#include "job/place/activity.hpp"
#include "job/place/failures.hpp"
#include "net/descriptor.hpp"

namespace aqueduct::job {

class WaitingRanks {
 public:
  /// `memory` is what these ranks of one host share. It is read, not mapped: whatever ranks do to it harms
  /// nobody here.
  WaitingRanks(net::Descriptor memory, std::vector<RankId> ranks);

  /// Looks at all ranks. Those that have waited all the time since the last look are waiting; after the first
  /// look nobody is.
  void look();
  /// Writes into the same memory that `rank`, of any host, has died (job/place/failures.hpp).
  void tell_failed(RankId rank) { append_failure(memory_.get(), failures_told_++, rank); }
  /// What they share.
  int memory_fd() const { return memory_.get(); }
  const std::vector<RankId>& ranks() const { return ranks_; }
  /// By the place in the list of ranks.
  bool is_waiting(std::size_t index) const { return is_waiting_[index]; }

 private:
  struct Seen {
    std::uint32_t waiting = 0;
    std::uint32_t waits_ended = 0;
    std::uint64_t idle_calls = 0;
  };

  net::Descriptor memory_;
  std::vector<RankId> ranks_;
  std::vector<Seen> seen_;
  std::vector<bool> is_waiting_;
  bool has_looked_ = false;
  RankId failures_told_ = 0;
};

}  // namespace aqueduct::job
