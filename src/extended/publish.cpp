#include "extended/publish.hpp"

#include <algorithm>

#include "core/segment.hpp"

namespace aqueduct::extended {

void publish_segments(Thread& thread, core::Team& team, std::span<const core::Endpoint* const> endpoints) {
  TeamGather& members = ops(team).gather;
  const std::vector<std::size_t> counts = members.all_gather(thread, endpoints.size());
  const std::size_t most = *std::max_element(counts.begin(), counts.end());
  // One endpoint of everybody at a time; who has no more gives an empty item.
  for (std::size_t i = 0; i < most; ++i) {
    core::Publication mine{};
    if (i < endpoints.size()) mine = core::publication_of(thread.rank, *endpoints[i]);
    for (const core::Publication& each : members.all_gather(thread, mine)) core::take_note(thread.rank, each);
  }
  // Nobody sends to a segment before all have taken note: an answer could go to one that is not known yet.
  members.barrier(thread);
}

}  // namespace aqueduct::extended
