#include "sim/engine/event_queue.hpp"

#include <algorithm>

namespace aqueduct::sim {

// Refills bucket 0, which is empty, from the lowest bucket in use.
void EventQueue::move_on() {
  buckets_[0].clear();
  taken_ = 0;
  const auto lowest = static_cast<unsigned>(std::countr_zero(in_use_)) + 1;
  in_use_ &= in_use_ - 1;
  std::vector<Entry>& bucket = buckets_[lowest];
  present_ = std::min_element(bucket.begin(), bucket.end(), [](const Entry& a, const Entry& b) {
               return a.when < b.when;
             })->when;
  for (const Entry& entry : bucket) put(entry);
  bucket.clear();
}

}  // namespace aqueduct::sim
