// How a supervisor uses the memory that the ranks of one host share: it reads which ranks wait
// (job/place/activity.hpp), and writes which ranks of the job have died (job/place/failures.hpp).
#pragma once
#include <vector>

#include "base/types.hpp"
#include "job/place/activity.hpp"
#include "job/place/failures.hpp"
#include "job/supervision/rank_source.hpp"
#include "net/descriptor.hpp"

namespace aqueduct::job {

class HostMemory {
 public:
  /// `ranks` of one host share `memory`. It is read, not mapped, so that ranks that damage it cannot harm
  /// this process.
  HostMemory(net::Descriptor memory, std::vector<RankId> ranks);

  /// Looks at all ranks. A rank counts as waiting if it has waited all the time since the last look; after
  /// the first look none does.
  void look();
  /// The same, and tells the watcher about each rank that waits or does not wait any more.
  void look(RankWatcher& watcher);
  /// Writes into the same memory that `rank`, of any host, has died (job/place/failures.hpp).
  void tell_failed(RankId rank) { append_failure(memory_.get(), failures_told_++, rank); }
  /// The memory itself.
  int memory_fd() const { return memory_.get(); }
  const std::vector<RankId>& ranks() const { return ranks_; }
  /// `index` is the place in the list of ranks.
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
