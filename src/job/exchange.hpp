// Bootstrap exchange: what ranks tell each other before they can send messages, through the first pages of
// the job's shared memory. Slow and simple; used a handful of times per job.
//
// Every rank must make the same sequence of calls. Waiting is the caller's business, because a rank that
// waits here must still run its messages: `wait_until` is handed a condition, `wake_others` is called after
// others' condition may have become true. All-zero memory is a fresh exchange.
#pragma once
#include <atomic>
#include <cstring>
#include <functional>
#include <type_traits>

#include "base/fatal.hpp"
#include "base/types.hpp"
#include "job/membership.hpp"

namespace aqueduct::job {

class Exchange {
 public:
  using WaitUntil = std::function<void(const std::function<bool()>& condition)>;
  using WakeOthers = std::function<void()>;

  static constexpr std::size_t kItemBytes = 128;
  /// What all ranks share; one item for each of them follows it.
  struct alignas(kCacheLine) Area {
    std::atomic<std::uint32_t> arrivals;
  };
  static constexpr std::size_t area_bytes(RankId ranks) { return sizeof(Area) + ranks * kItemBytes; }

  /// `area` is mapped by all ranks and outlives this object.
  Exchange(Area* area, RankId rank, RankId size) : area_(area), rank_(rank), size_(size) {}

  void set_waiting(WaitUntil wait_until, WakeOthers wake_others) {
    wait_until_ = std::move(wait_until);
    wake_others_ = std::move(wake_others);
  }

  /// Returns when every rank has called it.
  void barrier() {
    // Arrivals are counted for ever: round k is over when size * k ranks have arrived. A rank can be at most
    // one round ahead, so the count never reaches the next round early.
    ++round_;
    const std::uint32_t goal = round_ * size_;
    if (area_->arrivals.fetch_add(1, std::memory_order_acq_rel) + 1 == goal) wake_others_();
    wait_until_([&] {
      const auto ahead = static_cast<std::int32_t>(area_->arrivals.load(std::memory_order_acquire) - goal);
      if (ahead < -static_cast<std::int32_t>(size_) || ahead >= static_cast<std::int32_t>(size_)) {
        fatal("start",
              "shared memory is corrupted: the exchange counts arrivals that cannot be; look for a stray "
              "write in any rank");
      }
      return ahead >= 0;
    });
  }

  /// Every rank contributes one item and is shown all of them: `visit(rank, item)` in the order of ranks.
  template <class Item, class Visit>
  void all_gather(const Item& mine, Visit&& visit) {
    static_assert(std::is_trivially_copyable_v<Item> && sizeof(Item) <= kItemBytes);
    std::memcpy(item(rank_), &mine, sizeof mine);
    barrier();
    for (RankId i = 0; i < size_; ++i) {
      Item theirs;
      std::memcpy(&theirs, item(i), sizeof theirs);
      visit(i, theirs);
    }
    barrier();  // nobody writes the next item while another still reads this one
  }

 private:
  std::byte* item(RankId rank) { return reinterpret_cast<std::byte*>(area_ + 1) + rank * kItemBytes; }

  Area* area_;
  RankId rank_;
  RankId size_;
  std::uint32_t round_ = 0;
  WaitUntil wait_until_;
  WakeOthers wake_others_;
};

}  // namespace aqueduct::job
