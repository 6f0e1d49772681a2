// Orders the operations of the ranks of a host, in memory that they share. The data that they exchange lie in
// tables (job/bootstrap/shared_table.hpp).
//
// Operation k of a rank:
//   arrive(k)          the rank has written its contribution to k
//   [everybody has]    one rank, the last to arrive or the leader, makes the result
//   publish(k)         that rank calls it, once
//   is_published(k)    the rank may read the result, until it arrives at k + 1
//
// Two sets of tables take turns (side(k)): a rank that arrives at k + 1 writes to the other set, while late
// ranks still read the result of k. No rank arrives at k + 2 before k + 1 is published, which happens after
// all have arrived at k + 1 and so have read the result of k: then the first set is free again. So the rank
// that publishes k first clears the side of k + 1.
//
// All-zero memory is a meeting at which no rank has arrived. Counters are checked when they are read.
#pragma once
#include <atomic>

#include "base/doorbell.hpp"
#include "job/bootstrap/bootstrap.hpp"
#include "job/place/shared_room.hpp"

namespace aqueduct::job {

class HostMeeting {
 public:
  static constexpr std::size_t kRoomBytes = kPage;

  /// `local_size` ranks share `room`, in which the meeting has the page at `place`. `rank` is this rank's
  /// number in the job, for error lines.
  HostMeeting(SharedRoom& room, std::size_t place, RankId rank, RankId local_size);
  ~HostMeeting() { room_.unmap(reinterpret_cast<std::byte*>(area_), kRoomBytes); }
  HostMeeting(const HostMeeting&) = delete;
  HostMeeting& operator=(const HostMeeting&) = delete;

  static constexpr unsigned side(std::uint64_t operation) { return operation % 2; }

  /// Call it before arrive(). If another rank has made a different call as this operation, the job ends with
  /// one line that names both.
  void compare(std::uint64_t operation, const Bootstrap::Call& call);
  /// True for the last.
  bool arrive(std::uint64_t operation);
  bool have_all_arrived(std::uint64_t operation) const;
  void publish(std::uint64_t operation);
  bool is_published(std::uint64_t operation) const;

  /// Sleeps until somebody rings, for some milliseconds at most, unless `condition` holds.
  template <class Condition>
  void sleep(Condition&& condition) {
    const std::uint32_t seen = area_->bell.announce();
    if (condition()) {
      area_->bell.withdraw();
    } else {
      area_->bell.sleep(seen, kLongestSleepNs);
    }
  }
  void ring() { area_->bell.ring_if_needed(); }

 private:
  static constexpr std::uint64_t kLongestSleepNs = 10'000'000;

  struct Area {
    alignas(kCacheLine) std::atomic<std::uint64_t> arrivals;   // counted over all operations
    alignas(kCacheLine) std::atomic<std::uint64_t> published;  // the number of the last published operation
    std::atomic<std::uint64_t> calls[2];                       // by side: the call, and the rank that made it
    Doorbell bell;
  };
  static_assert(sizeof(Area) <= kRoomBytes);

  SharedRoom& room_;
  Area* area_;
  RankId rank_;
  RankId local_size_;
};

}  // namespace aqueduct::job
