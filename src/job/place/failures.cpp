#include "job/place/failures.hpp"

#include <unistd.h>

#include <cstddef>

#include "job/place/shared_memory.hpp"

namespace aqueduct::job {

bool append_failure(int memory_fd, RankId already, RankId rank) {
  using Lines = FailureList::Lines;
  const std::size_t where = kFailuresPlace + offsetof(Lines, ranks) + already * sizeof(RankId);
  const std::uint64_t count = std::uint64_t{already} + 1;
  return ::pwrite(memory_fd, &rank, sizeof rank, static_cast<off_t>(where)) == sizeof rank &&
         ::pwrite(memory_fd, &count, sizeof count, static_cast<off_t>(kFailuresPlace)) == sizeof count;
}

FailureList::FailureList(int memory_fd, RankId size)
    : lines_(static_cast<const Lines*>(map_shared(memory_fd, kFailuresPlace,
                                                  round_up(sizeof(Lines) + size * sizeof(RankId), kPage),
                                                  "the list of ranks that have died"))) {}

}  // namespace aqueduct::job
