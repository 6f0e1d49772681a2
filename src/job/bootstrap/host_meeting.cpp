#include "job/bootstrap/host_meeting.hpp"

#include "base/fatal.hpp"

namespace aqueduct::job {
namespace {

// A call and the rank that made it, in one word: kind | root | rank. Never zero.
constexpr unsigned kRankBits = 28;

std::uint64_t packed_call(const Bootstrap::Call& call, RankId rank) {
  return static_cast<std::uint64_t>(call.kind) << (2 * kRankBits) |
         static_cast<std::uint64_t>(call.root) << kRankBits | rank;
}

[[noreturn]] void refuse_count(const char* what) {
  fatal("bootstrap",
        "shared memory is corrupted: the bootstrap counts %s that cannot be; look for a stray write in any "
        "rank",
        what);
}

}  // namespace

HostMeeting::HostMeeting(SharedRoom& room, std::size_t place, RankId rank, RankId local_size)
    : room_(room),
      area_(reinterpret_cast<Area*>(room.map(place, kRoomBytes))),
      rank_(rank),
      local_size_(local_size) {}

void HostMeeting::compare(std::uint64_t operation, const Bootstrap::Call& call) {
  const std::uint64_t mine = packed_call(call, rank_);
  std::uint64_t first = 0;
  if (area_->calls[side(operation)].compare_exchange_strong(first, mine, std::memory_order_relaxed)) return;
  if (first >> kRankBits == mine >> kRankBits) return;
  constexpr std::uint64_t kMask = (std::uint64_t{1} << kRankBits) - 1;
  const Bootstrap::Call theirs{static_cast<Bootstrap::Kind>(first >> (2 * kRankBits)),
                               static_cast<RankId>(first >> kRankBits & kMask)};
  fatal("bootstrap", "rank %u makes %s and rank %u makes %s, as the operation number %llu of each", rank_,
        describe(call).c_str(), static_cast<RankId>(first & kMask), describe(theirs).c_str(),
        static_cast<unsigned long long>(operation));
}

bool HostMeeting::arrive(std::uint64_t operation) {
  return area_->arrivals.fetch_add(1, std::memory_order_acq_rel) + 1 == operation * local_size_;
}

bool HostMeeting::have_all_arrived(std::uint64_t operation) const {
  // This rank has arrived, and no rank goes on to the next operation before this one is published.
  const std::uint64_t arrivals = area_->arrivals.load(std::memory_order_acquire);
  const std::uint64_t goal = operation * local_size_;
  if (arrivals > goal || arrivals + local_size_ <= goal) refuse_count("arrivals");
  return arrivals == goal;
}

void HostMeeting::publish(std::uint64_t operation) {
  area_->calls[side(operation + 1)].store(0, std::memory_order_relaxed);
  area_->published.store(operation, std::memory_order_release);
  ring();
}

bool HostMeeting::is_published(std::uint64_t operation) const {
  const std::uint64_t published = area_->published.load(std::memory_order_acquire);
  if (published != operation && published + 1 != operation) refuse_count("operations");
  return published == operation;
}

}  // namespace aqueduct::job
