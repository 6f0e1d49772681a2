#include "core/progress.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>

#include "world/world.hpp"

namespace aqueduct::core {
namespace {

// What the neighbourhood calls for each message.
struct Run {
  Rank& rank;
  Thread& thread;

  [[gnu::always_inline]] bool request(RankId source, Slot slot, Header header, bool answers) const {
    return rank.run_request(thread, source, slot, header, answers);
  }
  [[gnu::always_inline]] void reply(RankId source, Slot slot, Header header) const {
    rank.run_reply(thread, source, slot, header);
  }
  [[gnu::always_inline]] void received(RankId source, unsigned many) const {
    thread.with(source).requests_received.add(many);
  }
  [[gnu::always_inline]] void settled(RankId source, unsigned many) const {
    thread.with(source).settled.add(many);
    thread.count_short_requests(source);
  }
};

// A handler that we ran may be what another thread of this rank sleeps for.
void wake_own_threads(Rank& rank) {
  if (!rank.threaded()) return;
  if (Doorbell* doorbell = rank.doorbell()) doorbell->ring_if_needed();
}

// What was found has moved the places where the next requests will be.
void forget_watches(PollState& state) {
  state.watches = false;
  state.in_vain = 0;
}

[[gnu::noinline]] unsigned poll_threaded(Thread& thread, Scope scope) {
  Rank& rank = thread.rank;
  const unsigned found = rank.neighbourhood()->poll_as_one_of_many(thread.polling, scope, Run{rank, thread});
  if (found != 0) wake_own_threads(rank);
  return found;
}

[[gnu::noinline]] unsigned poll_network_and_tasks(Thread& thread, Scope scope) {
  Rank& rank = thread.rank;
  unsigned found = 0;
  if (rank.has_network()) {
    found = rank.conduit().poll(scope);
    thread.polling.expects_soon = true;  // that has taken longer than a pause
  }
  if (found != 0) thread.polling.network_every = 1;
  thread.polling.network_next = thread.polling.network_every;
  const bool has_tasks =
      rank.beyond_neighbours.count.load(std::memory_order_relaxed) > (rank.has_network() ? 1 : 0);
  if (scope == Scope::kAll && !thread.handling && has_tasks)
    found += rank.beyond_neighbours.run_tasks(thread);
  if (found != 0) wake_own_threads(rank);
  return found;
}

// Where neighbours talk to us a look at the network each time would hold them up, and the other way round. So
// the network is looked at once in kMostSkipped polls while neighbours' messages come, and each time once it
// has brought something.
inline bool may_skip_network(Thread& thread, unsigned found) {
  constexpr std::uint8_t kMostSkipped = 64;
  const Rank& rank = thread.rank;
  if (rank.beyond_neighbours.count.load(std::memory_order_relaxed) != 1 || !rank.has_network() ||
      rank.is_simulated())
    return false;
  if (found != 0) thread.polling.network_every = kMostSkipped;
  return --thread.polling.network_next != 0;
}

inline bool has_network_or_tasks(const Rank& rank) {
  return rank.beyond_neighbours.count.load(std::memory_order_relaxed) != 0;
}

// After a poll of the neighbours that has found so many messages. (A call, so that polls of ranks without a
// network stay small.)
[[gnu::noinline]] unsigned poll_the_rest(Thread& thread, Scope scope, unsigned found) {
  if (thread.rank.neighbourhood() && may_skip_network(thread, found)) return 0;
  return poll_network_and_tasks(thread, scope);
}

// A thread that has looked in vain yields. A lane counts as attended for a while after its thread has polled,
// but where threads share cores that one may have none now: then nobody would take what came for it until the
// thread that has the core has computed, or spun on a word of the client's, for a whole time slice. So who
// gives way there looks into all lanes before, once in as many turns as found_nothing() lets pass between two
// yields. True if there was something.
bool finds_others_messages(Thread& thread, Scope scope, std::uint32_t turns) {
  Rank& rank = thread.rank;
  const std::uint32_t between = rank.fruitless_calls_to_yield();
  return between != 0 && turns % between == 0 && rank.threaded() && rank.neighbourhood() &&
         poll_everything(thread, scope) != 0;
}

}  // namespace

unsigned poll_everything(Thread& thread, Scope scope) {
  Rank& rank = thread.rank;
  unsigned found = 0;
  if (Neighbourhood* neighbourhood = rank.neighbourhood()) {
    const Run run{rank, thread};
    found = rank.threaded() ? neighbourhood->poll_all_lanes<true>(thread.polling, scope, run)
                            : neighbourhood->poll_all_lanes<false>(thread.polling, scope, run);
    if (found != 0) {
      forget_watches(thread.polling);
      wake_own_threads(rank);
    }
  }
  if (has_network_or_tasks(rank)) found += poll_network_and_tasks(thread, scope);
  return found;
}

unsigned poll(Thread& thread, Scope scope) {
  Rank& rank = thread.rank;
  unsigned found = 0;
  thread.polling.expects_soon = false;
  thread.record->counters.polls.add();
  if (Neighbourhood* neighbourhood = rank.neighbourhood()) [[likely]] {
    found = rank.threaded() ? poll_threaded(thread, scope)
                            : neighbourhood->poll_only_lane(thread.polling, scope, Run{rank, thread});
    if (found != 0) forget_watches(thread.polling);
  }
  if (has_network_or_tasks(rank)) [[unlikely]]
    found += poll_the_rest(thread, scope, found);
  return found;
}

void look_after_many(Thread& thread) {
  // A copy takes a nanosecond, and a look at a network may take hundreds.
  constexpr std::uint32_t kBetweenLooks = 64;
  thread.until_look = kBetweenLooks;
  if (!would_poll_in_vain(thread)) poll(thread, Scope::kAll);
}

void Wait::withdraw() {
  must_end_ &= ~kAnnounced;
  thread_.rank.doorbell()->withdraw();
}

void Wait::end() {
  if (must_end_ & kAnnounced) withdraw();
  if (must_end_ & kCounted) thread_.rank.activity()->end_wait();
  if (thread_.published != this) return;
  thread_.published = nullptr;
  if (!thread_.rank.is_simulated())
    thread_.record->wait.update([](observe::WaitRecord& record) { record.clear(); });
}

void Wait::describe(observe::WaitRecord& record) const {
  record.clear();
  subject_.describe(record);
  record.since_ns = since_ns_;
}

// Who owes an answer is found out later, if it comes to that.
void Wait::publish(std::uint64_t now_ns) {
  must_end_ |= kPublished;
  thread_.published = this;
  thread_.owing_seen_ns = now_ns;
  thread_.has_told_of_hang = false;
  thread_.record->counters.slow_waits.add();
  count_short_requests(kAllOpen);
  trace::timeline::keep_open();
  thread_.record->wait.update([this](observe::WaitRecord& record) { describe(record); });
}

// Of all neighbours up to that local rank that anything was sent to.
void Wait::count_short_requests(RankId end) const {
  const Neighbourhood* const neighbourhood = thread_.rank.neighbourhood();
  if (!neighbourhood || thread_.polling.reach == 0) return;
  for (RankId local = 0; local < std::min(neighbourhood->size(), end); ++local) {
    if (thread_.polling.outboxes[local].sent() != 0)
      thread_.count_short_requests(neighbourhood->rank_at(local));
  }
}

// By a thread that has slept, now and then: answers come while it waits.
void Wait::look_who_owes(std::uint64_t now_ns) {
  constexpr std::uint64_t kBetweenLooks = 50'000'000;
  observe::WaitRecord& wait = thread_.record->wait;
  if (thread_.published != this || now_ns - thread_.owing_seen_ns < kBetweenLooks) return;
  thread_.owing_seen_ns = now_ns;
  Rank& rank = thread_.rank;
  count_short_requests(rank.size());
  trace::timeline::keep_open();
  wait.update([&](observe::WaitRecord& record) {
    record.missing = record.more = 0;
    rank.list_unanswered(record);
  });
  rank.own_record().report_alone();
  const std::uint64_t hang_ns = rank.own_record().hang_ns();
  if (hang_ns == 0 || thread_.has_told_of_hang || now_ns - since_ns_ < hang_ns) return;
  thread_.has_told_of_hang = true;
  rank.own_record().ask_for_report();
}

// Of a simulated rank: others look at its subject where it is.
void Wait::rest() {
  Rank& rank = thread_.rank;
  if (!(must_end_ & kPublished)) since_ns_ = rank.clock().now_ns();
  must_end_ |= kPublished;
  thread_.published = this;
  trace::timeline::keep_open();
  rank.world().rest(scope_ == Scope::kAll ? "a message" : "a reply");
}

void found_nothing(Thread& thread, Looked looked) {
  if (Neighbourhood* neighbourhood = thread.rank.neighbourhood())
    neighbourhood->watch_requests(thread.polling);
  // Threads that look at the same time would take the line from each other.
  constexpr std::uint32_t kBetween = 64;
  Rank& rank = thread.rank;
  if (rank.is_simulated()) [[unlikely]]
    return rank.world().pass_time();
  const std::uint32_t calls = ++thread.idle_calls;
  if (!rank.threaded() || calls % kBetween == 0) rank.activity()->count_idle_call();
  const std::uint32_t to_yield = rank.fruitless_calls_to_yield();
  if (to_yield == 0 || calls % to_yield != 0) [[likely]]
    return;
  if (looked == Looked::kForMessages && finds_others_messages(thread, Scope::kAll, calls)) return;
  ::sched_yield();
}

void take_in_failures(Thread& thread, Scope scope) {
  Failures* const failures = thread.rank.failures();
  if (!failures || !failures->has_news()) return;
  // What the dead rank has sent is there, and not behind what others go on sending.
  constexpr unsigned kMostPolls = 1000;
  for (unsigned polls = 0; polls < kMostPolls && poll_everything(thread, scope) != 0; ++polls) {
  }
  failures->take_in_news();
  for (RankId number = 0; number < failures->count(); ++number) {
    thread.with((*failures)[number]).has_died.set(1);
    thread.rank.conduit().has_died((*failures)[number]);
  }
}

// Of a wait that has lasted for a while.
void Wait::show(std::uint64_t now_ns) {
  if (!(must_end_ & kCounted)) {
    thread_.rank.activity()->begin_wait();
    must_end_ |= kCounted;
  }
  if (thread_.published != this) publish(now_ns);
}

// A rank that others use all the time never gives way, and must be told of the dead and be seen to wait all
// the same.
void Wait::look_around() {
  Rank& rank = thread_.rank;
  if (rank.is_simulated()) return;
  if (rank.failures()) [[unlikely]]
    take_in_failures(thread_, scope_);
  const std::uint64_t now_ns = rank.clock().now_ns();
  if (since_ns_ == 0) since_ns_ = now_ns;
  if (now_ns - since_ns_ < rank.wait_policy.yield_ns) return;
  show(now_ns);
  look_who_owes(now_ns);
}

void Wait::give_way() {
  constexpr std::uint64_t kBetweenAudits = 500'000'000;
  Rank& rank = thread_.rank;
  if (rank.is_simulated()) return rest();
  if (rank.failures()) [[unlikely]]
    take_in_failures(thread_, scope_);
  const WaitPolicy& wait_policy = rank.wait_policy;
  const std::uint64_t now_ns = rank.clock().now_ns();
  if (rounds_ == wait_policy.polls + 1) {
    idle_since_ns_ = now_ns;
    if (since_ns_ == 0) since_ns_ = now_ns;
    sleep_ns_ = 0;
    rank.look_for_threads();
    if (must_end_ & kAnnounced) withdraw();  // something was found just before the sleep
  }
  const bool is_long =
      sleep_ns_ != 0 || now_ns - idle_since_ns_ >= wait_policy.yield_ns + thread_.spin_budget.extra_ns();
  if (is_long) show(now_ns);
  const bool must_look = rank.beyond_neighbours.unannounced.load(std::memory_order_relaxed) != 0;
  if (!wait_policy.may_sleep || !is_long || must_look) {
    if (is_long) look_who_owes(now_ns);
    if (finds_others_messages(thread_, scope_, rounds_)) {
      rounds_ = 0;
    } else if (rounds_ % wait_policy.polls_per_yield == 0) {
      ::sched_yield();
    }
    return;
  }
  if (sleep_ns_ == 0) {
    idle_since_ns_ = now_ns;
    sleep_ns_ = wait_policy.sleep_min_ns;
  }
  Doorbell* const doorbell = rank.doorbell();
  if (!doorbell) {
    look_who_owes(now_ns);
    std::this_thread::sleep_for(std::chrono::nanoseconds(wait_policy.sleep_min_ns));
    return;
  }
  if (!(must_end_ & kAnnounced)) {
    bell_seen_ = doorbell->announce();
    must_end_ |= kAnnounced;
    if (poll_everything(thread_, scope_) != 0) rounds_ = 0;
    return;
  }
  thread_.record->counters.sleeps.add();
  const bool rang = rank.sleep(bell_seen_, std::min(sleep_ns_, std::uint64_t{longest_sleep_us_} * 1000));
  must_end_ &= ~kAnnounced;
  look_who_owes(now_ns);
  if (!rang && now_ns - thread_.audited_ns >= kBetweenAudits && rank.neighbourhood()) {
    if (thread_.audited_ns != 0) rank.neighbourhood()->audit();
    thread_.audited_ns = now_ns;
  }
  if (!rank.may_oversleep()) sleep_ns_ = std::min(2 * sleep_ns_, wait_policy.sleep_max_ns);
  const bool found = poll_everything(thread_, scope_) != 0;
  if (found || rang) {
    // Whoever rang is awake and may have more for us.
    const std::uint64_t woken_ns = rank.clock().now_ns();
    thread_.spin_budget.came_after(woken_ns - idle_since_ns_, wait_policy);
    rounds_ = found ? 0 : rounds_;
    idle_since_ns_ = woken_ns;
    sleep_ns_ = 0;
  }
}

}  // namespace aqueduct::core
