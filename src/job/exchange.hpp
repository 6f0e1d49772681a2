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
#include <vector>

#include "base/types.hpp"
#include "job/membership.hpp"

namespace aqueduct::job {

class Exchange {
 public:
  using WaitUntil = std::function<void(const std::function<bool()>& condition)>;
  using WakeOthers = std::function<void()>;

  static constexpr std::size_t kItemBytes = 128;
  struct Area {
    alignas(kCacheLine) std::atomic<std::uint32_t> arrivals;
    alignas(kCacheLine) std::byte items[kMaxRanks][kItemBytes];
  };

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
      return static_cast<std::int32_t>(area_->arrivals.load(std::memory_order_acquire) - goal) >= 0;
    });
  }

  /// Every rank contributes one item and gets all of them, indexed by rank.
  template <class Item>
  std::vector<Item> all_gather(const Item& mine) {
    static_assert(std::is_trivially_copyable_v<Item> && sizeof(Item) <= kItemBytes);
    std::memcpy(area_->items[rank_], &mine, sizeof mine);
    barrier();
    std::vector<Item> all(size_);
    for (RankId i = 0; i < size_; ++i) std::memcpy(&all[i], area_->items[i], sizeof(Item));
    barrier();  // nobody writes the next item while another still reads this one
    return all;
  }

 private:
  Area* area_;
  RankId rank_;
  RankId size_;
  std::uint32_t round_ = 0;
  WaitUntil wait_until_;
  WakeOthers wake_others_;
};

}  // namespace aqueduct::job
