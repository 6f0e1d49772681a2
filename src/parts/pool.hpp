// Lends records of one kind; makes a new one when all are lent. Records do not move, and are not reset; each
// has a number, by which a peer can name it.
//
// Memory grows to the most that were ever lent at once, and stays. Pool: one thread at a time. SharedPool:
// any thread; one short lock.
#pragma once
#include <cstddef>
#include <deque>
#include <mutex>
#include <vector>

#include "base/spin_lock.hpp"

namespace aqueduct::parts {

template <class Record>
class Pool {
 public:
  Record& take() {
    return take([](Record&, std::size_t) {});
  }
  /// `prepare(record, number)` is called for one that is new.
  template <class Prepare>
  Record& take(Prepare prepare) {
    if (free_.empty()) {
      Record& fresh = records_.emplace_back();
      prepare(fresh, records_.size() - 1);
      return fresh;
    }
    Record* const record = free_.back();
    free_.pop_back();
    return *record;
  }
  void give_back(Record& record) { free_.push_back(&record); }

  /// All that were ever made, lent or not.
  std::size_t size() const { return records_.size(); }
  Record& operator[](std::size_t number) { return records_[number]; }
  std::size_t lent() const { return records_.size() - free_.size(); }

 private:
  std::deque<Record> records_;
  std::vector<Record*> free_;  // the one used last is used next: its memory is warm
};

template <class Record>
class SharedPool {
 public:
  Record& take() {
    const std::lock_guard guard(lock_);
    return pool_.take();
  }
  void give_back(Record& record) {
    const std::lock_guard guard(lock_);
    pool_.give_back(record);
  }
  std::size_t lent() const {
    const std::lock_guard guard(lock_);
    return pool_.lent();
  }

 private:
  mutable SpinLock lock_;
  Pool<Record> pool_;
};

}  // namespace aqueduct::parts
