// Who may wait for whom: a graph of buffers.
#pragma once
#include <cstdint>
#include <queue>
#include <set>
#include <vector>

namespace aqueduct::sim {

/// Whether no buffer can wait for itself: takes away, again and again, those that wait for nobody; a circle
/// stays.
inline bool has_no_circle(const std::vector<std::set<std::uint32_t>>& waits) {
  std::vector<std::vector<std::uint32_t>> waiting_for(waits.size());
  std::vector<std::size_t> left(waits.size());
  std::queue<std::uint32_t> idle;
  for (std::uint32_t buffer = 0; buffer < waits.size(); ++buffer) {
    left[buffer] = waits[buffer].size();
    if (left[buffer] == 0) idle.push(buffer);
    for (const std::uint32_t next : waits[buffer]) waiting_for[next].push_back(buffer);
  }
  std::size_t gone = 0;
  for (; !idle.empty(); idle.pop(), ++gone) {
    for (const std::uint32_t before : waiting_for[idle.front()])
      if (--left[before] == 0) idle.push(before);
  }
  return gone == waits.size();
}

}  // namespace aqueduct::sim
