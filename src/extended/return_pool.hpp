// A pool of records that one thread takes from and any thread gives back to.
//
// A record has the members `home` (its pool) and `next_free`, which belong to the pool. Taking allocates only
// when all records are in use; memory is kept until the pool is destroyed, which must be after the last
// record has come back. Blocks double in size, from kFirst records on, because many ranks have few in use.
//
// Records come back one by one onto a stack, and the owner takes the whole stack at once: nobody ever removes
// a single element that others may be looking at, so the same address at the top means the same stack (no
// ABA).
#pragma once
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/spin_lock.hpp"

namespace aqueduct::extended {

template <class Record>
class ReturnPool {
 public:
  /// By the owning thread.
  Record* take() {
    if (!free_) free_ = returned_.exchange(nullptr, std::memory_order_acquire);
    if (!free_) add_block();
    Record* record = free_;
    free_ = record->next_free;
    return record;
  }

  /// By any thread.
  static void give_back(Record* record) {
    std::atomic<Record*>& stack = record->home->returned_;
    Record* top = stack.load(std::memory_order_relaxed);
    do {
      record->next_free = top;
    } while (!stack.compare_exchange_weak(top, record, std::memory_order_release, std::memory_order_relaxed));
  }

  /// Whether there is a record at that address, which may be any. By any thread.
  bool holds(const Record* record) const {
    const std::lock_guard guard(blocks_lock_);
    const auto address = reinterpret_cast<std::uintptr_t>(record);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(blocks_[i].get());
      if (offset < records_in(i) * sizeof(Record)) return offset % sizeof(Record) == 0;
    }
    return false;
  }

 private:
  static constexpr std::size_t kFirst = 4, kMost = 64;

  static std::size_t records_in(std::size_t block) {
    return kFirst << std::min<std::size_t>(block, std::countr_zero(kMost / kFirst));
  }

  void add_block() {
    const std::size_t count = records_in(blocks_.size());
    auto block = std::make_unique<Record[]>(count);
    Record* const records = block.get();
    {
      const std::lock_guard guard(blocks_lock_);
      blocks_.push_back(std::move(block));
    }
    for (std::size_t i = 0; i < count; ++i) {
      Record& record = records[i];
      record.home = this;
      record.next_free = free_;
      free_ = &record;
    }
  }

  mutable SpinLock blocks_lock_;
  std::vector<std::unique_ptr<Record[]>> blocks_;
  Record* free_ = nullptr;
  std::atomic<Record*> returned_{nullptr};
};

}  // namespace aqueduct::extended
