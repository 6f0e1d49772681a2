// A pool of records that one thread takes from and any thread gives back to.
//
// A record has the members `home` (its pool) and `next_free`, which belong to the pool. Taking allocates only
// when all records are in use; memory is kept until the pool is destroyed, which must be after the last
// record has come back.
//
// Records come back one by one onto a stack, and the owner takes the whole stack at once: nobody ever removes
// a single element that others may be looking at, so the same address at the top means the same stack (no
// ABA).
#pragma once
#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

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

 private:
  static constexpr std::size_t kBlock = 64;

  void add_block() {
    blocks_.push_back(std::make_unique<Record[]>(kBlock));
    for (std::size_t i = 0; i < kBlock; ++i) {
      Record& record = blocks_.back()[i];
      record.home = this;
      record.next_free = free_;
      free_ = &record;
    }
  }

  std::vector<std::unique_ptr<Record[]>> blocks_;
  Record* free_ = nullptr;
  std::atomic<Record*> returned_{nullptr};
};

}  // namespace aqueduct::extended
