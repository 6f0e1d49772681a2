#include "extended/deferred_tasks.hpp"

#include <mutex>

namespace aqueduct::extended {

DeferredTasks::DeferredTasks(core::Rank& rank) : rank_(rank), lock_(rank.threaded()) {
  rank.beyond_neighbours.run_tasks = [this](core::Thread& thread) { return run(thread); };
}

void DeferredTasks::add(DeferredTask& task) {
  const std::lock_guard guard(lock_);
  if (task.listed_) return;
  task.listed_ = true;
  list_.push_back(&task);
  count(1);
}

void DeferredTasks::remove(DeferredTask& task) {
  const std::lock_guard guard(lock_);
  for (std::size_t i = 0; i < list_.size(); ++i) {
    if (list_[i] == &task) return take_off(i);
  }
}

void DeferredTasks::take_off(std::size_t index) {
  list_[index]->listed_ = false;
  list_[index] = list_.back();
  list_.pop_back();
  count(-1);
}

// With the lock.
void DeferredTasks::count(int change) {
  std::atomic<int>& count = rank_.beyond_neighbours.count;
  count.store(count.load(std::memory_order_relaxed) + change, std::memory_order_relaxed);
}

bool DeferredTasks::run(core::Thread& thread) {
  if (!lock_.try_lock()) return false;
  bool moved = false;
  for (std::size_t i = 0; i < list_.size();) {
    const Advance result = list_[i]->advance(thread);
    moved |= result != Advance::kWaiting;
    if (result == Advance::kFinished) {
      take_off(i);
    } else {
      ++i;
    }
  }
  lock_.unlock();
  return moved;
}

}  // namespace aqueduct::extended
