#include "extended/rma.hpp"

#include <cstring>

#include "base/fatal.hpp"
#include "core/segment.hpp"
#include "extended/reference_rma.hpp"

namespace aqueduct::extended {
namespace {

void count_down(void* pending) { static_cast<Pending*>(pending)->fetch_sub(1, std::memory_order_release); }

// Runs a native transfer to the point where it is under way.
template <class Post>
Started start_native(Thread& thread, Pending& pending, gex_Flags_t flags, Post&& post) {
  pending.fetch_add(1, std::memory_order_relaxed);
  auto posted = [&] { return post() == conduit::Post::kDone; };
  if (posted()) return Started::kStarted;
  if (flags & GEX_FLAG_IMMEDIATE) {
    pending.fetch_sub(1, std::memory_order_relaxed);
    return Started::kNotNow;
  }
  core::wait_until(thread, Scope::kAll, posted);
  return Started::kStarted;
}

Started by_messages(int result) { return result == GASNET_OK ? Started::kStarted : Started::kNotNow; }

}  // namespace

void check_target(const char* where, Thread& thread, RankId target, const void* address, std::size_t bytes) {
  Rank& rank = thread.rank;
  if (target >= rank.size())
    fatal(where, "rank %u is outside the team, which has %u ranks", target, rank.size());
  if (thread.handling) fatal(where, "may not be called in a handler");
  if (bytes == 0) return;
  const conduit::SegmentBounds& bounds = rank.objects().bounds[target];
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - bounds.base;
  if (offset >= bounds.size || bytes > bounds.size - offset) {
    if (bounds.size == 0) fatal(where, "rank %u has no segment yet; call gex_Segment_Attach first", target);
    fatal(where, "address %p (%zu bytes) is outside the segment of rank %u, which is %p (%zu bytes)", address,
          bytes, target, reinterpret_cast<void*>(bounds.base), bounds.size);
  }
}

namespace {

Started put(const char* where, Thread& thread, RankId target, void* to, const void* from, std::size_t bytes,
            Pending& pending, gex_Flags_t flags, conduit::Reuse reuse) {
  check_target(where, thread, target, to, bytes);
  if (bytes == 0) return Started::kDone;
  Rank& rank = thread.rank;
  if (!rank.options().reference_only) {
    if (void* here = core::reach(rank.objects(), target, to, bytes)) {
      std::memcpy(here, from, bytes);
      return Started::kDone;
    }
    if (conduit::Rma* native = rank.conduit().rma()) {
      return start_native(thread, pending, flags,
                          [&] { return native->put(target, to, from, bytes, reuse, count_down, &pending); });
    }
  }
  return by_messages(reference_put(thread, target, to, from, bytes, pending, flags));
}

}  // namespace

Started start_put(const char* where, Thread& thread, RankId target, void* to, const void* from,
                  std::size_t bytes, Pending& pending, gex_Flags_t flags) {
  return put(where, thread, target, to, from, bytes, pending, flags, conduit::Reuse::kAtReturn);
}

Started start_stable_put(const char* where, Thread& thread, RankId target, void* to, const void* from,
                         std::size_t bytes, Pending& pending, gex_Flags_t flags) {
  return put(where, thread, target, to, from, bytes, pending, flags, conduit::Reuse::kWhenDone);
}

Started start_get(const char* where, Thread& thread, RankId target, void* to, const void* from,
                  std::size_t bytes, Pending& pending, gex_Flags_t flags) {
  check_target(where, thread, target, from, bytes);
  if (bytes == 0) return Started::kDone;
  Rank& rank = thread.rank;
  if (!rank.options().reference_only) {
    if (const void* here = core::reach(rank.objects(), target, from, bytes)) {
      std::memcpy(to, here, bytes);
      return Started::kDone;
    }
    if (conduit::Rma* native = rank.conduit().rma()) {
      return start_native(thread, pending, flags,
                          [&] { return native->get(target, to, from, bytes, count_down, &pending); });
    }
  }
  return by_messages(reference_get(thread, target, to, from, bytes, pending, flags));
}

Started start_fill(const char* where, Thread& thread, RankId target, void* to, int value, std::size_t bytes,
                   Pending& pending) {
  check_target(where, thread, target, to, bytes);
  if (bytes == 0) return Started::kDone;
  Rank& rank = thread.rank;
  if (!rank.options().reference_only) {
    if (void* here = core::reach(rank.objects(), target, to, bytes)) {
      std::memset(here, value, bytes);
      return Started::kDone;
    }
  }
  reference_fill(thread, target, to, value, bytes, pending);
  return Started::kStarted;
}

}  // namespace aqueduct::extended
