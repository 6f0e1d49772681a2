#include "job/place/activity.hpp"

namespace aqueduct::job {
namespace {

std::atomic<Activity*> activity_lines{nullptr};
RankId activity_ranks = 0, activity_self = 0;

}  // namespace

void remember_activity(Activity* lines, RankId ranks, RankId self) {
  activity_ranks = ranks;
  activity_self = self;
  activity_lines.store(lines);
}

void say_that_this_rank_leaves() {
  if (Activity* const lines = activity_lines.load())
    lines[activity_self].leaves.store(1, std::memory_order_relaxed);
}

bool everyone_leaves() {
  const Activity* const lines = activity_lines.load();
  if (!lines) return false;
  for (RankId rank = 0; rank < activity_ranks; ++rank) {
    if (lines[rank].leaves.load(std::memory_order_relaxed) == 0) return false;
  }
  return true;
}

}  // namespace aqueduct::job
