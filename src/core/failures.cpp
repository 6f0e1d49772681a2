#include "core/failures.hpp"

#include <mutex>

namespace aqueduct::core {

void Failures::give_up(UnderWay& operations) {
  for (auto& [pending, parts] : operations) {
    count_lost(parts);
    pending->fetch_sub(parts, std::memory_order_release);
  }
  operations.clear();
}

void Failures::take_in_news() {
  const std::lock_guard guard(lock_);
  const RankId all = list_.count();
  RankId known = known_.load(std::memory_order_relaxed);
  if (known == all) return;
  for (; known < all; ++known) {
    const RankId dead = list_[known];
    is_dead_[dead].store(true, std::memory_order_release);
    give_up(under_way_[dead]);
  }
  known_.store(all, std::memory_order_release);
}

bool Failures::breaks(const Team& team) const {
  for (RankId number = 0; number < count(); ++number) {
    if (team.rank_of(list_[number]) != GEX_RANK_INVALID) return true;
  }
  return false;
}

void Failures::started(RankId peer, Counter& pending, std::uint32_t parts) {
  const std::lock_guard guard(lock_);
  UnderWay& operations = under_way_[peer];
  operations[&pending] += parts;
  if (is_dead(peer)) give_up(operations);
}

bool Failures::remove(RankId peer, Counter& pending, std::uint32_t parts) {
  const std::lock_guard guard(lock_);
  UnderWay& operations = under_way_[peer];
  const auto found = operations.find(&pending);
  if (found == operations.end()) return false;
  if ((found->second -= parts) == 0) operations.erase(found);
  return true;
}

}  // namespace aqueduct::core
