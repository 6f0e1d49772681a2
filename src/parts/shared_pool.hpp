// Lends records of one kind; makes a new one when all are lent. Records do not move, and are not reset.
//
// Any thread; one short lock. Memory grows to the most that were ever lent at once, and stays.
#pragma once
#include <deque>
#include <mutex>
#include <vector>

#include "base/spin_lock.hpp"

namespace aqueduct::parts {

template <class Record>
class SharedPool {
 public:
  Record& take() {
    const std::lock_guard guard(lock_);
    if (free_.empty()) return records_.emplace_back();
    Record* const record = free_.back();
    free_.pop_back();
    return *record;
  }
  void give_back(Record& record) {
    const std::lock_guard guard(lock_);
    free_.push_back(&record);
  }

 private:
  SpinLock lock_;
  std::deque<Record> records_;
  std::vector<Record*> free_;  // the one used last is used next: its memory is warm
};

}  // namespace aqueduct::parts
