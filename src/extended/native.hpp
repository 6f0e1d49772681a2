// Operations that a conduit does by itself: how they are counted and started.
#pragma once
#include "core/am.hpp"
#include "extended/extended.hpp"
#include "extended/rma.hpp"

namespace aqueduct::extended {

/// What a conduit calls when a native operation is done. Its argument is the Pending that counts it or, where
/// somebody may look at the counters, its NativeOperation.
inline void native_is_done(void* pending) {
  static_cast<Pending*>(pending)->fetch_sub(1, std::memory_order_release);
}
inline void counted_native_is_done(void* argument) {
  auto* const operation = static_cast<NativeOperation*>(argument);
  core::this_thread("poll").count_in_flight(operation->target, operation->what, ~std::uint64_t{0});
  Pending* const pending = operation->pending;
  ReturnPool<NativeOperation>::give_back(operation);
  native_is_done(pending);
}

/// Runs a native operation to the point where it is under way: `post(done, argument)` answers whether the
/// conduit took it.
template <class Post>
Started start_native(Thread& thread, RankId target, observe::TransferKind transfer, Pending& pending,
                     gex_Flags_t flags, Post&& post) {
  NativeOperation* counted = nullptr;
  if (!thread.rank.is_simulated()) {
    counted = ops(thread).natives.take();
    counted->pending = &pending;
    counted->target = target;
    counted->what = transfer;
    thread.count_in_flight(target, transfer, 1);
  }
  pending.fetch_add(1, std::memory_order_relaxed);
  auto posted = [&] {
    return (counted ? post(counted_native_is_done, counted) : post(native_is_done, &pending)) ==
           am::Post::kDone;
  };
  thread.lacks = observe::Retry::kNetwork;
  if (posted()) return Started::kStarted;
  thread.count_retry(target);
  if (flags & GEX_FLAG_IMMEDIATE) {
    pending.fetch_sub(1, std::memory_order_relaxed);
    if (counted) {
      thread.count_in_flight(target, transfer, ~std::uint64_t{0});
      ReturnPool<NativeOperation>::give_back(counted);
    }
    thread.with(target).refused.add();
    return Started::kNotNow;
  }
  thread.with(target).stalls.add();
  core::wait_until(thread, Scope::kAll, posted, core::CreditsSubject{target, transfer});
  return Started::kStarted;
}

}  // namespace aqueduct::extended
