// Operations that a conduit does by itself: how they are counted and started.
#pragma once
#include "core/am.hpp"
#include "extended/rma.hpp"

namespace aqueduct::extended {

/// What a conduit calls when a native operation is done; its argument is the Pending that counts it.
inline void native_is_done(void* pending) {
  static_cast<Pending*>(pending)->fetch_sub(1, std::memory_order_release);
}

/// Runs a native operation to the point where it is under way: `post` answers whether the conduit took it.
template <class Post>
Started start_native(Thread& thread, RankId target, observe::Transfer transfer, Pending& pending,
                     gex_Flags_t flags, Post&& post) {
  pending.fetch_add(1, std::memory_order_relaxed);
  auto posted = [&] { return post() == am::Post::kDone; };
  if (posted()) return Started::kStarted;
  if (flags & GEX_FLAG_IMMEDIATE) {
    pending.fetch_sub(1, std::memory_order_relaxed);
    thread.with(target).refused.add();
    return Started::kNotNow;
  }
  thread.with(target).stalls.add();
  core::wait_until(thread, Scope::kAll, posted, core::CreditsSubject{target, transfer});
  return Started::kStarted;
}

}  // namespace aqueduct::extended
