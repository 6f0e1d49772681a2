#include "extended/chores.hpp"

#include <mutex>

namespace aqueduct::extended {

Chores::Chores(core::Rank& rank) : rank_(rank) {
  rank.chores.run = [this](core::Thread& thread) { return run(thread); };
}

void Chores::add(Chore& chore) {
  const std::lock_guard guard(lock_);
  if (chore.listed_) return;
  chore.listed_ = true;
  list_.push_back(&chore);
  rank_.chores.pending.fetch_add(1, std::memory_order_relaxed);
}

void Chores::remove(Chore& chore) {
  const std::lock_guard guard(lock_);
  for (std::size_t i = 0; i < list_.size(); ++i) {
    if (list_[i] == &chore) return take_off(i);
  }
}

void Chores::take_off(std::size_t index) {
  list_[index]->listed_ = false;
  list_[index] = list_.back();
  list_.pop_back();
  rank_.chores.pending.fetch_sub(1, std::memory_order_relaxed);
}

bool Chores::run(core::Thread& thread) {
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
