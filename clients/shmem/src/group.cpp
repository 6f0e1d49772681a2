#include "group.hpp"

#include <algorithm>
#include <cstring>

#include "checks.hpp"
#include "far.hpp"
#include "shmem.h"
#include "waiting.hpp"

namespace aqshmem {

Group::Group(const char* call, shmem_team_t handle) : call_(call) {
  const shmem_team_& team = checked_team(call, handle);
  members_ = team.members;
  size_ = team.size;
  me_ = team.me;
  team_ = team.tm;
  is_here_ = team.all_here;
}

Group::Group(const char* call, int start, int log_stride, int size, long* psync) : call_(call) {
  must_be_started(call);
  if (start < 0 || log_stride < 0 || log_stride > 30 || size < 1 ||
      start + (static_cast<long>(size) - 1) * (1L << log_stride) >= job.pes)
    fail("%s: the active set of %d PEs from %d on, 2^%d apart, is not inside PEs 0 to %d", call, size, start,
         log_stride, job.pes - 1);
  start_ = start;
  stride_ = 1 << log_stride;
  size_ = size;
  const int distance = job.me - start;
  if (distance < 0 || distance % stride_ != 0 || distance / stride_ >= size) {
    if (!job.checks) return;
    fail("%s: PE %d is not in the active set of %d PEs from %d on, 2^%d apart", call, job.me, size, start,
         log_stride);
  }
  me_ = distance / stride_;
  if (size == job.pes && stride_ == 1) {
    team_ = job.world;
  } else {
    check_range(call, psync, 3 * sizeof *psync, job.me);
    psync_ = psync;
  }
  for (int i = 0; i < size; ++i) is_here_ = is_here_ && job.segments[static_cast<std::size_t>(pe(i))];
}

void Group::synchronise() const {
  if (!is_member()) return;
  if (team_) {
    synchronise_team(team_);
  } else if (size_ > 1) {
    synchronise_by_psync();
  }
}

// A tree: member m has the children 4m + 1 to 4m + 4. A child adds 1 to the first long of its parent and
// waits for its own second one, which the parent sets when it has been told to go on itself. Whoever has
// waited for a long sets it back before it lets another one go on, so that the next use begins with both as
// they were.
void Group::synchronise_by_psync() const {
  constexpr int kChildren = 4;
  const int first = kChildren * me_ + 1;
  const int children = std::clamp(size_ - first, 0, kChildren);
  const auto add = [&](long* word, long value, int member) {
    shmem_long_atomic_add(word, value, pe(member));
  };
  const auto value = [](long* word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE) - SHMEM_SYNC_VALUE; };
  if (children > 0) {
    wait_until(call_, psync_, [&] { return value(psync_) == children; });
    add(psync_, -children, me_);
  }
  if (me_ != 0) {
    add(psync_, 1, (me_ - 1) / kChildren);
    complete(SHMEM_CTX_DEFAULT);
    wait_until(call_, psync_ + 1, [&] { return value(psync_ + 1) == 1; });
    add(psync_ + 1, -1, me_);
  }
  for (int child = first; child < first + children; ++child) add(psync_ + 1, 1, child);
  complete(SHMEM_CTX_DEFAULT);
}

void Group::complete_and_synchronise() const {
  if (!is_member()) return;
  complete(SHMEM_CTX_DEFAULT);
  synchronise();
}

void Group::put(void* dest, const void* source, std::size_t bytes, int member) const {
  if (bytes == 0) return;
  if (char* const to = here(dest, pe(member))) {
    if (to != source) std::memmove(to, source, bytes);
  } else {
    aqshmem_put_nbi_far_(SHMEM_CTX_DEFAULT, dest, source, bytes, pe(member));
  }
}

const void* Group::look(const void* source, std::size_t bytes, int member, void* buffer) const {
  if (const char* const from = here(source, pe(member))) return from;
  aqshmem_get_far_(SHMEM_CTX_DEFAULT, buffer, source, bytes, pe(member));
  return buffer;
}

}  // namespace aqshmem
