// How a thread waits: it polls with pauses, then yields, then sleeps. This says how long each step takes.
//
// A wake-up from sleep costs tens of microseconds on a virtual machine, a yield about one, a pause a few
// nanoseconds. With a core per rank it pays to poll for about as long as a wake-up costs. With more ranks
// than cores every poll beyond the first few takes time from the rank we wait for, so we yield almost at
// once, and keep yielding for longer, because a turn of all the others is needed before our answer can come.
//
// What a wake-up costs is not known in advance: where the host is busy it may be a millisecond. If that is
// longer than ranks yield, two that answer each other sleep for every message, for ever, because each waits
// for the other to wake up. So when a ring ends a sleep soon, the thread yields for up to twice as long the
// next time (SpinBudget), up to a limit; a long sleep makes that shorter again. Each short sleep doubles it:
// a rank whose network serves puts and gets of others sees no message, and would sleep between any two of
// them.
//
// A client may also wait by itself: it calls gasnet_AMPoll until something has come. Such a call must not
// wait, and does not know that it is one of many. But where threads share cores, the one that it waits for
// may need this very core, and would get it only when a whole time slice has been polled away. So there one
// in kFruitlessCalls calls that find nothing yields.
#pragma once
#include <algorithm>
#include <cstdint>

namespace aqueduct {

struct WaitPolicy {
  std::uint32_t looks;  ///< looks at a word in shared memory before the first poll
  std::uint32_t polls;  ///< polls with a pause between them, which leaves the line we wait for to its writer
  std::uint64_t yield_ns;         ///< then yields for this long
  std::uint64_t sleep_min_ns;     ///< then sleeps: first this long ...
  std::uint64_t sleep_max_ns;     ///< ... doubling up to this; a ring of the doorbell ends a sleep at once
  std::uint64_t spin_max_ns = 0;  ///< what may be added to yield_ns; see SpinBudget
  bool may_sleep = true;
  /// One yield in so many polls while it yields. Where each rank has a core the yield finds nobody, and takes
  /// as long as half a look at a network.
  std::uint32_t polls_per_yield = 1;

  /// The policy of a simulated rank, whose scheduler decides when it runs again: it gives way at once.
  static constexpr WaitPolicy none() { return {0, 0, 0, 0, 0}; }

  /// A rank with threads yields for longer: while it sleeps every message to it costs its sender a wake-up,
  /// whichever thread the message is for. And sooner, where there is no second core for each rank's second
  /// thread: the thread that we wait for may need this very core.
  static WaitPolicy choose(unsigned ranks_on_host, unsigned cores, bool threaded) {
    WaitPolicy wait_policy = choose(ranks_on_host, cores);
    if (!threaded) return wait_policy;
    wait_policy.yield_ns = 2'000'000;
    if (cores < 2 * ranks_on_host) wait_policy.polls = std::min(wait_policy.polls, 200u);
    return wait_policy;
  }

  /// The same where a yield does not let other ranks run: with more ranks than cores it only keeps the core
  /// from them, so sleep at once.
  static WaitPolicy without_yields(unsigned ranks_on_host, unsigned cores, bool threaded) {
    WaitPolicy wait_policy = choose(ranks_on_host, cores, threaded);
    if (ranks_on_host > cores) wait_policy.yield_ns = 0;
    return wait_policy;
  }

  /// Of a client that wants its waiting threads to leave the core to others (GASNET_WAIT_BLOCK): gives way
  /// after one look. It still yields for a while before it sleeps, or every answer would cost a wake-up: what
  /// comes meanwhile costs one yield.
  static WaitPolicy blocking(unsigned ranks_on_host, unsigned cores) {
    WaitPolicy wait_policy = choose(ranks_on_host, cores);
    wait_policy.looks = wait_policy.polls = 1;
    wait_policy.spin_max_ns = std::min<std::uint64_t>(wait_policy.spin_max_ns, 1'000'000);
    return wait_policy;
  }

  /// After so many calls of the client that find nothing its thread yields; 0: never. `threads` of this host
  /// take part in the job.
  static constexpr std::uint32_t fruitless_calls_to_yield(std::uint64_t threads, unsigned cores) {
    return threads > cores ? kFruitlessCalls : 0;
  }

 private:
  static constexpr std::uint32_t kFruitlessCalls = 8;
  static constexpr unsigned kManyToACore = 8;

  static WaitPolicy choose(unsigned ranks_on_host, unsigned cores) {
    if (ranks_on_host <= cores) return {40, 3000, 200'000, 200'000, 10'000'000, 4'000'000, true, 8};
    // Among many a turn takes long anyway, and whoever wakes up in vain takes time from all the others.
    const std::uint64_t crowd = std::max(ranks_on_host / cores / kManyToACore, 1u);
    return {1, 4, 1'000'000 / crowd, std::min<std::uint64_t>(200'000 * crowd, 10'000'000),
            std::min<std::uint64_t>(10'000'000 * crowd, 250'000'000)};
  }
};

/// How much longer a thread yields before it sleeps, as its last sleeps have taught it.
class SpinBudget {
 public:
  /// To be added to WaitPolicy::yield_ns.
  std::uint64_t extra_ns() const { return extra_ns_; }

  /// Something came for us `after_ns` after we had gone to sleep for it.
  void came_after(std::uint64_t after_ns, const WaitPolicy& wait_policy) {
    if (2 * after_ns > wait_policy.spin_max_ns) {
      extra_ns_ /= 2;
    } else {
      extra_ns_ = std::min(std::max(2 * extra_ns_, 2 * after_ns), wait_policy.spin_max_ns);
    }
  }

 private:
  std::uint64_t extra_ns_ = 0;
};

}  // namespace aqueduct
