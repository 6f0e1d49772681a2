// Progress: polling, and the one way to wait.
//
// poll() runs handlers of messages that have arrived. wait_until() polls until its condition holds, giving up
// the core by degrees (base/wait_policy.hpp). Nothing else in the library spins, yields or sleeps on a
// condition.
//
// A wait says what it is for (core/wait_subject.hpp). Once it has lasted beyond spinning and yielding, or as
// long while others kept it busy, that stands in the rank's record, where others look for the reason why a
// job does not go on.
//
// The condition may be made true by a handler that this thread runs, by a handler that another thread of this
// rank runs, or by a neighbour that writes to shared memory and then rings our doorbell. What is written
// without a ring (a neighbour's put) is noticed when a sleep times out.
#pragma once
#include "core/rank.hpp"
#include "core/wait_subject.hpp"

namespace aqueduct::core {

/// Runs handlers of arrived messages, all or replies only; returns how many.
unsigned poll(Thread& thread, Scope scope);

/// poll() that leaves nothing out: it looks at the network each time, and in the lanes of other threads.
unsigned poll_everything(Thread& thread, Scope scope);

/// True if poll() would find nothing. It takes few instructions, and may be false although poll() would find
/// nothing.
[[gnu::always_inline]] inline bool would_poll_in_vain(Thread& thread) {
  return is_quiet(thread.polling) && thread.rank.beyond_neighbours.count.load(std::memory_order_relaxed) == 0;
}

/// Called after an operation that was complete at once because it needed no other rank: one in many of these
/// calls looks for messages. A client that does nothing else until a message has come would otherwise never
/// get it.
[[gnu::cold, gnu::noinline]] void look_after_many(Thread& thread);
[[gnu::always_inline]] inline void look_now_and_then(Thread& thread) {
  if (--thread.until_look == 0) [[unlikely]]
    look_after_many(thread);
}

/// Whether a call has polled, or only looked at a counter, before it tells the client that there is nothing.
enum class Looked : bool { kWithoutPolling, kForMessages };

/// For calls that look and find nothing, and leave it to the client to call again: in a simulation time
/// passes only where it is let pass, and the client may call until some has. In a live job the supervisor can
/// see that this rank waits by itself. Where threads share cores, some of these calls yield
/// (base/wait_policy.hpp). A call that polls, and so may run handlers, takes what came for other threads of
/// this rank before.
void found_nothing(Thread& thread, Looked looked);

/// Takes in which ranks have died since the last call, if that is reported in this job. Runs handlers.
void take_in_failures(Thread& thread, Scope scope);

/// One wait in progress. Usage: `Wait wait(thread, scope, subject); while (!condition()) wait.step();`
class Wait {
 public:
  /// `subject` outlives it.
  Wait(Thread& thread, Scope scope, const WaitSubject& subject)
      : thread_(thread), subject_(subject), scope_(scope) {}
  ~Wait() {
    if (must_end_) end();
  }
  Wait(const Wait&) = delete;
  Wait& operator=(const Wait&) = delete;

  /// From now on no sleep takes longer than that.
  void limit_sleep(std::uint32_t us) { longest_sleep_us_ = us; }

  /// Whoever has begun it records it in the timeline, and must be told of its end.
  void mark_recorded() { must_end_ |= kRecorded; }
  bool is_recorded() const { return must_end_ & kRecorded; }

  /// What it waits for, and since when.
  void describe(observe::WaitRecord& record) const;

  /// Polls once; after a number of fruitless calls also pauses, yields or sleeps. The caller checks its
  /// condition between any two calls: a sleep is announced by one call and begun by the next.
  void step() {
    if (poll(thread_, scope_) != 0) {
      rounds_ = 0;
      if (++served_ == 0) [[unlikely]]
        look_around();
      return;
    }
    const WaitPolicy& wait_policy = thread_.rank.wait_policy;
    if (++rounds_ <= wait_policy.polls) [[likely]] {
      if (!thread_.polling.expects_soon) cpu_pause();
      return;
    }
    give_way();
  }

 private:
  static constexpr std::uint64_t kAnnounced = 1;  // at the doorbell, as a sleeper
  static constexpr std::uint64_t kCounted = 2;    // in the rank's activity
  static constexpr std::uint64_t kPublished = 4;  // as what its thread waits for
  static constexpr std::uint64_t kRecorded = 8;   // in the timeline

  void give_way();
  void look_around();
  void show(std::uint64_t now_ns);
  void rest();
  void publish(std::uint64_t now_ns);
  void count_short_requests(RankId end) const;
  void look_who_owes(std::uint64_t now_ns);
  void withdraw();
  void end();

  std::uint64_t must_end_ = 0;  // first: aq_wait_::must_end_; a set of the above
  Thread& thread_;
  const WaitSubject& subject_;
  Scope scope_ : 8;
  std::uint32_t served_ : 8 = 0;  // polls that have found something, modulo 256
  std::uint32_t rounds_ = 0;
  std::uint32_t bell_seen_ = 0;
  std::uint32_t longest_sleep_us_ = ~std::uint32_t{0};
  std::uint64_t since_ns_ = 0;       // 0: it may end soon
  std::uint64_t idle_since_ns_ = 0;  // since then it yields or, if there is a sleep_ns_, sleeps
  std::uint64_t sleep_ns_ = 0;
};

/// `describe(record)` says what it is for, should it become slow.
template <class Condition, class Describe>
inline void wait_until(Thread& thread, Scope scope, Condition&& condition, const Describe& describe) {
  if (condition()) return;
  const DescribedSubject subject(describe);
  Wait wait(thread, scope, subject);
  do {
    wait.step();
  } while (!condition());
}

/// wait_until() for a condition in shared memory that a neighbour makes true by itself: looks at it for a
/// while before it looks at messages, because that while is often all it takes.
template <class Condition, class Describe>
inline void wait_until_written(Thread& thread, Condition&& condition, const Describe& describe) {
  for (std::uint32_t looks = 0; looks < thread.rank.wait_policy.looks; ++looks) {
    if (condition()) return;
    cpu_pause();
  }
  wait_until(thread, Scope::kAll, condition, describe);
}

}  // namespace aqueduct::core
