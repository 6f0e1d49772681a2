// How the ranks of a host take part in one operation after the other, in memory that they share. This is the
// order among them; what they tell each other lies in tables (job/bootstrap/shared_table.hpp).
//
// Operation k of a rank:
//   arrive(k)          it has written what it contributes to k
//   [everybody has]    one rank, the last to arrive or the one chosen for it, makes the result
//   publish(k)         by that rank, once
//   is_published(k)    the result may be read, until this rank arrives at k + 1
//
// Two sets of tables take turns (side(k)): who arrives at k + 1 writes to the other one, while late ranks
// still read the result of k. Nobody arrives at k + 2 before k + 1 is published, and that is after all have
// arrived at k + 1 and so are done with the result of k: then the first set is free again. So whoever
// publishes k clears the side of k + 1 before.
//
// All-zero memory is a meeting at which nobody has arrived. Counters are checked when they are read.
#pragma once
#include <atomic>

#include "base/doorbell.hpp"
#include "job/bootstrap/bootstrap.hpp"
#include "job/place/shared_room.hpp"

namespace aqueduct::job {

class HostMeeting {
 public:
  static constexpr std::size_t kRoomBytes = kPage;

  /// Of `local_size` ranks that share `room`, where the meeting has the page at `place`. `rank`: this one's
  /// number in the job, for messages.
  HostMeeting(SharedRoom& room, std::size_t place, RankId rank, RankId local_size);
  ~HostMeeting() { room_.unmap(reinterpret_cast<std::byte*>(area_), kRoomBytes); }
  HostMeeting(const HostMeeting&) = delete;
  HostMeeting& operator=(const HostMeeting&) = delete;

  static constexpr unsigned side(std::uint64_t operation) { return operation % 2; }

  /// Before arrive(): ends the job with one line that names both if a rank that was here before has made
  /// another call than this as operation k.
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
    alignas(kCacheLine) std::atomic<std::uint64_t> arrivals;   // at all operations together
    alignas(kCacheLine) std::atomic<std::uint64_t> published;  // the number of the last one
    std::atomic<std::uint64_t> calls[2];                       // by side: what it is, and whose word that is
    Doorbell bell;
  };
  static_assert(sizeof(Area) <= kRoomBytes);

  SharedRoom& room_;
  Area* area_;
  RankId rank_;
  RankId local_size_;
};

}  // namespace aqueduct::job
