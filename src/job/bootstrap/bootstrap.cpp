#include "job/bootstrap/bootstrap.hpp"

#include <sched.h>

#include "base/fatal.hpp"
#include "base/spin_lock.hpp"

namespace aqueduct::job {

Bytes Gathered::at(RankId number, RankId rank) const {
  if (number >= size_ || (only_ != kNoRank && only_ != number))
    fatal("bootstrap", "rank %u of %u has told nothing in this operation", rank, size_);
  const Row row = rows_[only_ == kNoRank ? number : 0];  // read once: the checked value is the used one
  if (row.offset > data_.size() || row.bytes > data_.size() - row.offset) {
    fatal("bootstrap",
          "memory is corrupted: rank %u is said to have told %llu bytes at %llu, of %zu; look for a stray "
          "write in rank %u",
          rank, static_cast<unsigned long long>(row.bytes), static_cast<unsigned long long>(row.offset),
          data_.size(), rank);
  }
  return data_.subspan(row.offset, row.bytes);
}

std::string describe(const Bootstrap::Call& call, const std::string& root) {
  switch (call.kind) {
    case Bootstrap::Kind::kAllGather:
      return "an all-gather";
    case Bootstrap::Kind::kBroadcast:
      return "a broadcast from " + (root.empty() ? "rank " + std::to_string(call.root) : root);
    case Bootstrap::Kind::kBarrier:
      return "a barrier";
  }
  return "an unknown operation";
}

void Bootstrap::begin(const Call& call, Bytes mine) {
  if (under_way_)
    fatal("bootstrap", "%s is begun before the operation before it is over", describe(call).c_str());
  if (call.root >= size_) fatal("bootstrap", "a broadcast from rank %u of %u", call.root, size_);
  call_ = call;
  ++operation_;
  under_way_ = true;
  start(call, mine);
}

void Bootstrap::wait() {
  if (wait_until_) {
    wait_until_([this] { return advance(); });
    return;
  }
  constexpr unsigned kSpins = 200;
  constexpr unsigned kYields = 200;
  for (unsigned looks = 0; !advance(); ++looks) {
    if (looks < kSpins) {
      cpu_pause();
    } else if (looks < kSpins + kYields) {
      ::sched_yield();
    } else {
      sleep();
    }
  }
}

const std::byte* Bootstrap::sized(RankId rank, std::size_t bytes) const {
  const Bytes theirs = gathered_[rank];
  if (theirs.size() != bytes) {
    fatal("bootstrap",
          "rank %u has told %zu bytes and this rank expects %zu; all ranks must run the same library", rank,
          theirs.size(), bytes);
  }
  return theirs.data();
}

}  // namespace aqueduct::job
