#include "core/progress.hpp"

#include <sched.h>

#include <thread>

namespace aqueduct::core {
namespace {

// Hands what a neighbour sent to its handler.
struct Deliver {
  Rank& rank;
  Thread& thread;

  void operator()(const Message& message, RankId source) const { rank.deliver_on(thread, message, {source, 0}); }
  void plain_short(RankId source, bool is_reply, std::uint8_t handler, unsigned nargs, const std::int32_t* args) const {
    rank.deliver_short(thread, source, is_reply, handler, nargs, args);
  }
};

template <bool kAllLanes>
unsigned poll_neighbours(Thread& thread, Scope scope) {
  Rank& rank = thread.rank;
  Neighbourhood* neighbourhood = rank.neighbourhood();
  if (!neighbourhood) return 0;
  const Deliver deliver{rank, thread};
  if (!rank.threaded()) return neighbourhood->poll_all_lanes<false>(scope, deliver);
  unsigned delivered;
  if constexpr (kAllLanes) {
    delivered = neighbourhood->poll_all_lanes<true>(scope, deliver);
  } else {
    delivered = neighbourhood->poll<true>(thread.polling, scope, deliver);
  }
  // A handler that we ran may be what another thread of this rank sleeps for.
  if (delivered != 0) neighbourhood->doorbell(rank.id()).ring_if_needed();
  return delivered;
}

template <bool kAllLanes>
inline unsigned poll_from(Thread& thread, Scope scope) {
  Rank& rank = thread.rank;
  unsigned delivered = poll_neighbours<kAllLanes>(thread, scope);
  if (rank.has_network()) delivered += rank.conduit().poll(scope);
  if (rank.chores.pending.load(std::memory_order_relaxed) != 0 && scope == Scope::kAll && !thread.handling) {
    rank.chores.run(thread);
    if (rank.threaded() && rank.neighbourhood()) rank.neighbourhood()->doorbell(rank.id()).ring_if_needed();
  }
  return delivered;
}

}  // namespace

unsigned poll(Thread& thread, Scope scope) { return poll_from<false>(thread, scope); }

void Wait::withdraw() {
  announced_ = false;
  thread_.rank.neighbourhood()->doorbell(thread_.rank.id()).withdraw();
}

void Wait::give_way() {
  Rank& rank = thread_.rank;
  const Patience& patience = rank.patience;
  const std::uint64_t now_ns = rank.clock().now_ns();
  if (rounds_ == patience.polls + 1) {
    yielding_since_ns_ = now_ns;
    sleep_ns_ = patience.sleep_min_ns;
  }
  if (!patience.may_sleep || now_ns - yielding_since_ns_ < patience.yield_ns) {
    ::sched_yield();
    return;
  }
  if (!rank.neighbourhood()) {
    // Nobody can ring: a network conduit without neighbours is polled at intervals.
    std::this_thread::sleep_for(std::chrono::nanoseconds(patience.sleep_min_ns));
    return;
  }
  Doorbell& doorbell = rank.neighbourhood()->doorbell(rank.id());
  if (!announced_) {
    bell_seen_ = doorbell.announce();
    announced_ = true;
    if (poll_from<true>(thread_, scope_) != 0) rounds_ = 0;
    return;
  }
  doorbell.sleep(bell_seen_, sleep_ns_);
  announced_ = false;
  sleep_ns_ = sleep_ns_ * 2 < patience.sleep_max_ns ? sleep_ns_ * 2 : patience.sleep_max_ns;
  if (poll_from<true>(thread_, scope_) != 0) rounds_ = 0;
}

}  // namespace aqueduct::core
